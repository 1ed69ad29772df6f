// Reads lists of messages, one JSON line each; prints the pieces of each, as observer.ts makes them for a model.
import { createInterface } from "node:readline";
const { serializeMessages } = await import(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const { messages, threshold } = JSON.parse(line);
  console.log(JSON.stringify(serializeMessages(messages, threshold)));
}
