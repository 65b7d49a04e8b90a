import type { TxExec } from '../../chain/base/execution.ts';
import { signerBytes } from '../../chain/transactions/decodedTx.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { createAccountLoaders } from '../account/loaders.ts';
import type { SignedTx } from './transactions.ts';
import { addressText, provenPrefix } from './txBytes.ts';

/** What a transaction offers for being included, and who pays. Addresses in bech32; `granter` null when none is named. */
export interface Fee {
  readonly amount: readonly { readonly denom: string; readonly amount: string }[];
  readonly gasLimit: bigint;
  readonly payer: string;
  readonly granter: string | null;
}

/**
 * Addresses of those who signed, in order; null when the bytes are no transaction or one of the keys is not in it or not of
 * secp256k1. The prefix is that of an address in the messages which is one of the signers, else the chain is asked for it.
 */
export async function signersOf(tx: Pinned<SignedTx>): Promise<readonly string[] | null> {
  const decoded = tx.decoded();
  const signers = decoded && signerBytes(decoded);
  if (!decoded || !signers) return null;
  const prefix = provenPrefix(decoded, signers) ?? (await pinOf(tx).loaders(createAccountLoaders).prefix.load(''));
  return signers.map((bytes) => addressText(prefix, bytes));
}

/**
 * The fee; null when the bytes are no transaction or who pays cannot be told. The payer is the one that the transaction names,
 * else its first signer, else, for a committed one, whom its own events name.
 */
export async function feeOf(tx: Pinned<SignedTx & { readonly result?: TxExec }>): Promise<Fee | null> {
  const fee = tx.decoded()?.authInfo.fee;
  if (!fee) return null;
  const payer = fee.payer || (await signersOf(tx))?.[0] || eventPayer(tx.result);
  if (!payer) return null;
  return { amount: fee.amount, gasLimit: fee.gasLimit, payer, granter: fee.granter || null };
}

function eventPayer(result: TxExec | undefined): string | undefined {
  const attributes = result?.events.filter(({ type }) => type === 'tx').flatMap((event) => event.attributes);
  return attributes?.find(({ key }) => key === 'fee_payer')?.value;
}
