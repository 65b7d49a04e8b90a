import { fromBinary } from '@bufbuild/protobuf';
import { TxBodySchema, TxRawSchema } from '../../proto/cosmos/tx/v1beta1/tx_pb.js';

/**
 * Gas of a transaction without its messages: signature, size, sequence and payment of the fee. Recorded on Provenance v1.29: a transaction with one
 * `MsgSend` takes 109,744, and one with two takes 140,363.
 */
const baseGas = 80_000n;

/**
 * Gas of one message by its type, beside {@link baseGas}: the most that was recorded on Provenance v1.29, rounded up. Types whose gas depends on what
 * the message carries or executes are not listed.
 */
const messageGas: ReadonlyMap<string, bigint> = new Map([
  ['/cosmos.authz.v1beta1.MsgGrant', 15_000n],
  // Guess: it deletes one key, and a grant writes one.
  ['/cosmos.authz.v1beta1.MsgRevoke', 15_000n],
  ['/cosmos.bank.v1beta1.MsgSend', 55_000n],
  // Measured on wasmd 0.61 (SDK 0.53): 118,419 with the transaction.
  ['/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward', 100_000n],
  ['/cosmos.feegrant.v1beta1.MsgGrantAllowance', 25_000n],
  // Measured on wasmd 0.61 (SDK 0.53): 54,816 with the transaction.
  ['/cosmos.feegrant.v1beta1.MsgRevokeAllowance', 25_000n],
  ['/cosmos.gov.v1.MsgCancelProposal', 55_000n],
  ['/cosmos.gov.v1.MsgDeposit', 85_000n],
  ['/cosmos.gov.v1.MsgVote', 25_000n],
  ['/cosmos.gov.v1.MsgVoteWeighted', 25_000n],
  ['/cosmos.slashing.v1beta1.MsgUnjail', 30_000n],
  // Guess: the sum of the other two.
  ['/cosmos.staking.v1beta1.MsgBeginRedelegate', 330_000n],
  ['/cosmos.staking.v1beta1.MsgDelegate', 150_000n],
  ['/cosmos.staking.v1beta1.MsgUndelegate', 180_000n],
]);

/** The types of which the gas is known without a simulation, in alphabetical order. */
export const typesWithGas: readonly string[] = [...messageGas.keys()];

/** The gas of a transaction (`TxRaw`) by the types of its messages. undefined if it does not parse, or a type is not in the table. */
export function gasByTable(tx: Uint8Array): bigint | undefined {
  let sum = baseGas;
  for (const type of messageTypes(tx)) {
    const gas = messageGas.get(type);
    if (gas === undefined) return undefined;
    sum += gas;
  }
  return sum > baseGas ? sum : undefined;
}

function messageTypes(tx: Uint8Array): readonly string[] {
  try {
    const { messages } = fromBinary(TxBodySchema, fromBinary(TxRawSchema, tx).bodyBytes);
    return messages.map(({ typeUrl }) => typeUrl);
  } catch {
    return [];
  }
}
