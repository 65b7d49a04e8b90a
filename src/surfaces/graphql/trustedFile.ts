import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { DocumentManifest, ReplaceableDocuments } from '../../graphql/documents/requestParams.ts';
import { readJson, watchFile } from '../../server/issuer/watchedFile.ts';

const manifestSchema = z.record(z.string().min(1), z.string().min(1));

function decode(path: string, text: string): DocumentManifest {
  const { data } = manifestSchema.safeParse(readJson(text));
  if (data === undefined) throw new Error(`${path} is not a JSON object of documents by id`);
  return data;
}

/**
 * Reads trusted documents from a file now, and again when it changes, which is checked every `interval` ms. A change that cannot be
 * read is reported once, and the documents stay as they were. Rejects if the file cannot be read now. Returns the function that
 * stops the checks.
 */
export async function followTrustedFile(
  path: string,
  documents: ReplaceableDocuments,
  report: (error: unknown, requestId: string) => void,
  interval = 1_000,
): Promise<() => void> {
  const file = watchFile<DocumentManifest | undefined>(path, (text) => decode(path, text), undefined);
  let current: DocumentManifest | undefined;
  let reported = '';

  async function read(): Promise<void> {
    const manifest = await file.read();
    if (manifest === undefined) throw new Error(`${path} does not exist`);
    if (manifest !== current) documents.replace(manifest);
    current = manifest;
    reported = '';
  }

  await read();
  const timer = setInterval(() => {
    read().catch((error: unknown) => {
      if (String(error) !== reported) report(error, randomUUID());
      reported = String(error);
    });
  }, interval).unref();
  return () => clearInterval(timer);
}
