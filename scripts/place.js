import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'libsql';

/** How long a build waits for another one, in ms. */
const lockWait = 180_000;

/**
 * The paths of all files below a directory, relative to it. Empty if it does not exist.
 *
 * @param {string} directory
 */
export function filesIn(directory) {
  const entries = existsSync(directory) ? readdirSync(directory, { recursive: true, withFileTypes: true }) : [];
  return entries.flatMap((entry) =>
    entry.isFile()
      ? [
          join(entry.parentPath, entry.name)
            .slice(directory.length + 1)
            .replaceAll('\\', '/'),
        ]
      : [],
  );
}

/**
 * @param {string} one
 * @param {string} other
 */
const areEqual = (one, other) => statSync(one).size === statSync(other).size && readFileSync(one).equals(readFileSync(other));

/**
 * Moves the files of a new build into `outdir`: those that it did not have, then those that replace others. Files of the same content are not
 * touched. The files of the build before stay, because programs that run from it load some of them later. Older files are removed.
 *
 * @param {string} next
 * @param {string} outdir
 */
function place(next, outdir) {
  const [files, present] = [filesIn(next), filesIn(outdir)];
  const list = `${outdir}.json`;
  /** @type {string[]} */
  const before = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  const changed = files.filter((name) => !present.includes(name) || !areEqual(join(next, name), join(outdir, name)));
  const isNew = (/** @type {string} */ name) => !present.includes(name);
  for (const name of [...changed.filter(isNew), ...changed.filter((each) => !isNew(each))]) {
    mkdirSync(dirname(join(outdir, name)), { recursive: true });
    renameSync(join(next, name), join(outdir, name));
  }
  if (before.length === files.length && files.every((name) => before.includes(name))) return;
  const kept = new Set([...files, ...before]);
  for (const name of present) if (!kept.has(name)) rmSync(join(outdir, name));
  writeFileSync(`${next}.json`, JSON.stringify(files));
  renameSync(`${next}.json`, list);
}

/**
 * Makes a build and puts it in `outdir`, without a moment at which a program cannot start from it. Builds of several processes follow each other.
 * `build` writes into the directory that it is given.
 *
 * @param {string} outdir
 * @param {(directory: string) => unknown} build
 */
export async function buildInto(outdir, build) {
  const next = `${outdir}.next`;
  // SQLite's lock, because the system releases it when a process dies.
  const lock = new Database(`${outdir}.lock`, { timeout: lockWait });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    rmSync(next, { recursive: true, force: true });
    await build(next);
    place(next, outdir);
    rmSync(next, { recursive: true, force: true });
  } finally {
    lock.close();
  }
}
