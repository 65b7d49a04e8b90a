import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Returns the decompressed bytes of a file in this folder. */
export function readBytes(file: string): Uint8Array {
  return gunzipSync(readFileSync(new URL(`./${file}.gz`, import.meta.url)));
}

const parsed = new Map<string, unknown>();

/**
 * Returns a recording of a real node with a type that the caller states. `readRecording` has the full types. The file is parsed
 * once, so do not change the result.
 */
export function recording<T>(name: string): T {
  const known = parsed.get(name) ?? JSON.parse(new TextDecoder().decode(readBytes(`${name}.json`)));
  parsed.set(name, known);
  return known as T;
}
