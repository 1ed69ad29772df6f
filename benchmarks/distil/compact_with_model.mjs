// Runs compactions through the pi extension itself, with files in place of a model: see compaction_model.py.
// argv: the extension's folder, the folder of requests and answers. stdin: one JSON line per compaction, in order;
// stdout: one JSON line per compaction with the observations as they came, and consolidated to the wanted size.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [extension, folder] = process.argv.slice(2);
const POLL_MS = 500;
const REST_MS = 2_000;
const DAY_CHARS = 10;
for (const name of ["requests", "answers"]) mkdirSync(join(folder, name), { recursive: true });

/** Writes the prompt to a file and waits until a reader has written an answer that no longer grows. */
async function complete(model, { messages }) {
  const prompt = messages[0].content[0].text;
  const name = `${model.id}-${createHash("sha256").update(prompt).digest("hex").slice(0, 12)}`;
  const request = join(folder, "requests", `${name}.md`);
  if (!existsSync(request)) {
    writeFileSync(`${request}.new`, prompt);
    renameSync(`${request}.new`, request);
  }
  const answer = join(folder, "answers", `${name}.txt`);
  let last = "";
  for (;;) {
    const text = existsSync(answer) ? readFileSync(answer, "utf8") : "";
    if (text && text === last) return { content: [{ type: "text", text }], stopReason: "stop" };
    last = text;
    await new Promise((settle) => setTimeout(settle, text ? REST_MS : POLL_MS));
  }
}

const modelRegistry = { find: (provider, id) => ({ provider, id }), complete };
const role = (name) => ({ role: name, provider: "reader", model: name, temperature: 0, maxOutputTokens: 100_000, isChosen: true });
const cwd = mkdtempSync(join(tmpdir(), "compaction-"));
process.env.PI_CODING_AGENT_DIR = cwd;
const config = {
  observer: { provider: "reader", model: "observe" },
  reflector: { provider: "reader", model: "reflect", observationTokenThreshold: 1_000_000 },
};
writeFileSync(join(cwd, "memory.json"), JSON.stringify(config));

const handlers = {};
const { default: start } = await import(join(extension, "index.ts"));
start({ registerFlag() {}, getFlag: () => true, on: (name, handler) => { handlers[name] = handler; } });
const ctx = { cwd, hasUI: true, modelRegistry, ui: { notify: (message, type) => type === "warning" && process.stderr.write(`${message}\n`) } };
handlers.session_start({}, ctx);
const { runReflector } = await import(join(extension, "reflector.ts"));
const { estimateTokens } = await import(join(extension, "observer.ts"));

for await (const line of createInterface({ input: process.stdin })) {
  const { messages, known, maxTokens, firstKeptEntryId } = JSON.parse(line);
  const preparation = { messagesToSummarize: messages, previousSummary: known, firstKeptEntryId, tokensBefore: 0 };
  const answer = await handlers.session_before_compact({ preparation, branchEntries: [] }, ctx);
  if (!answer) throw new Error("the extension left this compaction to pi");
  const observed = answer.compaction.summary;
  const day = new Date(messages.at(-1)?.timestamp ?? 0).toISOString().slice(0, DAY_CHARS);
  const fitted = estimateTokens(observed) <= maxTokens
    ? { text: observed, problem: "" }
    : await runReflector(observed, maxTokens, { ...role("reflector"), model: "reflect" }, ctx, day);
  console.log(JSON.stringify({ observed, fitted: fitted.text, problem: fitted.problem }));
}
