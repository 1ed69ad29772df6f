// Reads pairs of memory.json contents, one JSON line each; prints their merge and their problems, as config.ts makes them.
import { createInterface } from "node:readline";
const { checkFile, completeConfig, mergeFiles } = await import(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const problems = [];
  const [base, over] = JSON.parse(line).map((value, at) => checkFile(value, ["global", "project"][at], problems));
  console.log(JSON.stringify({ merged: completeConfig(mergeFiles(base, over)), problems }));
}
