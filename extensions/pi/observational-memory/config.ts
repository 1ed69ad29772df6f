/** memory.json: the global one and the project's, merged; the project's values win. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { MODES } from "./modes.ts";
import type { MemoryConfig, MemoryFile, Role, RoleModel } from "./types.ts";

export const FILE_NAME = "memory.json";

type Kind = "string" | "mode" | "size" | "temperature" | "flag" | "bound";
type Group = Role | "context";

const GROUPS = ["observer", "reflector", "context"] as const;

/** The settings of each group with their kinds; a value of another kind is left out and named. */
const SETTINGS: Record<Group, Record<string, Kind>> = {
  observer: { mode: "mode", model: "string", provider: "string", messageTokenThreshold: "size", temperature: "temperature", maxOutputTokens: "size" },
  reflector: { model: "string", provider: "string", observationTokenThreshold: "size", temperature: "temperature", maxOutputTokens: "size" },
  context: {
    enabled: "flag", workingTierMaxTokens: "size", sessionTierMaxTokens: "size", crossSessionTierMaxTokens: "size", chunkSize: "size",
    asyncBuffer: "flag", blockAfterTokens: "bound",
  },
};

export interface LoadedConfig {
  /** What the files say, merged; null when there is no file. */
  file: MemoryFile | null;
  problems: string[];
}

export function getDefaultConfig(): MemoryConfig {
  return {
    enabled: true,
    observer: {
      mode: "auto",
      model: "gemini-2.5-flash",
      provider: "google",
      messageTokenThreshold: 30_000,
      temperature: 0.3,
      maxOutputTokens: 100_000,
    },
    reflector: {
      model: "gemini-2.5-flash",
      provider: "google",
      observationTokenThreshold: 40_000,
      temperature: 0,
      maxOutputTokens: 100_000,
    },
    context: {
      enabled: false,
      workingTierMaxTokens: 30_000,
      sessionTierMaxTokens: 10_000,
      crossSessionTierMaxTokens: 5_000,
      chunkSize: 20,
      asyncBuffer: true,
      blockAfterTokens: 0,
    },
  };
}

export function globalFile(): string {
  return join(process.env.PI_CODING_AGENT_DIR ?? join(homedir(), ".pi", "agent"), FILE_NAME);
}

export function projectFile(cwd: string): string {
  return join(cwd, ".pi", FILE_NAME);
}

/** Reads and merges the files. One that cannot be read counts as missing and is named in `problems`. */
export function loadMemoryConfig(cwd: string, isProjectTrusted = true): LoadedConfig {
  const problems: string[] = [];
  const paths = [globalFile()];
  if (isProjectTrusted) paths.push(projectFile(cwd));
  else if (existsSync(projectFile(cwd))) problems.push(`${projectFile(cwd)} is left out: this project is not trusted`);
  let file: MemoryFile | null = null;
  for (const path of paths) {
    const found = readMemoryFile(path, problems);
    if (found) file = file ? mergeFiles(file, found) : found;
  }
  return { file, problems };
}

function readMemoryFile(path: string, problems: string[]): MemoryFile | null {
  if (!existsSync(path)) return null;
  try {
    return checkFile(JSON.parse(readFileSync(path, "utf8")), path, problems);
  } catch (error) {
    problems.push(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/** The settings of a file that can be used; unknown ones are left for later versions, wrong ones are named. */
export function checkFile(value: unknown, path: string, problems: string[]): MemoryFile {
  if (!isObject(value)) throw new Error("it is not an object");
  const file: MemoryFile = {};
  if (typeof value.enabled === "boolean") file.enabled = value.enabled;
  else if (value.enabled !== undefined) problems.push(`${path}: enabled is neither true nor false`);
  for (const group of GROUPS) {
    const given = value[group];
    if (given === undefined) continue;
    if (!isObject(given)) {
      problems.push(`${path}: ${group} is not an object`);
      continue;
    }
    const known: Record<string, unknown> = {};
    for (const [name, kind] of Object.entries(SETTINGS[group])) {
      if (given[name] === undefined) continue;
      if (isOfKind(given[name], kind)) known[name] = given[name];
      else problems.push(`${path}: ${group}.${name} cannot be ${JSON.stringify(given[name])}`);
    }
    file[group] = known;
  }
  return file;
}

/** Each value of `over` wins, setting by setting. */
export function mergeFiles(base: MemoryFile, over: MemoryFile): MemoryFile {
  const merged: MemoryFile = { ...base, ...over };
  for (const group of GROUPS) {
    if (base[group] || over[group]) merged[group] = { ...base[group], ...over[group] } as never;
  }
  return merged;
}

export function completeConfig(file: MemoryFile | null): MemoryConfig {
  const config = getDefaultConfig();
  return {
    enabled: file?.enabled ?? config.enabled,
    observer: { ...config.observer, ...file?.observer },
    reflector: { ...config.reflector, ...file?.reflector },
    context: { ...config.context, ...file?.context },
  };
}

/** The model of a role. `isChosen` when a file names it: then no other model may take its place. */
export function roleModel(role: Role, file: MemoryFile | null): RoleModel {
  const config = completeConfig(file)[role];
  const isChosen = file?.[role]?.model !== undefined || file?.[role]?.provider !== undefined;
  return { role, provider: config.provider, model: config.model, temperature: config.temperature, maxOutputTokens: config.maxOutputTokens, isChosen };
}

function isOfKind(value: unknown, kind: Kind): boolean {
  if (kind === "string") return typeof value === "string" && value !== "";
  if (kind === "mode") return typeof value === "string" && Object.hasOwn(MODES, value);
  if (kind === "flag") return typeof value === "boolean";
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  return kind === "size" ? value >= 1 : value >= 0 && (kind === "bound" || value <= 2);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
