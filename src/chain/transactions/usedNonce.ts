import { bech32 } from '@scure/base';
import type { TxExec } from '../base/execution.ts';
import type { NodeHandle } from '../transports/transport.ts';
import { asObject, bytesAt, intAt, type JsonValue, malformed, objectAt } from '../wire/json.ts';

const refusal = /^failed to add unordered nonce: sender ([a-z0-9]+) has already used timeout (\d{1,19}):/;

/** The key of the nonce in the store of accounts (cosmos-sdk x/auth/types/keys.go): `5a`, the nanoseconds with the sign bit flipped, the address. */
function keyOf(log: string): string | undefined {
  const [, sender, timeout] = refusal.exec(log) ?? [];
  const address = sender === undefined ? undefined : bech32.decodeUnsafe(sender as `${string}1${string}`, 128);
  if (address === undefined || timeout === undefined) return undefined;
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt.asUintN(64, BigInt(timeout)) ^ (1n << 63n));
  return `5a${time.toString('hex')}${Buffer.from(bech32.fromWords(address.words)).toString('hex')}`;
}

/** The value of a nonce is empty, which nodes print as "", and as null if there is none (recorded: facts B7). */
function decodeIsPresent(json: JsonValue): boolean {
  const response = objectAt(asObject(json, 'abci_query'), 'response');
  if (intAt(response, 'code') !== 0) throw malformed('the application refused the query');
  return bytesAt(response, 'value') !== undefined;
}

/**
 * Whether a committed block of this node has used the nonce that a refusal of CheckTx names. False if only the state of CheckTx has it: a transaction that
 * is not in a block yet. undefined if the refusal names none. Rejects like the node's call.
 */
export async function isNonceCommitted(node: NodeHandle, check: TxExec, signal: AbortSignal): Promise<boolean | undefined> {
  const data = keyOf(check.log);
  if (data === undefined) return undefined;
  return node.call('abci_query', { path: '/store/acc/key', data }, { signal, decode: decodeIsPresent });
}
