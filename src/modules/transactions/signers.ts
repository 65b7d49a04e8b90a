import type { TxExec } from '../../chain/base/execution.ts';
import { signerBytes } from '../../chain/transactions/tx.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { createAccountLoaders } from '../account/loaders.ts';
import type { SignedTx } from './transactions.ts';
import { addressText, provenPrefix } from './txBytes.ts';

/**
 * The fee that a transaction offers, and who pays it. Addresses are bech32; `granter` is null if the transaction names none.
 */
export interface Fee {
  readonly amount: readonly { readonly denom: string; readonly amount: string }[];
  readonly gasLimit: bigint;
  readonly payer: string;
  readonly granter: string | null;
}

/**
 * The addresses of the signers, in order; null if the bytes are not a transaction, or if a public key is missing or is not a
 * secp256k1 key. The bech32 prefix is taken from an address in the messages that belongs to a signer; otherwise it is read from
 * the chain.
 */
export function signersOf(tx: Pinned<SignedTx>): Awaitable<readonly string[] | null> {
  const decoded = tx.decoded();
  const signers = decoded && signerBytes(decoded);
  if (!decoded || !signers) return null;
  const prefix = provenPrefix(decoded, signers) ?? pinOf(tx).loaders(createAccountLoaders).prefix.load('');
  return andThen(prefix, (text) => signers.map((bytes) => addressText(text, bytes)));
}

/**
 * The fee of a transaction; null if the bytes are not a transaction or the payer cannot be determined. The payer is the account
 * that the transaction names, else its first signer, else, for a committed transaction, the account in its `tx` event.
 */
export function feeOf(tx: Pinned<SignedTx & { readonly result?: TxExec }>): Awaitable<Fee | null> {
  const fee = tx.decoded()?.authInfo.fee;
  if (!fee) return null;
  return andThen(fee.payer || andThen(signersOf(tx), (signers) => signers?.[0] || eventPayer(tx.result)), (payer) =>
    payer ? { amount: fee.amount, gasLimit: fee.gasLimit, payer, granter: fee.granter || null } : null,
  );
}

function eventPayer(result: TxExec | undefined): string | undefined {
  const attributes = result?.events.filter(({ type }) => type === 'tx').flatMap((event) => event.attributes);
  return attributes?.find(({ key }) => key === 'fee_payer')?.value;
}
