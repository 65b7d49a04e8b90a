import type { DescMethodUnary } from '@bufbuild/protobuf';
import type { DescriptorPool } from '../../chain/descriptors/descriptorPool.ts';
import { malformed } from '../../chain/wire/decode.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { messageJson } from '../../chain/wire/protoJson.ts';
import type { Pin } from '../../reads/pin.ts';
import { askNow } from '../../reads/query.ts';
import { isOfNoHeight } from './moduleMethods.ts';
import { encodeRequest } from './moduleRequest.ts';

/**
 * Asks a Query method, at the pin's height, cached and batched as all reads are. What tells of the node, or simulates, is asked now, at no
 * height, and not kept. Fails with BAD_USER_INPUT for a request that is not of the method's, ABCI_QUERY_FAILED for what the chain refuses.
 */
export async function callModule(
  pin: Pin,
  pool: DescriptorPool,
  method: DescMethodUnary,
  request: unknown,
): Promise<JsonValue> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const bytes = encodeRequest(pool.registry, method.input, 'request', request);
  const isLive = isOfNoHeight(method.parent.typeName, method.name);
  const answer = isLive ? await askNow(pin, path, bytes) : await pin.state.query(path, bytes);
  try {
    return messageJson(pool.registry, method.output, answer);
  } catch {
    throw malformed(`${path} is not the protobuf of its method`);
  }
}
