import { abciError } from '../runtime/abciErrors.ts';
import { feeDenom, parseCoins } from '../runtime/coins.ts';
import { gasPerUnit } from '../runtime/gas.ts';
import type { DecodedTx } from './txBytes.ts';

/** The fee of a transaction. Amounts are in nhash. */
export interface Fees {
  /** The account that is charged: the granter or the payer. */
  readonly payer: string;
  /** The account to which `payer` has granted the fee. undefined if the payer pays for itself. */
  readonly grantee: string | undefined;
  /** The fee in the transaction. */
  readonly total: bigint;
  /** The part that is charged before the messages are executed, even if they fail. */
  readonly base: bigint;
  /** Whether the chain has flat fees. Otherwise, the whole fee is charged before the messages. */
  readonly isFlat: boolean;
  /** Whether the transaction is simulated: its fee is not known in advance. */
  readonly isEstimate: boolean;
}

/**
 * `flat`: 1nhash for each message and each message in it (docs/chain.md, "Fees"). `gas`: at least the minimum gas price of the node times the gas limit, which only
 * the mempool checks (Cosmos SDK v0.53.6, x/auth/ante/validator_tx_fee.go).
 */
export type FeeRule = 'flat' | 'gas';

/** Why a transaction runs. `SIMULATE` does not know its fee in advance. */
export type TxMode = 'CHECK' | 'DELIVER' | 'SIMULATE';

function coin(amount: bigint): string {
  return amount === 0n ? '' : `${amount}${feeDenom}`;
}

/** The error for a fee that is smaller than the flat fees. */
export function shortOf(required: bigint, provided: bigint): Error {
  const text = `fee required: "${coin(required)}", fee provided: "${coin(provided)}", short by "${coin(required - provided)}"`;
  return abciError('insufficientFee', text);
}

/** The fee of a transaction and who pays it. Throws code 13 if it is too small. */
export function feesOf(tx: DecodedTx, mode: TxMode, rule: FeeRule): Fees {
  const { fee } = tx.authInfo;
  const coins = fee === undefined || fee.amount.length === 0 ? [] : parseCoins(fee.amount);
  const amount = coins.find(({ denom }) => denom === feeDenom)?.amount ?? 0n;
  const isEstimate = mode === 'SIMULATE';
  const payer = fee === undefined || fee.payer === '' ? (tx.signers[0] ?? '') : fee.payer;
  const isGranted = fee !== undefined && fee.granter !== '' && fee.granter !== payer;
  const who = isGranted ? { payer: fee.granter, grantee: payer, isEstimate } : { payer, grantee: undefined, isEstimate };
  if (rule === 'gas') {
    const required = ((fee?.gasLimit ?? 0n) + gasPerUnit - 1n) / gasPerUnit;
    if (mode === 'CHECK' && amount < required)
      throw abciError('insufficientFee', `insufficient fees; got: ${coin(amount)} required: ${coin(required)}`);
    return { ...who, total: amount, base: amount, isFlat: false };
  }
  const base = BigInt(tx.messages.reduce((sum, { size }) => sum + size, 0));
  const total = isEstimate && amount < base ? base : amount;
  if (total < base) throw shortOf(base, total);
  return { ...who, total, base, isFlat: true };
}
