/**
 * Long-term memory for pi: a briefing at the first turn, `recall` as a tool, distilling when the session closes.
 *
 * Everything is asked of the `recollect` command in processes of their own, with a time limit. Whatever goes wrong (no
 * command, no memory yet, a broken setting) is written to a log file and pi goes on as if the extension were not there.
 * Nothing is imported from pi, so that one file works in pi 0.73 and 1.5.
 */
import { execFile, spawn } from "node:child_process";
import {
  accessSync, appendFileSync, closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, statSync,
} from "node:fs";
import { constants as osConstants, homedir, setPriority } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const CUSTOM_TYPE = "recollect-briefing";
/** How long the first turn waits for a briefing that knows its request; then it takes what is there. */
const TURN_WAIT_MS = Number(process.env.RECOLLECT_PI_WAIT_MS) || 1_000;
const REQUEST_CHARS = 2_000;
/** Prompts of a session until one has facts: memory knows nothing about "hi", and a command that was too slow gave none. */
const MOST_PROMPTS = 3;
/** Not less than a turn waits. */
const BRIEFING_MS = Math.max(15_000, TURN_WAIT_MS);
const RECALL_MS = BRIEFING_MS;
const RECALL_TOKENS = 800;
const RECALL_HITS = 10;
const LOG_BYTES = 512 * 1024;
/** From `lib/python3.x/site-packages/recollect/extensions/pi` of an environment to the environment. */
const PACKAGED = ["..", "..", "..", "..", "..", ".."];

interface SessionManager {
  getCwd?(): string;
  getSessionFile?(): string | undefined;
  getBranch?(): Array<{ id?: string; type?: string; customType?: string; firstKeptEntryId?: string }>;
}

interface Context {
  cwd?: string;
  hasUI?: boolean;
  ui?: { notify?(message: string, type?: string): void };
  sessionManager?: SessionManager;
}

interface Tool {
  name: string;
  label: string;
  description: string;
  promptSnippet?: string;
  parameters: unknown;
  execute(id: string, params: RecallParams, signal?: AbortSignal, onUpdate?: unknown, ctx?: Context): Promise<ToolResult>;
}

interface ToolResult { content: Array<{ type: "text"; text: string }>; details: unknown }

interface Pi { on(name: string, handler: (event: any, ctx: Context) => unknown): void; registerTool?(tool: Tool): void }

interface RecallParams { question: string; project?: string; since?: string; until?: string; max_tokens?: number }

/** What a session is told; `problem` is what is wrong with memory and the next command, empty when nothing is. */
interface Opening { text: string; hasFacts: boolean; problem: string }

interface Done { ok: boolean; out: string; problem: string }

export default function recollect(pi: Pi): void {
  if (process.env.RECOLLECT_PI === "off") return;
  let preparing = new AbortController();
  let preparedAt = 0;
  let preparedText = "";
  let ending = new AbortController();
  let isTold = false;
  let promptsLeft = 0;
  let turnsLeft = 0;
  let isWarned = false;

  /** The person sees once a session what is wrong with memory, as soon as it is known; the session goes on without it. */
  function warn(problem: string, ctx: Context): void {
    if (!problem || isWarned) return;
    isWarned = true;
    notify(`memory is off: ${problem}`, "warning", ctx);
  }

  pi.on("session_start", (_event, ctx) => {
    isTold = wasTold(ctx);
    promptsLeft = isTold ? 0 : MOST_PROMPTS;
    turnsLeft = MOST_PROMPTS;
    isWarned = false;
    ending = new AbortController();
    preparing = new AbortController();
    preparedAt = Date.now();
    preparedText = "";
    if (isTold) return;
    void opening(cwdOf(ctx), "", preparing.signal).then(({ text, problem }) => {
      preparedText = text; // while the person types
      warn(problem, ctx);
    });
  });

  pi.on("before_agent_start", async (event, ctx) => {
    if (!isTold) isTold = wasTold(ctx);
    const request = promptsLeft > 0 ? String(event?.prompt ?? "").slice(0, REQUEST_CHARS) : "";
    promptsLeft = Math.max(0, promptsLeft - 1);
    if (isTold) {
      const facts = request.trim() ? await within(TURN_WAIT_MS, brief([`--request=${request}`], cwdOf(ctx), ending.signal)) : undefined;
      if (!facts?.hasFacts) return undefined;
      promptsLeft = 0;
      return { message: { customType: CUSTOM_TYPE, content: facts.text, display: false } };
    }
    if (turnsLeft === 0) return undefined; // a command that hangs costs no session more than a few seconds
    if (Date.now() - preparedAt < TURN_WAIT_MS) preparing.abort(); // nobody typed (`pi -p`): one process is faster than two
    const answer = await within(TURN_WAIT_MS, opening(cwdOf(ctx), request, ending.signal));
    const text = answer ? answer.text : late(preparedText, cwdOf(ctx));
    if (answer?.hasFacts) promptsLeft = 0;
    if (answer) warn(answer.problem, ctx);
    else turnsLeft -= 1;
    if (text === undefined) return undefined;
    isTold = true;
    if (!text) return undefined;
    nudge(text, ctx);
    return { message: { customType: CUSTOM_TYPE, content: text, display: false } };
  });

  pi.on("session_compact", (_event, ctx) => {
    isTold = wasTold(ctx);
    turnsLeft = MOST_PROMPTS;
  });

  pi.on("session_shutdown", (event, ctx) => {
    preparing.abort();
    ending.abort(); // pi does not wait for a briefing that nobody will read
    if (event?.reason === "reload") return; // the session goes on
    try {
      const file = ctx?.sessionManager?.getSessionFile?.();
      if (file && existsSync(file)) distil(resolve(file));
    } catch (error) {
      log(`session_shutdown: ${String(error)}`);
    }
  });

  try {
    pi.registerTool?.(recallTool());
  } catch (error) {
    log(`registerTool: ${String(error)}`);
  }
}

/** What the session reads first, with the empty text when there is nothing. Never rejects. */
async function opening(cwd: string, request: string, ending: AbortSignal): Promise<Opening> {
  const loaded = contextFiles(cwd).flatMap((file) => ["--loaded", file]);
  const about = request.trim() ? [`--request=${request}`] : [];
  return brief(["--opening", ...about, ...loaded], cwd, ending);
}

/** What `recollect briefing` prints, with the empty text when there is nothing. Never rejects. */
async function brief(options: string[], cwd: string, ending: AbortSignal): Promise<Opening> {
  const done = await run(["briefing", "--json", ...options], cwd, BRIEFING_MS, ending);
  if (!done.ok) {
    if (ending.aborted) return { text: "", hasFacts: false, problem: "" };
    log(`briefing: ${done.problem}`);
    return { text: "", hasFacts: false, problem: done.problem };
  }
  try {
    const { text, facts } = JSON.parse(done.out) as { text: string; facts?: boolean };
    return { text: text.trim(), hasFacts: facts === true, problem: "" };
  } catch (error) {
    log(`briefing: ${String(error)}`);
    return { text: "", hasFacts: false, problem: `the command answered nothing that is understood (${String(error)}); next: recollect doctor` };
  }
}

/** What is there at once when the command is too slow: the briefing without the request, else the page of the last night. */
function late(preparedText: string, cwd: string): string | undefined {
  const page = preparedText ? undefined : renderedPage(cwd);
  log(`briefing: not within ${TURN_WAIT_MS} ms; ${preparedText ? "given without the request" : page ? "given as last rendered" : "it comes with the next turn"}`);
  return preparedText || (page ? `<${CUSTOM_TYPE}>\n${page.trim()}\n</${CUSTOM_TYPE}>` : undefined);
}

/** The page that the last night rendered for the project of a folder, found as `recollect hook` finds it; undefined when there is none. */
function renderedPage(cwd: string): string | undefined {
  try {
    const memory = JSON.parse(readFileSync(notePath(), "utf8")) as { lake: string; workspace: string };
    const lake = process.env.RECOLLECT_LAKE ?? memory.lake;
    if (lake !== memory.lake) return undefined; // the note is of another memory
    const index = JSON.parse(readFileSync(join(lake, "_briefings.json"), "utf8")) as { projects: Record<string, string>; pages: Record<string, string> };
    const isInside = (folder: string, parent: string) => folder === parent || folder.startsWith(`${parent.replace(/\/+$/, "")}/`);
    // The home folder and those around it count for themselves alone, as in effects/system/known_folders.py.
    const around = Object.keys(index.projects).filter((folder) => isInside(cwd, folder) && (cwd === folder || !isInside(homedir(), folder)));
    const innermost = around.sort((one, other) => other.length - one.length)[0];
    return readFileSync(join(memory.workspace, index.pages[index.projects[innermost]]), "utf8");
  } catch {
    return undefined; // no note, no night yet, or a folder that no session was in
  }
}

/** The files that pi puts into its context by itself: they are not repeated in the briefing. */
function contextFiles(cwd: string): string[] {
  const folders = [process.env.PI_CODING_AGENT_DIR ?? join(homedir(), ".pi", "agent")];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder)) break;
  }
  return folders.flatMap((folder) => ["AGENTS.md", "CLAUDE.md"].map((name) => join(folder, name))).filter((file) => existsSync(file));
}

/** Whether this session has its briefing already: it was resumed, reloaded or forked. A compaction takes it away. */
function wasTold(ctx: Context): boolean {
  try {
    const branch = ctx?.sessionManager?.getBranch?.() ?? [];
    const compacted = branch.findLastIndex((entry) => entry?.type === "compaction");
    const kept = branch.findIndex((entry) => compacted >= 0 && entry?.id === branch[compacted]?.firstKeptEntryId);
    const context = branch.slice(Math.max(0, kept < 0 ? compacted : kept));
    return context.some((entry) => entry?.type === "custom_message" && entry.customType === CUSTOM_TYPE);
  } catch (error) {
    log(`getBranch: ${String(error)}`);
    return false;
  }
}

/** The person sees what waits for a decision; the briefing itself is for the model. */
function nudge(text: string, ctx: Context): void {
  const line = text.split("\n").find((one) => one.startsWith("📋"));
  if (line) notify(line, "info", ctx);
}

/** Shows a line where there is a screen. */
function notify(line: string, type: string, ctx: Context): void {
  if (!ctx?.hasUI) return;
  try {
    ctx.ui?.notify?.(line, type);
  } catch (error) {
    log(`notify: ${String(error)}`);
  }
}

/** Starts `recollect session FILE --closed` and forgets about it: it outlives pi and its terminal, and queues by itself. */
function distil(file: string): void {
  const command = binary();
  if (!command) return;
  const output = logHandle();
  const child = spawn(command, ["session", file, "--closed", "--direct"], {
    cwd: homedir(),
    detached: true,
    stdio: ["ignore", output ?? "ignore", output ?? "ignore"],
  });
  child.on("error", (error) => log(`session ${file}: ${String(error)}`));
  if (child.pid !== undefined) {
    try {
      setPriority(child.pid, osConstants.priority.PRIORITY_LOW);
    } catch {
      // It may be gone already; a normal priority does no harm.
    }
  }
  child.unref();
  if (output !== undefined) closeSync(output);
}

function recallTool(): Tool {
  return {
    name: "recall",
    label: "Recall",
    description:
      "Search long-term memory of earlier sessions: decisions, preferences, rules, root causes, what happened when. Ask before " +
      "asking the person what may have been said before, and before repeating an investigation. Gives an answer when the " +
      "evidence is there, then hits with id and date. What it says was true on its date; `superseded` names what replaced it.",
    promptSnippet: "Search long-term memory of earlier sessions",
    parameters: {
      type: "object",
      properties: {
        question: { type: "string", description: "A question, or words, names, paths, error texts" },
        project: { type: "string", description: "Name or path of a project, or `all`; default: this one, and what holds everywhere" },
        since: { type: "string", description: "First day, YYYY-MM-DD" },
        until: { type: "string", description: "Last day, included" },
        max_tokens: { type: "number", description: `Most tokens of the result; default ${RECALL_TOKENS}` },
      },
      required: ["question"],
    },
    async execute(_id, params, signal, _onUpdate, ctx) {
      const budget = Math.max(100, Math.floor(params.max_tokens ?? RECALL_TOKENS));
      const options = ["--lines", "--max-tokens", String(budget), "-k", String(RECALL_HITS)];
      for (const [name, value] of [["--project", params.project], ["--since", params.since], ["--until", params.until]] as const) {
        if (value) options.push(`${name}=${value}`);
      }
      const done = await run(["ask", ...options, "--", params.question], cwdOf(ctx), RECALL_MS, signal);
      if (!done.ok) {
        log(`ask: ${done.problem}`);
        throw new Error(`memory could not be asked: ${done.problem}`);
      }
      // By these tags the pipeline knows its own words and never observes them again; nothing that was said ends the block.
      const text = `<recollect-recall>\n${done.out.trim().replace(/<(\/?recollect)/g, "‹$1")}\n</recollect-recall>`;
      return { content: [{ type: "text", text }], details: {} };
    },
  };
}

/** Runs the command; what went wrong is in `problem`, in one line. Never rejects, never hangs. */
function run(args: string[], cwd: string, timeout: number, signal?: AbortSignal): Promise<Done> {
  return new Promise((settle) => {
    const command = binary();
    if (!command) return settle({ ok: false, out: "", problem: noCommand() });
    const options = { cwd: existsSync(cwd) ? cwd : homedir(), timeout, signal, killSignal: "SIGKILL" as const, maxBuffer: 8 * 1024 * 1024 };
    try {
      const child = execFile(command, args, options, (error, out, err) => {
        const reason = error?.killed ? `no answer within ${timeout / 1000} s` : complaint(out, err) || String(error);
        settle({ ok: !error, out, problem: error ? reason.slice(0, 400) : "" });
      });
      child.stdin?.end();
    } catch (error) {
      settle({ ok: false, out: "", problem: String(error) });
    }
  });
}

/** What the command says about its failure: with --json an object on stdout, otherwise a line on stderr. */
function complaint(out: string, err: string): string {
  try {
    const { message, hint } = JSON.parse(out).error as { message: string; hint?: string };
    return hint ? `${message}; next: ${hint}` : message;
  } catch {
    const lines = (err.trim() || out.trim()).replace(/^recollect: /, "").replace(/\n\s*next: /, "; next: ").split("\n"); // no JSON was asked for
    return (lines[0].startsWith("Traceback ") ? lines.at(-1) : lines[0]) ?? ""; // the last line of Python tells what it is about
  }
}

/** The value when it is there in time. The timer does not keep pi alive. */
function within<T>(ms: number, value: Promise<T>): Promise<T | undefined> {
  return new Promise((settle) => {
    const timer = setTimeout(() => settle(undefined), ms);
    value.then((found) => {
      clearTimeout(timer);
      settle(found);
    });
  });
}

/** `RECOLLECT_BIN`, else the environment of the repository or of the package this file lies in (also through a link), else the PATH. */
function binary(): string | undefined {
  const named = process.env.RECOLLECT_BIN;
  const own = ownFolder();
  const candidates = named ? [named] : own ? [join(own, "..", "..", ".venv", "bin", "recollect"), join(own, ...PACKAGED, "bin", "recollect")] : [];
  const onPath = named ? [] : (process.env.PATH ?? "").split(delimiter).filter(Boolean).map((folder) => join(folder, "recollect"));
  const found = [...candidates, ...onPath].find(isProgram);
  if (!found) log(noCommand());
  return found;
}

function noCommand(): string {
  const named = process.env.RECOLLECT_BIN;
  return named ? `RECOLLECT_BIN: ${named} is not a program` : "there is no `recollect` command: set RECOLLECT_BIN or put it on the PATH";
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, or not for us: the next candidate may be
  }
}

function ownFolder(): string | undefined {
  try {
    return dirname(realpathSync(fileURLToPath(import.meta.url)));
  } catch {
    return undefined; // a loader without import.meta: RECOLLECT_BIN or the PATH decide
  }
}

function cwdOf(ctx?: Context): string {
  return ctx?.cwd ?? ctx?.sessionManager?.getCwd?.() ?? process.cwd();
}

function logPath(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "recollect", "pi.log");
}

/** Where `effects/opening/memory_note.py` says which lake and workspace are this user's. */
function notePath(): string {
  return join(dirname(logPath()), "memory.json");
}

function log(message: string): void {
  try {
    makeLogFolder();
    appendFileSync(logPath(), `${new Date().toISOString()} ${process.pid} ${message}\n`);
  } catch {} // a log that cannot be written must not disturb the session
}

function logHandle(): number | undefined {
  try {
    makeLogFolder();
    return openSync(logPath(), "a");
  } catch {
    return undefined;
  }
}

function makeLogFolder(): void {
  mkdirSync(dirname(logPath()), { recursive: true });
  if (existsSync(logPath()) && statSync(logPath()).size > LOG_BYTES) renameSync(logPath(), `${logPath()}.old`);
}
