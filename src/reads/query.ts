import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { isChainError } from '../chain/base/errors.ts';
import type { Client } from '../chain/client.ts';
import { refusalError } from '../chain/rpc/decodeRpcError.ts';
import type { StateAt } from '../chain/state/state.ts';
import { asObject, bytesAt, intAt, malformed, objectAt } from '../chain/wire/decode.ts';
import { RequestError } from './errors.ts';

/** ABCI codes of the codespace `sdk` (docs/chain.md, "Error codes of the application"). */
const unknownRequest = 6;
const invalidRequest = 18;
const keyNotFound = 22;

/** The logs with which modules reject an address of another chain; the second text is that of the attribute module. */
const wrongAddress = /bech32|\binvalid account address: /i;

/** Calls a method of the chain's query services at the height of the state. An address of another chain is BAD_USER_INPUT. */
export async function queryState<I extends DescMessage, O extends DescMessage>(
  state: StateAt,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<MessageShape<O>> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const bytes = await state.query(path, toBinary(method.input, create(method.input, request))).catch((error: unknown) => {
    if (
      isChainError(error, 'ABCI_QUERY_FAILED') &&
      error.facts.abciCode === invalidRequest &&
      wrongAddress.test(error.facts.log)
    ) {
      throw new RequestError('BAD_USER_INPUT', `The chain rejects this address: ${error.facts.log}`, {
        bound: 'an address of this chain',
      });
    }
    throw error;
  });
  try {
    return fromBinary(method.output, bytes);
  } catch {
    throw malformed(`${path} does not return the protobuf message of its method`);
  }
}

/**
 * Calls a method like {@link queryState}, but returns null if the object does not exist: for code 22, and for code 6 with a log
 * that starts with one of `absences`. `isAbsence` must accept each of these texts too, so that the answer is cached and is 404
 * over REST. A pruned height also answers "not found", with code 38. That stays an error.
 */
export function queryStateOrNull<I extends DescMessage, O extends DescMessage>(
  state: StateAt,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  absences: readonly string[],
): Promise<MessageShape<O> | null> {
  return queryState(state, method, request).catch((error: unknown) => {
    if (!isChainError(error, 'ABCI_QUERY_FAILED')) throw error;
    const { abciCode, log } = error.facts;
    if (abciCode === keyNotFound) return null;
    if (abciCode === unknownRequest && absences.some((text) => log.startsWith(text))) return null;
    throw error;
  });
}

/**
 * Calls a query path on the newest state of the current node, for methods that describe the node or simulate a transaction. The
 * answer is never cached. Fails as a read of the state does.
 */
export function queryLatest(
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal | undefined },
  path: string,
  request: Uint8Array,
): Promise<Uint8Array> {
  const params = { path, data: Buffer.from(request).toString('hex'), height: '0', prove: false };
  return client.call('abci_query', params, {
    signal,
    decode(result) {
      const response = objectAt(asObject(result, 'abci_query'), 'response');
      if (intAt(response, 'code') !== 0) throw refusalError(response, 0n);
      return bytesAt(response, 'value') ?? new Uint8Array();
    },
  });
}
