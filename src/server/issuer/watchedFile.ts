import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Creates the reader of a file. `decode` returns the content for a text, or throws if the text is invalid. */
export function watchFile<T>(path: string, decode: (text: string) => T, missing: T) {
  let content: { readonly version: string; readonly value: T } | undefined;
  return {
    /**
     * Returns the decoded content, or `missing` if the file does not exist. Reads the file again only after a change. Rejects if
     * it cannot be decoded.
     */
    async read(): Promise<T> {
      try {
        const { ino, size, mtimeNs } = await stat(path, { bigint: true });
        const version = `${ino} ${size} ${mtimeNs}`;
        if (content?.version !== version) content = { version, value: decode(await readFile(path, 'utf8')) };
        return content.value;
      } catch (error) {
        if (isMissing(error)) return missing;
        throw error;
      }
    },
  };
}

/** Parses the JSON of a file. undefined if it is invalid: the parser's message could contain secrets. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Replaces a file atomically and syncs it to disk. Only its owner can read it. If `path` is a symbolic link to an existing
 * file, that file is replaced.
 */
export function replaceFile(path: string, text: string): Promise<void> {
  return writeFileAtomic(path, text, { mode: 0o600 });
}

/** Age at which a lock counts as left by a process that has crashed, in ms. */
const staleLock = 30_000;

/** Runs `work` while holding a lock file next to `path`. Returns false at once if another process holds the lock. */
export async function withLock(path: string, work: () => Promise<void>): Promise<boolean> {
  const lock = `${path}.lock`;
  try {
    await writeFile(lock, '', { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const lockFile = await stat(lock).catch(() => undefined);
    if (lockFile !== undefined && Date.now() - lockFile.mtimeMs > staleLock) await rm(lock, { force: true });
    return false;
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
  return true;
}
