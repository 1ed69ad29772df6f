/**
 * Observational memory: a compaction keeps dated observations instead of a summary, and tiers keep the context small before it.
 *
 * Off unless `--memory`, `PI_MEMORY=1` or a memory.json asks for it. Whatever goes wrong, pi goes on as ever and says why.
 * Nothing is imported from pi, so that it works in pi 0.73 and 1.5.
 */
import { applyBlocks, entryMessage, messageKey, readBlocks } from "./blocks.ts";
import { completeConfig, loadMemoryConfig, roleModel } from "./config.ts";
import { MODES } from "./modes.ts";
import { ask, buildObserverPrompt, estimateTokens, localTime, parseObservations, serializeMessages } from "./observer.ts";
import { condenseOffline, observeOffline, PROVIDER, readOpening, replacedEntries } from "./offline.ts";
import { runReflector } from "./reflector.ts";
import { openTiers, type Tiers } from "./tiers.ts";
import { type CompactEvent, type Context, type ContextConfig, Fallback, type MemoryConfig, type MemoryFile, type Message, type Pi, type SessionEntry } from "./types.ts";

const STATUS = "memory";
/** The reflector leaves room for the next compactions. */
const REFLECTED_SHARE = 0.5;

export default function observationalMemory(pi: Pi): void {
  pi.registerFlag("memory", { description: "Enable observational memory compaction", type: "boolean", default: false });
  pi.registerFlag("memory-tiers", { description: "With observational memory: older messages become observations", type: "boolean", default: false });
  let file: MemoryFile | null = null;
  let isActive = false;
  let tiers: Tiers | undefined;
  let tierConfig: ContextConfig | undefined;

  pi.on("session_start", (_event, ctx) => {
    const loaded = loadMemoryConfig(ctx.cwd ?? process.cwd(), ctx.isProjectTrusted?.() ?? true);
    file = loaded.file;
    const isTiered = pi.getFlag("memory-tiers") === true;
    isActive = isTiered || pi.getFlag("memory") === true || process.env.PI_MEMORY === "1" || (file !== null && file.enabled !== false);
    for (const problem of loaded.problems) notify(ctx, `Observational memory: ${problem}`, "warning");
    tiers?.close();
    tiers = undefined;
    if (!isActive) return;
    tierConfig = completeConfig(file).context;
    if (isTiered || tierConfig.enabled) tiers = openTiers(pi, makeCompressor(() => file));
    showStatus(ctx, "OM");
    notify(ctx, "Observational memory compaction enabled", "info");
  });

  pi.on("context", async (event: { messages: Message[] }, ctx) => {
    if (!tiers || !tierConfig) return undefined;
    return { messages: await tiers.build(event.messages, tierConfig, ctx) };
  });

  pi.on("session_shutdown", () => {
    tiers?.close();
    tiers = undefined;
  });

  pi.on("session_before_compact", async (event: CompactEvent, ctx) => {
    if (!isActive) return undefined;
    const config = completeConfig(file);
    try {
      showStatus(ctx, "OM …");
      const summary = await observe(event, config, file, ctx);
      const observationTokens = estimateTokens(summary);
      showStatus(ctx, `OM ${observationTokens}`);
      const { firstKeptEntryId, tokensBefore } = event.preparation;
      return { compaction: { summary, firstKeptEntryId, tokensBefore, details: { type: "observational-memory", observationTokens } } };
    } catch (error) {
      showStatus(ctx, "OM");
      if (event.signal?.aborted) return undefined;
      notify(ctx, `Observational memory: ${reasonOf(error)}; falling back to default compaction`, "warning");
      return undefined;
    }
  });
}

/** The observations after this compaction: the existing ones first, then the new ones; consolidated when they are too long. */
async function observe(event: CompactEvent, config: MemoryConfig, file: MemoryFile | null, ctx: Context): Promise<string> {
  const { messagesToSummarize, turnPrefixMessages, previousSummary } = event.preparation;
  // What the tiers observed already is not observed again.
  const { session, working } = applyBlocks([...messagesToSummarize, ...(turnPrefixMessages ?? [])], readBlocks(event.branchEntries ?? []), 0);
  let observations = session.reduce((known, block) => join(known, block.observations), previousSummary?.trim() ?? "");
  if (working.length || !session.length) {
    observations = join(observations, await observeMessages(working, replacedEntries(event), observations, file, ctx, event.customInstructions, event.signal));
  }
  const threshold = config.reflector.observationTokenThreshold;
  if (estimateTokens(observations) <= threshold) return observations;
  return reflect(observations, threshold, file, ctx, event.signal);
}

/** New observations of these messages, which are among the entries. */
async function observeMessages(
  messages: Message[], entries: SessionEntry[], existing: string, file: MemoryFile | null, ctx: Context, focus?: string, signal?: AbortSignal,
): Promise<string> {
  const observer = roleModel("observer", file);
  const { mode, messageTokenThreshold } = completeConfig(file).observer;
  if (observer.provider === PROVIDER) return observeOffline(selectEntries(entries, messages), existing, mode, ctx, signal);
  const pieces = serializeMessages(messages, messageTokenThreshold);
  if (!pieces.length) throw new Fallback("there is nothing to observe");
  const day = localTime(messages.at(-1)?.timestamp ?? Date.now()).slice(0, 10);
  let observed = "";
  for (const piece of pieces) {
    const prompt = buildObserverPrompt(piece, join(existing, observed), [MODES[mode], focus].filter(Boolean).join("; "));
    observed = join(observed, parseObservations(await ask(prompt, observer, ctx, signal), day));
  }
  return observed;
}

/** The entries from the first to the last of these messages; all of them when the messages name none. */
function selectEntries(entries: SessionEntry[], messages: Message[]): SessionEntry[] {
  const keys = new Set(messages.map(messageKey));
  const places = entries.flatMap((entry, at) => {
    const message = entryMessage(entry);
    return message && keys.has(messageKey(message)) ? [at] : [];
  });
  return places.length ? entries.slice(places[0], places[places.length - 1] + 1) : entries;
}

/** A reflection that fails loses nothing: the observations stay as they are. */
async function reflect(observations: string, threshold: number, file: MemoryFile | null, ctx: Context, signal?: AbortSignal): Promise<string> {
  try {
    const { text, problem } = await condense(observations, Math.floor(threshold * REFLECTED_SHARE), file, ctx, signal);
    if (problem) notify(ctx, `Observational memory: ${problem}; they stay as they are`, "warning");
    return text;
  } catch (error) {
    if (signal?.aborted) throw error;
    notify(ctx, `Observational memory: ${reasonOf(error)}; the observations stay as they are`, "warning");
    return observations;
  }
}

async function condense(
  observations: string, maxTokens: number, file: MemoryFile | null, ctx: Context, signal?: AbortSignal,
): Promise<{ text: string; problem: string }> {
  const reflector = roleModel("reflector", file);
  if (reflector.provider === PROVIDER) return { text: await condenseOffline(observations, Math.max(1, maxTokens), ctx, signal), problem: "" };
  return runReflector(observations, Math.max(1, maxTokens), reflector, ctx, localTime(Date.now()).slice(0, 10), signal);
}

function makeCompressor(file: () => MemoryFile | null): Parameters<typeof openTiers>[1] {
  return {
    observe: (messages, existing, ctx, signal) => observeMessages(messages, ctx.sessionManager?.getBranch?.() ?? [], existing, file(), ctx, undefined, signal),
    condense: async (observations, maxTokens, ctx, signal) => (await condense(observations, maxTokens, file(), ctx, signal)).text,
    readOpening,
    warn: (ctx, problem) => notify(ctx, `Observational memory: ${problem}; older messages stay as they are`, "warning"),
    show: showStatus,
  };
}

function join(existing: string, fresh: string): string {
  return existing && fresh ? `${existing}\n\n${fresh}` : existing || fresh;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A message for the person; without a screen a warning goes to stderr, so that it is seen in print mode too. */
function notify(ctx: Context, message: string, type: "info" | "warning"): void {
  if (!ctx.hasUI && type === "warning") process.stderr.write(`${message}\n`);
  try {
    ctx.ui?.notify?.(message, type);
  } catch {
    // A mode without notices; the line above told it.
  }
}

function showStatus(ctx: Context, text: string): void {
  try {
    ctx.ui?.setStatus?.(STATUS, ctx.ui.theme?.fg ? ctx.ui.theme.fg("accent", text) : text);
  } catch {
    // Print mode has no footer.
  }
}
