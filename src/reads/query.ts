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

/** ABCI codes of the codespace `sdk` (chain.md 6.4). */
const unknownRequest = 6;
const invalidRequest = 18;
const keyNotFound = 22;

/** How a module says that an address is none of this chain; the second is the attribute module's (seen). */
const wrongAddress = /bech32|\binvalid account address: /i;

/** Asks a gRPC method of the chain's query services, at the state's height. An address of another chain is BAD_USER_INPUT. */
export async function ask<I extends DescMessage, O extends DescMessage>(
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
      throw new RequestError('BAD_USER_INPUT', `The chain does not take this address: ${error.facts.log}`, {
        bound: 'an address of this chain',
      });
    }
    throw error;
  });
  try {
    return fromBinary(method.output, bytes);
  } catch {
    throw malformed(`${path} is not the protobuf of its method`);
  }
}

/**
 * The same where the thing asked for may be absent: null when the chain's refusal starts with one of `absences`, the texts by
 * which this query says so (code 6), and for code 22. Each text is one that `isAbsence` knows too, so that the same refusal is kept, and is 404 over
 * REST. A pruned height also says "not found", under code 38: that stays an error.
 */
export function askOrNull<I extends DescMessage, O extends DescMessage>(
  state: StateAt,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  absences: readonly string[],
): Promise<MessageShape<O> | null> {
  return ask(state, method, request).catch((error: unknown) => {
    if (!isChainError(error, 'ABCI_QUERY_FAILED')) throw error;
    const { abciCode, log } = error.facts;
    if (abciCode === keyNotFound) return null;
    if (abciCode === unknownRequest && absences.some((text) => log.startsWith(text))) return null;
    throw error;
  });
}

/**
 * Asks a path with a protobuf request of the newest state of the node in use: for what tells of the node, or simulates. Never kept. Fails as
 * a read of the state does.
 */
export function askNow(
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
