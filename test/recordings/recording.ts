import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** What a real node said, from `test/recordings/<name>.json.gz`. The caller says what shape the file has. */
export function recording<T>(name: string): T {
  return JSON.parse(gunzipSync(readFileSync(new URL(`./${name}.json.gz`, import.meta.url))).toString()) as T;
}
