/** The settings of observational memory, and as much of pi's interfaces as it uses (pi 0.73 and 1.5 have all of it). */

export interface ObserverConfig {
  /** A name of `MODES`. */
  mode: string;
  model: string;
  provider: string;
  /** A longer conversation is observed in pieces of this many tokens, because a model overlooks details of a long one. */
  messageTokenThreshold: number;
  temperature: number;
  maxOutputTokens: number;
}

export interface ReflectorConfig {
  model: string;
  provider: string;
  /** Observations above this many tokens are consolidated. */
  observationTokenThreshold: number;
  temperature: number;
  maxOutputTokens: number;
}

/** The tiers of the context, in tokens (tiers.ts). */
export interface ContextConfig {
  enabled: boolean;
  /** Recent messages stay as they are up to this size; older ones become observations. */
  workingTierMaxTokens: number;
  /** Observations of this session; above it the reflector condenses them. */
  sessionTierMaxTokens: number;
  /** The opening: what memory holds of other sessions. */
  crossSessionTierMaxTokens: number;
  /** Messages that are compressed together. */
  chunkSize: number;
  /** Compress before the working tier is full, so that the observations are there when it is. */
  asyncBuffer: boolean;
  /** Wait for a compression above this size; 0 never waits. */
  blockAfterTokens: number;
}

export interface MemoryConfig {
  enabled: boolean;
  observer: ObserverConfig;
  reflector: ReflectorConfig;
  context: ContextConfig;
}

/** What memory.json may hold: any part of it. */
export interface MemoryFile {
  enabled?: boolean;
  observer?: Partial<ObserverConfig>;
  reflector?: Partial<ReflectorConfig>;
  context?: Partial<ContextConfig>;
}

export type Role = "observer" | "reflector";

/** Which model a role asks: its name, and whether memory.json names it. */
export interface RoleModel {
  role: Role;
  provider: string;
  model: string;
  temperature: number;
  maxOutputTokens: number;
  isChosen: boolean;
}

export interface Part {
  type?: string;
  text?: string;
  thinking?: string;
  name?: string;
  arguments?: Record<string, unknown>;
}

export interface Message {
  role?: string;
  content?: string | Part[];
  timestamp?: number | string;
  toolName?: string;
  isError?: boolean;
  command?: string;
  output?: string;
  exitCode?: number;
  excludeFromContext?: boolean;
  summary?: string;
  customType?: string;
  toolCallId?: string;
}

export interface Model {
  id: string;
  provider: string;
  maxTokens?: number;
}

export interface Reply {
  content: Part[];
  stopReason?: string;
  errorMessage?: string;
}

export interface RequestContext {
  systemPrompt?: string;
  messages: Message[];
}

export interface RequestOptions {
  apiKey?: string;
  headers?: Record<string, string>;
  maxTokens?: number;
  temperature?: number;
  signal?: AbortSignal;
}

export type Complete = (model: Model, context: RequestContext, options: RequestOptions) => Promise<Reply>;

export interface Auth {
  ok: boolean;
  error?: string;
  apiKey?: string;
  headers?: Record<string, string>;
}

export interface ModelRegistry {
  find(provider: string, id: string): Model | undefined;
  hasConfiguredAuth?(model: Model): boolean;
  /** pi 1.x: a request with the registry's own authentication. */
  complete?: Complete;
  getApiKeyAndHeaders?(model: Model): Promise<Auth>;
  /** Versions before 0.73. */
  getApiKey?(model: Model): Promise<string | undefined>;
}

export interface SessionEntry {
  type?: string;
  id?: string;
  summary?: string;
  timestamp?: string;
  message?: Message;
  customType?: string;
  data?: unknown;
}

export interface Context {
  cwd?: string;
  hasUI?: boolean;
  model?: Model;
  modelRegistry: ModelRegistry;
  isProjectTrusted?(): boolean;
  sessionManager?: { getHeader?(): Record<string, unknown> | null; getSessionId?(): string | undefined; getBranch?(): SessionEntry[] };
  ui?: {
    notify?(message: string, type?: "info" | "warning" | "error"): void;
    setStatus?(key: string, text: string | undefined): void;
    theme?: { fg?(color: string, text: string): string };
  };
}

export interface Preparation {
  firstKeptEntryId: string;
  messagesToSummarize: Message[];
  turnPrefixMessages?: Message[];
  tokensBefore: number;
  previousSummary?: string;
}

export interface CompactEvent {
  preparation: Preparation;
  branchEntries?: SessionEntry[];
  customInstructions?: string;
  signal?: AbortSignal;
}

export interface Pi {
  on(name: string, handler: (event: any, ctx: Context) => unknown): void;
  registerFlag(name: string, options: { description?: string; type: "boolean"; default?: boolean }): void;
  getFlag(name: string): boolean | string | undefined;
  appendEntry?(customType: string, data: unknown): void;
}

/** A reason to leave this compaction to pi, in words for a person. */
export class Fallback extends Error {}
