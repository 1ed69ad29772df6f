/**
 * Finds the `recollect` command for the extensions of this folder that are folders themselves.
 *
 * Each has a link to this file: pi 0.73 resolves imports from where an extension is linked, so `../command.ts` would not be found.
 */
import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const NO_COMMAND = "there is no `recollect` command: set RECOLLECT_BIN or put it on the PATH";

/** `RECOLLECT_BIN`, else that of the checkout or environment this file lies in (also through a link), else that on the PATH. */
export function findCommand(): string | undefined {
  if (process.env.RECOLLECT_BIN) return isProgram(process.env.RECOLLECT_BIN) ? process.env.RECOLLECT_BIN : undefined;
  const above = ancestors(dirname(realpathSync(fileURLToPath(import.meta.url))));
  const around = above.flatMap((folder) => [join(folder, ".venv", "bin", "recollect"), join(folder, "bin", "recollect")]);
  const onPath = (process.env.PATH ?? "").split(delimiter).filter(Boolean).map((folder) => join(folder, "recollect"));
  return [...around, ...onPath].find(isProgram);
}

/** The folder to run the command in: the session's, or the home of the user when it is gone. */
export function workingFolder(cwd: string | undefined): string {
  return cwd && existsSync(cwd) ? cwd : homedir();
}

function ancestors(folder: string): string[] {
  return folder === dirname(folder) ? [] : [folder, ...ancestors(dirname(folder))];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, or not for us: the next candidate may be
  }
}
