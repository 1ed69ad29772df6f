/** The offline engine: `recollect observe` makes and shortens observations without a model. */
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { findCommand, NO_COMMAND, workingFolder } from "./command.ts";
import { type CompactEvent, type Context, Fallback, type SessionEntry } from "./types.ts";

export const PROVIDER = "recollect";
const TIME_MS = 120_000;
const OPENING_MS = 15_000;

/** Observations of these entries of the session; what `existing` says is not repeated. */
export async function observeOffline(entries: SessionEntry[], existing: string, mode: string, ctx: Context, signal?: AbortSignal): Promise<string> {
  if (!entries.length) throw new Fallback("pi names no entries to observe");
  const header = ctx.sessionManager?.getHeader?.() ?? { type: "session", version: 3, id: "compaction", cwd: ctx.cwd ?? homedir() };
  const known = existing ? [{ type: "compaction", id: "known", parentId: null, summary: existing }] : [];
  const lines = [header, ...known, ...entries].map((entry) => JSON.stringify(entry)).join("\n");
  const observed = (await run(["observe"], `${lines}\n`, ctx.cwd, signal, TIME_MS, mode === "auto" ? {} : { RECOLLECT_DISTIL__MODE: mode })).trim();
  if (!observed) throw new Fallback("nothing to observe was found offline");
  return observed;
}

export async function condenseOffline(observations: string, maxTokens: number, ctx: Context, signal?: AbortSignal): Promise<string> {
  return (await run(["observe", "--condense", "--max-tokens", String(maxTokens)], observations, ctx.cwd, signal)).trim();
}

/** What memory holds of other sessions, for a session that nobody opened; empty before the first night. */
export async function readOpening(maxTokens: number, ctx: Context, signal?: AbortSignal): Promise<string> {
  const answer = await run(["briefing", "--opening", "--json", "--max-tokens", String(maxTokens)], "", ctx.cwd, signal, OPENING_MS);
  return (JSON.parse(answer) as { text: string }).text.trim();
}

/** The entries that this compaction replaces: from the first that the one before kept, up to the first that is kept now. */
export function replacedEntries(event: CompactEvent): SessionEntry[] {
  const branch = event.branchEntries ?? [];
  const before = branch.findLastIndex((entry) => entry.type === "compaction");
  const keptBefore = (branch[before] as { firstKeptEntryId?: string } | undefined)?.firstKeptEntryId;
  const begin = before < 0 ? 0 : branch.findIndex((entry) => entry.id === keptBefore);
  const end = branch.findIndex((entry) => entry.id === event.preparation.firstKeptEntryId);
  const replaced = branch.slice(begin < 0 ? before + 1 : begin, end < 0 ? branch.length : end);
  return replaced.filter((entry) => entry.type !== "compaction");
}

function run(args: string[], input: string, cwd: string | undefined, signal?: AbortSignal, timeout = TIME_MS, settings: Record<string, string> = {}): Promise<string> {
  return new Promise((settle, fail) => {
    const command = findCommand();
    if (!command) {
      fail(new Fallback(NO_COMMAND));
      return;
    }
    const child = spawn(command, args, { cwd: workingFolder(cwd), stdio: ["pipe", "pipe", "pipe"], signal, timeout, killSignal: "SIGKILL", env: { ...process.env, ...settings } });
    const out: Buffer[] = [];
    let complaint = "";
    child.stdout.on("data", (data: Buffer) => out.push(data));
    child.stderr.on("data", (data: Buffer) => {
      complaint += data.toString();
    });
    child.stdin.on("error", () => undefined); // it may end before it has read everything; its exit code tells
    child.on("error", (error) => fail(new Fallback(signal?.aborted ? "it was cancelled" : `recollect: ${error.message}`)));
    child.on("close", (code) => {
      if (code === 0) settle(Buffer.concat(out).toString("utf8"));
      else fail(new Fallback(`recollect: ${complaint.split("\n").find((line) => line.trim()) ?? (code === null ? "no answer in time" : `exit code ${code}`)}`));
    });
    child.stdin.end(input);
  });
}
