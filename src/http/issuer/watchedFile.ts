import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';

/** A file that others write, as it is now. */
export interface WatchedFile<T> {
  /** What it holds; `missing` when there is none. It is read again only when it has changed. Rejects with what is wrong with it. */
  read(): Promise<T>;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Makes the watch of a file; `decode` makes of its text what it holds, and throws where it does not. */
export function watchFile<T>(path: string, decode: (text: string) => T, missing: T): WatchedFile<T> {
  let known: { readonly version: string; readonly value: T } | undefined;
  return {
    async read() {
      try {
        const { ino, size, mtimeNs } = await stat(path, { bigint: true });
        const version = `${ino} ${size} ${mtimeNs}`;
        if (known?.version !== version) known = { version, value: decode(await readFile(path, 'utf8')) };
        return known.value;
      } catch (error) {
        if (isMissing(error)) return missing;
        throw error;
      }
    },
  };
}

/** JSON of a file; undefined when it is none. What it says is not told: it may be secret. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes a file that nobody ever sees in part, for its owner alone. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomUUID()}`;
  try {
    await writeFile(beside, text, { mode: 0o600, flag: 'wx' });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Age at which a lock was left behind by somebody who died, ms. */
const staleLock = 30_000;

/**
 * Runs `work` while no other process does for the same path; false at once when another one is at it.
 */
export async function withLock(path: string, work: () => Promise<void>): Promise<boolean> {
  const lock = `${path}.lock`;
  try {
    await writeFile(lock, '', { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const taken = await stat(lock).catch(() => undefined);
    if (taken !== undefined && Date.now() - taken.mtimeMs > staleLock) await rm(lock, { force: true });
    return false;
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
  return true;
}
