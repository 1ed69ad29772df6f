/**
 * Context tiers: recent messages as they are, older ones of this session as observations, other sessions as the opening.
 *
 * Compression runs in the background and the next request takes what is ready. Without a model nothing is compressed: the context
 * grows as ever, and pi's own compaction comes when it is full.
 */
import { randomUUID } from "node:crypto";
import { applyBlocks, type Block, BLOCK_TYPE, chooseChunk, countTokens, messageKey, readBlocks, SUMMARY_ROLE, type TieredContext } from "./blocks.ts";
import { estimateTokens } from "./observer.ts";
import type { Context, ContextConfig, Message, Pi } from "./types.ts";

/** Compression begins at this share of the working tier, so that it is done when the tier is full. */
const BUFFER_SHARE = 0.8;

/** What the tiers need of the extension: its observer, its reflector, the opening of memory, and a place for messages. */
export interface Compressor {
  observe(messages: Message[], existing: string, ctx: Context, signal: AbortSignal): Promise<string>;
  condense(observations: string, maxTokens: number, ctx: Context, signal: AbortSignal): Promise<string>;
  readOpening(maxTokens: number, ctx: Context, signal: AbortSignal): Promise<string>;
  warn(ctx: Context, problem: string): void;
  show(ctx: Context, text: string): void;
}

export interface Tiers {
  /** The messages of the next request. Waits only above `blockAfterTokens`. */
  build(messages: Message[], config: ContextConfig, ctx: Context): Promise<Message[]>;
  /** Keeps what is ready and ends what is not: the raw messages are in the session file. */
  close(): void;
}

export function openTiers(pi: Pi, compressor: Compressor): Tiers {
  let ready: Block[] = [];
  let job: Promise<void> | undefined;
  let retryAt = 0;
  const ending = new AbortController();

  function look(messages: Message[], config: ContextConfig, ctx: Context, waiting: Block[] = []): TieredContext {
    return applyBlocks(messages, readBlocks(ctx.sessionManager?.getBranch?.() ?? [], waiting), config.crossSessionTierMaxTokens);
  }

  function keep(blocks: Block[]): void {
    for (const block of blocks) pi.appendEntry?.(BLOCK_TYPE, block);
  }

  /** Takes what is ready, once the working tier is full: until then the prompt stays as it was. */
  function activate(messages: Message[], config: ContextConfig, ctx: Context): TieredContext {
    const present = look(messages, config, ctx);
    if (!ready.length || (count(present.working) <= config.workingTierMaxTokens && !ready.some((block) => block.replaces.length))) return present;
    const keys = new Set(messages.map(messageKey));
    keep(ready.filter((block) => block.tier === "cross-session" || keys.has(block.sourceMessageRange[1])));
    ready = [];
    return look(messages, config, ctx);
  }

  function start(work: () => Promise<Block[]>, messages: Message[], config: ContextConfig, ctx: Context): void {
    job = work()
      .then((blocks) => void (ready = [...ready, ...blocks]))
      .catch((error: unknown) => {
        retryAt = messages.length + config.chunkSize;
        if (!ending.signal.aborted) compressor.warn(ctx, error instanceof Error ? error.message : String(error));
      })
      .finally(() => (job = undefined));
  }

  /** Compresses the oldest messages when the working tier fills up, and the observations when they grow too long. */
  function compress(messages: Message[], config: ContextConfig, ctx: Context): void {
    if (messages.length < retryAt - config.chunkSize) retryAt = 0; // a compaction made the context short
    if (job || messages.length < retryAt) return;
    const { session, working, hasOpening } = look(messages, config, ctx, ready);
    const bound = config.workingTierMaxTokens * (config.asyncBuffer ? BUFFER_SHARE : 1);
    const chunk = count(working) > bound ? chooseChunk(working, config.chunkSize) : [];
    if (chunk.length) {
      const summaries = messages.filter((message) => message.role === SUMMARY_ROLE).map((message) => message.summary ?? "");
      const existing = [...summaries, ...session.map((block) => block.observations)].join("\n\n");
      start(async () => {
        const needsOpening = !hasOpening && !session.length;
        const [observations, opening] = await Promise.all([
          compressor.observe(chunk, existing, ctx, ending.signal),
          needsOpening ? compressor.readOpening(config.crossSessionTierMaxTokens, ctx, ending.signal).catch(() => "") : "",
        ]);
        const blocks = [makeBlock("session", observations, chunk, ctx)];
        return opening ? [makeBlock("cross-session", opening, [], ctx), ...blocks] : blocks;
      }, messages, config, ctx);
      return;
    }
    const size = session.reduce((sum, block) => sum + block.estimatedTokens, 0);
    if (size > config.sessionTierMaxTokens && session.length > 1) start(() => condense(session, size, config, ctx), messages, config, ctx);
  }

  async function condense(session: Block[], size: number, config: ContextConfig, ctx: Context): Promise<Block[]> {
    const whole = session.map((block) => block.observations).join("\n\n");
    const observations = await compressor.condense(whole, Math.floor(config.sessionTierMaxTokens / 2), ctx, ending.signal);
    if (estimateTokens(observations) >= size) throw new Error("the session's observations could not be made shorter; they stay as they are");
    const block = makeBlock("session", observations, [], ctx);
    block.sourceMessageRange = [session[0].sourceMessageRange[0], session.at(-1)!.sourceMessageRange[1]];
    block.messageCount = session.reduce((sum, one) => sum + one.messageCount, 0);
    block.replaces = session.map((one) => one.id);
    return [block];
  }

  return {
    async build(messages, config, ctx) {
      let context = activate(messages, config, ctx);
      compress(messages, config, ctx);
      if (config.blockAfterTokens > 0 && job && count(context.working) > config.blockAfterTokens) {
        await job;
        context = activate(messages, config, ctx);
      }
      const session = context.session.reduce((sum, block) => sum + block.estimatedTokens, 0);
      compressor.show(ctx, `OM ${short(count(context.working))}+${short(session)}`);
      return context.messages;
    },
    close() {
      ending.abort();
      keep(ready);
      ready = [];
    },
  };
}

function makeBlock(tier: Block["tier"], observations: string, messages: Message[], ctx: Context): Block {
  const keys = messages.map(messageKey);
  return {
    id: `obs_${randomUUID()}`,
    sessionId: ctx.sessionManager?.getSessionId?.() ?? "",
    createdAt: new Date().toISOString(),
    tier,
    observations,
    sourceMessageRange: [keys[0] ?? "", keys.at(-1) ?? ""],
    messageCount: messages.length,
    estimatedTokens: estimateTokens(observations),
    replaces: [],
  };
}

function count(messages: Message[]): number {
  return messages.reduce((sum, message) => sum + countTokens(message), 0);
}

function short(tokens: number): string {
  return tokens < 1000 ? String(tokens) : `${(tokens / 1000).toFixed(1)}k`;
}
