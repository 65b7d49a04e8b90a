import { createHash } from 'node:crypto';
import { fillBody, graphqlTexts, splitBody } from '../../answers/answer.ts';
import { bufferBytes, compact, objectBytes } from '../../chain/memory/memoryBudget.ts';
import { asObject, type JsonObject } from '../../chain/wire/json.ts';
import { heightPlace } from '../../reads/pin.ts';
import { createPayload, type Payload } from '../subscriptions/payload.ts';
import { createPatch, pointersTo } from './jsonPatch.ts';

/** A result of a live query. All of its listeners share it. */
export interface LiveResult {
  /** Equal for results that differ at most in their height. */
  readonly digest: string;
  /** The length of its JSON. */
  readonly bytes: number;
  /** The result with this height in its places. The bytes of the last height are kept. */
  at(height: bigint): Payload;
  /**
   * The result with this height as a change of `base`: a JSON Patch and the extensions of this result. The whole result if that is
   * not larger. The bytes are kept as long as `base` is.
   */
  changeOf(base: LiveResult, height: bigint): Payload;
  /** The JSON with this text as the height. Parsed on each call. */
  parsed(height: string): JsonObject;
  /** The JSON Pointers of the heights in it, without the one in its extensions. */
  heights(): readonly string[];
}

/** Memory of a result, in bytes: with its places, filled in, and as a server-sent event. */
export function sizeOfResult({ bytes }: LiveResult): number {
  return 4 * objectBytes + 3 * (bufferBytes + bytes);
}

interface Filled {
  readonly height: bigint;
  readonly payload: Payload;
}

/** Creates a result. `text` is its JSON with places for the height. */
export function createLiveResult(text: string): LiveResult {
  const bytes = compact(Buffer.from(text));
  const body = splitBody(bytes);
  const fill = (height: string): Buffer =>
    Buffer.concat(
      fillBody(
        body,
        graphqlTexts(
          height,
          () => '',
          () => '',
        ),
      ),
    );
  const changes = new WeakMap<LiveResult, Filled>();
  let filled: Filled | undefined;

  const result: LiveResult = {
    digest: createHash('sha256').update(bytes).digest('base64'),
    bytes: bytes.length,
    at(height) {
      if (filled?.height !== height) filled = { height, payload: createPayload(fill(height.toString())) };
      return filled.payload;
    },
    changeOf(base, height) {
      let known = changes.get(base);
      if (known?.height !== height) {
        known = { height, payload: change(base, result, height) };
        changes.set(base, known);
      }
      return known.payload;
    },
    parsed: (height) => asObject(JSON.parse(fill(height).toString()), 'result'),
    heights() {
      if (body.places.length === 1) return [];
      const { extensions: _, ...places } = result.parsed(heightPlace.toString());
      return pointersTo(heightPlace.toString(), places);
    },
  };
  return result;
}

function change(base: LiveResult, result: LiveResult, height: bigint): Payload {
  const whole = result.at(height);
  const text = height.toString();
  // With the same height in both, so that equal items of a list are found.
  const { extensions: _, ...old } = base.parsed(text);
  const { extensions, ...next } = result.parsed(text);
  const patch = createPatch(old, next);
  const changed = new Set(patch.map(({ path }) => path));
  for (const path of result.heights()) if (!isWithin(changed, path)) patch.push({ op: 'replace', path, value: text });
  const json = Buffer.from(JSON.stringify({ patch, extensions }));
  return json.length < whole.json.length ? createPayload(json) : whole;
}

/** Whether a pointer is one of `changed`, or below one. */
function isWithin(changed: ReadonlySet<string>, pointer: string): boolean {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
    if (changed.has(pointer.slice(0, end))) return true;
  }
  return false;
}
