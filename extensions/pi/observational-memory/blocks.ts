/** Blocks: observations that stand for older messages of a session. They are entries of the session file, so they last as long as it. */
import { estimateTokens } from "./observer.ts";
import type { Message, Part, SessionEntry } from "./types.ts";

export const BLOCK_TYPE = "recollect-context";
/** The message with which `recollect.ts` opens a session; its text comes from memory. */
export const OPENING_TYPE = "recollect-briefing";
export const SUMMARY_ROLE = "compactionSummary";

export interface Block {
  id: string;
  sessionId: string;
  createdAt: string;
  tier: "session" | "cross-session";
  observations: string;
  /** The first and the last message that it stands for (`messageKey`). */
  sourceMessageRange: [string, string];
  messageCount: number;
  estimatedTokens: number;
  /** Blocks whose place a condensed one takes. */
  replaces: string[];
}

/** What the model gets, and how much of each tier. */
export interface TieredContext {
  messages: Message[];
  working: Message[];
  session: Block[];
  hasOpening: boolean;
}

/** A name that a message keeps through resumes, forks and compactions. */
export function messageKey(message: Message): string {
  return [message.role, message.timestamp, message.toolCallId ?? message.customType ?? ""].join(":");
}

/** The message of an entry as the context has it; undefined for entries that the model never sees. */
export function entryMessage(entry: SessionEntry): Message | undefined {
  if (entry.type === "message") return entry.message;
  if (entry.type === "custom_message") return { role: "custom", customType: entry.customType, timestamp: Date.parse(entry.timestamp ?? "") };
  if (entry.type === "branch_summary") return { role: "branchSummary", timestamp: Date.parse(entry.timestamp ?? "") };
  return undefined;
}

/** Tokens of a message as pi estimates them. */
export function countTokens(message: Message): number {
  return estimateTokens(textOf(message.content) + (message.summary ?? "") + (message.command ?? "") + (message.output ?? ""));
}

/** The blocks of a branch that hold now, in their order, with those that `waiting` will add. */
export function readBlocks(branch: SessionEntry[], waiting: Block[] = []): Block[] {
  let blocks: Block[] = [];
  const kept = branch.filter((entry) => entry.type === "custom" && entry.customType === BLOCK_TYPE).map((entry) => entry.data);
  for (const block of [...kept.filter(isBlock), ...waiting]) {
    const at = blocks.findIndex((one) => block.replaces.includes(one.id));
    const others = blocks.filter((one) => !block.replaces.includes(one.id));
    blocks = at < 0 ? [...others, block] : [...others.slice(0, at), block, ...others.slice(at)];
  }
  return blocks;
}

/**
 * The messages with the blocks in the place of what they stand for: a summary of pi, the opening, the blocks, the recent messages.
 *
 * A block whose last message a compaction took away is in pi's summary. Whatever stands before the recent messages is the same from
 * turn to turn, byte for byte, until a block is added behind it.
 */
export function applyBlocks(messages: Message[], blocks: Block[], openingTokens: number): TieredContext {
  const places = new Map(messages.map((message, at) => [messageKey(message), at]));
  const session = blocks.filter((block) => block.tier === "session" && places.has(block.sourceMessageRange[1]));
  const end = Math.max(-1, ...session.map((block) => places.get(block.sourceMessageRange[1]) ?? -1)) + 1;
  const covered = messages.slice(0, end);
  const working = messages.slice(end);
  const summaries = covered.filter((message) => message.role === SUMMARY_ROLE);
  const told = covered.filter((message) => message.customType === OPENING_TYPE).map((message) => shorten(message, openingTokens));
  const own = session.length ? blocks.filter((block) => block.tier === "cross-session").slice(-1).map(blockMessage) : [];
  const opening = told.length ? told : own;
  return {
    messages: [...summaries, ...opening, ...session.map(blockMessage), ...working],
    working: working.filter((message) => message.role !== SUMMARY_ROLE),
    session,
    hasOpening: opening.length > 0 || messages.some((message) => message.customType === OPENING_TYPE),
  };
}

/** The oldest messages, `size` or a few more: a result of a tool stays with its call. Empty when nothing newer would be left. */
export function chooseChunk(working: Message[], size: number): Message[] {
  let end = size;
  while (end < working.length && working[end].role === "toolResult") end += 1;
  return end < working.length ? working.slice(0, end) : [];
}

function blockMessage(block: Block): Message {
  const [tag, head] =
    block.tier === "session"
      ? ["recollect-observations", "Earlier messages of this session, as dated observations. The conversation goes on below."]
      : ["", ""];
  const text = tag ? `<${tag}>\n${head}\n\n${block.observations}\n</${tag}>` : block.observations;
  return { role: "user", content: [{ type: "text", text }], timestamp: Date.parse(block.createdAt) };
}

/** An opening within its tier; a longer one ends at a line, with its tags closed. */
function shorten(message: Message, tokens: number): Message {
  const text = textOf(message.content);
  if (estimateTokens(text) <= tokens) return message;
  const kept = text.slice(0, text.lastIndexOf("\n", tokens * 4));
  return { ...message, content: `${kept}\n</${OPENING_TYPE}>` };
}

function textOf(content: string | Part[] | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? part.thinking ?? (part.name ? part.name + JSON.stringify(part.arguments ?? {}) : "")).join("");
}

function isBlock(data: unknown): data is Block {
  const block = data as Block | undefined;
  return typeof block?.observations === "string" && Array.isArray(block.sourceMessageRange) && Array.isArray(block.replaces);
}
