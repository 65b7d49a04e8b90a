import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The bytes of a file of this folder, which is kept gzipped. */
export function readBytes(file: string): Uint8Array {
  return gunzipSync(readFileSync(new URL(`./${file}.gz`, import.meta.url)));
}

const parsed = new Map<string, unknown>();

/**
 * A recording of a real node, in the shape that a test states. `readRecording` has the whole shape of each file. It is parsed once: do not change
 * the result.
 */
export function recording<T>(name: string): T {
  const known = parsed.get(name) ?? JSON.parse(new TextDecoder().decode(readBytes(`${name}.json`)));
  parsed.set(name, known);
  return known as T;
}
