import type { DescMethodUnary } from '@bufbuild/protobuf';
import type { DescriptorPool } from '../../chain/descriptors/descriptorPool.ts';
import { type JsonValue, malformed } from '../../chain/wire/json.ts';
import { messageJson } from '../../chain/wire/protoJson.ts';
import type { Pin } from '../../reads/pin.ts';
import { queryLatest } from '../../reads/query.ts';
import { isLiveMethod } from './moduleMethods.ts';
import { encodeRequest } from './moduleRequest.ts';

/**
 * Calls a Query method at the height of the pin, cached and batched like all reads. A live method (see {@link isLiveMethod}) is
 * called on the newest state and is not cached. `maySimulate`: see `CallOptions`. Fails with BAD_USER_INPUT if the request does not fit the method, and with
 * ABCI_QUERY_FAILED if the chain rejects it.
 */
export async function callModule(
  pin: Pin,
  pool: DescriptorPool,
  method: DescMethodUnary,
  request: unknown,
  maySimulate: boolean,
): Promise<JsonValue> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const bytes = encodeRequest(pool.registry, method.input, 'request', request);
  const isLive = isLiveMethod(method.parent.typeName, method.name);
  const answer = isLive
    ? await queryLatest({ client: pin.client, signal: pin.signal, maySimulate }, path, bytes)
    : await pin.state.query(path, bytes);
  try {
    return messageJson(pool.registry, method.output, answer);
  } catch {
    throw malformed(`${path} does not return the protobuf message of its method`);
  }
}
