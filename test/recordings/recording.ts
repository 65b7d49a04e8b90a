import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The bytes of a file of this folder, which is kept gzipped. */
export function readBytes(file: string): Uint8Array {
  return gunzipSync(readFileSync(new URL(`./${file}.gz`, import.meta.url)));
}

/** What a real node said, where a test wants a shape of its own; `readRecording` knows the whole shape of each file. */
export function recording<T>(name: string): T {
  return JSON.parse(new TextDecoder().decode(readBytes(`${name}.json`))) as T;
}
