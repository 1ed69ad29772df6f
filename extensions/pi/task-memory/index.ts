/**
 * Task memory for pi: `task_query`, `task_mutate` and `memory_search` as tools, answered by `recollect tasks call`.
 *
 * What the agent claims belongs to its session, so that memory knows which messages were about a task. Whatever goes wrong is
 * the tool's answer. Nothing is imported from pi, so that the same code works in pi 0.73 and 1.5.
 */
import { execFile } from "node:child_process";
import { findCommand, NO_COMMAND, workingFolder } from "./command.ts";

const TIME_MS = 30_000;
const SEARCH = "memory_search";

interface Context {
  cwd?: string;
  sessionManager?: { getSessionId?(): string | undefined };
}

type Request = Record<string, unknown>;

interface Tool {
  name: string;
  label: string;
  description: string;
  promptSnippet: string;
  parameters: unknown;
  execute(id: string, request: Request, signal?: AbortSignal, onUpdate?: unknown, ctx?: Context): Promise<{ content: Array<{ type: "text"; text: string }>; details: unknown }>;
}

interface Pi {
  registerTool(tool: Tool): void;
}

const text = (description: string) => ({ type: "string", description });
const choice = (description: string, ...values: string[]) => ({ type: "string", enum: values, description });

export default function taskMemory(pi: Pi): void {
  if (process.env.RECOLLECT_PI === "off") return;
  pi.registerTool(
    makeTool(
      "task_query",
      "Query tasks",
      "Query the tasks of this project, which outlive sessions. ready: unfinished tasks in the order of work, with readyCount and blockedCount. " +
        "show (id): isBlocked, blockingTasks. list (status). search (query). context: the project's working memory with its hash.",
      "Query tasks that outlive this session",
      {
        action: choice("What to do", "ready", "show", "list", "search", "context"),
        id: text("t-…"),
        status: choice("list: only these", "open", "in_progress", "closed"),
        query: text("search: words"),
        limit: { type: "number", description: "Most tasks" },
      },
    ),
  );
  pi.registerTool(
    makeTool(
      "task_mutate",
      "Change tasks",
      "Change the tasks of this project. create (title). claim, release (id): claim a task when you begin it. close (id, reason, summary): with " +
        "its outcome, which memory keeps. dep (taskId, dependsOn, add). link (taskId, messageId). update_context (content, base): rewrite the " +
        "project's working memory, which every session begins with.",
      "Create, claim and close tasks that outlive this session",
      {
        action: choice("What to do", "create", "claim", "release", "close", "dep", "link", "update_context"),
        id: text("t-…"),
        title: text("The work"),
        description: text("Details"),
        priority: { type: "number", description: "0 (urgent) to 4; default 2" },
        type: choice("Type of work", "bug", "feature", "task", "epic", "chore"),
        labels: { type: "array", items: { type: "string" }, description: "Labels" },
        reason: choice("Why it is closed", "completed", "wontfix", "duplicate"),
        summary: text("The outcome"),
        taskId: text("t-…"),
        dependsOn: text("The task that comes first"),
        add: { type: "boolean", description: "false: remove it" },
        messageId: text("session:entry"),
        content: text("The whole new text"),
        base: text("Hash of the text that it replaces"),
      },
    ),
  );
  pi.registerTool(
    makeTool(
      SEARCH,
      "Search past conversations",
      "Search past conversations of this project for context. Gives results as JSON with id, source (raw, compacted, reflection), content, rank " +
        "(1 is the best), createdAt, day, kind, project, supersededBy where it was replaced, and taskId where a result belongs to a " +
        "task. Be specific: names of functions, files, schemas, error texts.",
      "Search past conversations for context",
      {
        action: choice("What to do", "search"),
        query: text("Search keywords"),
        limit: { type: "number", description: "How many results to return; default 1" },
      },
      ["action", "query"],
    ),
  );
}

function makeTool(name: string, label: string, description: string, promptSnippet: string, properties: object, required = ["action"]): Tool {
  return {
    name,
    label,
    description,
    promptSnippet,
    parameters: { type: "object", properties, required },
    async execute(_id, request, signal, _onUpdate, ctx) {
      // `task_query` has an action `search`, too: the tool's name tells them apart.
      const answer = await call(name === SEARCH ? { ...request, tool: name } : request, ctx, signal);
      // The tags tell the pipeline that these are memory's own words, which it never observes.
      const tagged = `<recollect-memory>\n${answer.replace(/<(\/?recollect)/g, "‹$1")}\n</recollect-memory>`;
      return { content: [{ type: "text", text: tagged }], details: { action: request.action } };
    },
  };
}

/** The command's answer, one JSON object; a failure has the same shape. Never rejects. */
function call(request: Request, ctx: Context | undefined, signal?: AbortSignal): Promise<string> {
  return new Promise((settle) => {
    const fail = (error: string) => settle(JSON.stringify({ success: false, error }));
    const command = findCommand();
    if (!command) {
      fail(NO_COMMAND);
      return;
    }
    const session = ctx?.sessionManager?.getSessionId?.();
    const args = ["tasks", "call", JSON.stringify(request), ...(session ? [`--session=${session}`] : []), "--json"];
    const child = execFile(command, args, { cwd: workingFolder(ctx?.cwd), timeout: TIME_MS, signal, killSignal: "SIGKILL" }, (error, out, err) => {
      if (!error) settle(out.trim());
      else fail(error.killed ? `no answer within ${TIME_MS / 1000} s` : complaint(out, err) || String(error));
    });
    child.stdin?.end();
  });
}

function complaint(out: string, err: string): string {
  try {
    return (JSON.parse(out).error as { message: string }).message;
  } catch {
    return err.split("\n").find((line) => line.trim()) ?? ""; // no JSON came that far
  }
}
