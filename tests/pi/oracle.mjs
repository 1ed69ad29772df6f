// node oracle.mjs PACKAGE-ENTRY < one session path a line; prints one JSON line each: what pi itself makes of the session.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
const pi = await import(pathToFileURL(process.argv[2]).href);

const project = (entry) => {
  if (entry.type === "message") return entry.message;
  if (entry.type === "custom_message") return { role: "custom", content: entry.content };
  if (entry.type === "branch_summary" && entry.summary) return { role: "branchSummary", summary: entry.summary };
  if (entry.type === "compaction") return { role: "compactionSummary", summary: entry.summary };
};

for await (const path of createInterface({ input: process.stdin })) {
  const lines = pi.parseSessionEntries(readFileSync(path, "utf8"));
  pi.migrateSessionEntries(lines);
  const messages = lines.filter((entry) => entry.type !== "session").map(project).filter(Boolean);
  const text = pi.serializeConversation(pi.convertToLlm(messages));
  console.log(JSON.stringify({
    path,
    sha256: createHash("sha256").update(text, "utf8").digest("hex"),
    bytes: Buffer.byteLength(text),
    estimates: messages.map((message) => pi.estimateTokens(message)),
    ...(process.argv[3] === "--text" ? { text } : {}),
  }));
}
