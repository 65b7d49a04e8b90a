import { createHash } from 'node:crypto';
import type { Registry } from '@bufbuild/protobuf';
import { type BoundedCache, deepFrozen } from '../memory/memoryBudget.ts';
import type { JsonValue } from '../wire/json.ts';
import { type AnyMessage, anyJson } from '../wire/protoJson.ts';

/** Longer messages, in bytes, are hashed in keys. */
const longestMessage = 96;

/** The keys of long messages by their bytes, which many operations share and none changes. */
const knownKeys = new WeakMap<Uint8Array, { readonly type: string; readonly key: string }>();

/** Text that is equal for equal messages and differs for others. */
function messageKey({ type, value }: AnyMessage): string {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (bytes.length <= longestMessage && type.length <= longestMessage) return `${type} ${bytes.toString('base64')}`;
  const known = knownKeys.get(value);
  if (known?.type === type) return known.key;
  const key = createHash('sha256').update(`${type}\0`).update(bytes).digest('base64');
  knownKeys.set(value, { type, key });
  return key;
}

/**
 * Makes a function like {@link anyJson} that keeps its results in `cache`, because the JSON of a message depends on its types alone.
 * Other types empty the cache. Results are frozen.
 */
export function createMessageJson(
  cache: BoundedCache<JsonValue> | undefined,
): (registry: Registry, message: AnyMessage) => JsonValue {
  let types: Registry | undefined;
  return (registry, message) => {
    if (types !== registry) {
      cache?.clear();
      types = registry;
    }
    const key = messageKey(message);
    const known = cache?.get(key);
    if (known !== undefined) return known;
    const json = deepFrozen(anyJson(registry, message));
    cache?.set(key, json);
    return json;
  };
}
