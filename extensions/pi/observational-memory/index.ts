/**
 * Observational memory: a compaction keeps dated observations instead of a summary.
 *
 * Off unless `--memory`, `PI_MEMORY=1` or a memory.json asks for it. Whatever goes wrong, pi compacts as ever and says why.
 * Nothing is imported from pi, so that it works in pi 0.73 and 1.5.
 */
import { completeConfig, loadMemoryConfig, roleModel } from "./config.ts";
import { ask, buildObserverPrompt, estimateTokens, localTime, parseObservations, serializeMessages } from "./observer.ts";
import { condenseOffline, observeOffline, PROVIDER } from "./offline.ts";
import { runReflector } from "./reflector.ts";
import { type CompactEvent, type Context, Fallback, type MemoryConfig, type MemoryFile, type Pi } from "./types.ts";

const STATUS = "memory";
/** The offline reflector leaves room for the next compactions. */
const OFFLINE_SHARE = 0.5;

export default function observationalMemory(pi: Pi): void {
  pi.registerFlag("memory", { description: "Enable observational memory compaction", type: "boolean", default: false });
  let file: MemoryFile | null = null;
  let isActive = false;

  pi.on("session_start", (_event, ctx) => {
    const loaded = loadMemoryConfig(ctx.cwd ?? process.cwd(), ctx.isProjectTrusted?.() ?? true);
    file = loaded.file;
    isActive = pi.getFlag("memory") === true || process.env.PI_MEMORY === "1" || (file !== null && file.enabled !== false);
    for (const problem of loaded.problems) notify(ctx, `Observational memory: ${problem}`, "warning");
    if (!isActive) return;
    showStatus(ctx, "OM");
    notify(ctx, "Observational memory compaction enabled", "info");
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
      const reason = error instanceof Error ? error.message : String(error);
      notify(ctx, `Observational memory: ${reason}; falling back to default compaction`, "warning");
      return undefined;
    }
  });
}

/** The observations after this compaction: the existing ones first, then the new ones; consolidated when they are too long. */
async function observe(event: CompactEvent, config: MemoryConfig, file: MemoryFile | null, ctx: Context): Promise<string> {
  const { messagesToSummarize, turnPrefixMessages, previousSummary } = event.preparation;
  const messages = [...messagesToSummarize, ...(turnPrefixMessages ?? [])];
  let observations = previousSummary?.trim() ?? "";
  const observer = roleModel("observer", file);
  const day = localTime(messages.at(-1)?.timestamp ?? Date.now()).slice(0, 10);
  if (observer.provider === PROVIDER) {
    observations = join(observations, await observeOffline(event, observations, ctx));
  } else {
    const pieces = serializeMessages(messages, config.observer.messageTokenThreshold);
    if (!pieces.length) throw new Fallback("there is nothing to observe");
    for (const piece of pieces) {
      const prompt = buildObserverPrompt(piece, observations, event.customInstructions);
      observations = join(observations, parseObservations(await ask(prompt, observer, ctx, event.signal), day));
    }
  }
  const threshold = config.reflector.observationTokenThreshold;
  if (estimateTokens(observations) <= threshold) return observations;
  return reflect(observations, threshold, file, ctx, day, event.signal);
}

/** A reflection that fails loses nothing: the observations stay as they are. */
async function reflect(
  observations: string, threshold: number, file: MemoryFile | null, ctx: Context, day: string, signal?: AbortSignal,
): Promise<string> {
  const reflector = roleModel("reflector", file);
  try {
    if (reflector.provider === PROVIDER) {
      return await condenseOffline(observations, Math.max(1, Math.floor(threshold * OFFLINE_SHARE)), ctx, signal);
    }
    const { text, problem } = await runReflector(observations, reflector, ctx, day, signal);
    if (problem) notify(ctx, `Observational memory: ${problem}; they stay as they are`, "warning");
    return text;
  } catch (error) {
    if (signal?.aborted) throw error;
    notify(ctx, `Observational memory: ${error instanceof Error ? error.message : String(error)}; the observations stay as they are`, "warning");
    return observations;
  }
}

function join(existing: string, fresh: string): string {
  return existing ? `${existing}\n\n${fresh}` : fresh;
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
