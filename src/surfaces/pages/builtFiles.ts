import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { z } from 'zod';
import type { BundledFile } from './bundledFile.ts';
import { createPrepared } from './prepared.ts';

/** Media types of the files of a build, by the end of their names. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

async function readBuilt(directory: string, name: string): Promise<BundledFile> {
  const [plain, gzipped, brotli] = await Promise.all(
    ['', '.gz', '.br'].map((form) => readFile(join(directory, `${name}${form}`))),
  );
  if (plain === undefined || gzipped === undefined || brotli === undefined) throw new Error(`${name} is incomplete`);
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    plain: [plain],
    gzipped: [gzipped],
    brotli: [brotli],
    hash: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
  };
}

/**
 * Reads the files of a build into memory, by their path below `directory` (`assets/main-ABC.js`). Each file has its compressed
 * forms beside it, `.gz` and `.br`. Rejects if the directory cannot be read.
 */
export async function readBuiltFiles(directory: string): Promise<ReadonlyMap<string, BundledFile>> {
  const entries = await readdir(directory, { recursive: true });
  const names = entries.map((name) => name.replaceAll('\\', '/')).filter((name) => extname(name) in types);
  return new Map(await Promise.all(names.map(async (name) => [name, await readBuilt(directory, name)] as const)));
}

/** Creates the reader of the files of a build, which are read at the first call. It resolves with undefined without a directory, and before a build. */
export function createBuiltFiles(directory: string | undefined): () => Promise<ReadonlyMap<string, BundledFile> | undefined> {
  const built = createPrepared(readBuiltFiles);
  return async () => (directory === undefined ? undefined : built(directory).catch(() => undefined));
}

const manifestSchema = z.record(z.string(), z.string());

/**
 * Reads the documents that the pages of a built dashboard send, by their ids. Empty without a directory. Rejects if the directory has no valid
 * manifest.
 */
export async function readDashboardDocuments(directory: string | undefined): Promise<Readonly<Record<string, string>>> {
  if (directory === undefined) return {};
  return manifestSchema.parse(JSON.parse(await readFile(join(directory, 'documents.json'), 'utf8')));
}
