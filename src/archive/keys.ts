import type { TransactionKey } from './full/indexSearch.ts';
import type { Elector, ProposalRecord, VoteRecord } from './records.ts';

/** The key of a proposal in the lists of records: its id, because ids ascend in the order of submission. */
export function recordKey({ id }: Pick<ProposalRecord, 'id'>): Uint8Array {
  return bigintBytes(id);
}

/** The key of a vote in the lists of votes: its time, its order in the block, and the proposal and the voter. */
export function voteKey({ at, proposalId, voter }: Pick<VoteRecord, 'at' | 'proposalId' | 'voter'>): Uint8Array {
  const order = at.height === null ? 0 : at.order;
  return Buffer.concat([bigintBytes(at.time), bigintBytes(BigInt(order)), bigintBytes(proposalId), Buffer.from(voter)]);
}

/** The key of an elector in the list of electors: its address. */
export function electorKey({ address }: Pick<Elector, 'address'>): Uint8Array {
  return Buffer.from(address);
}

function bigintBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** The inverse of {@link recordKey}. Null for bytes that are no such key. */
export function readRecordKey(key: Uint8Array): bigint | null {
  return key.length === 8 ? Buffer.from(key).readBigInt64BE() : null;
}

/** The inverse of {@link voteKey}. Null for bytes that are no such key. */
export function readVoteKey(
  key: Uint8Array,
): { readonly time: bigint; readonly order: bigint; readonly proposalId: bigint; readonly voter: string } | null {
  if (key.length < 24) return null;
  const bytes = Buffer.from(key);
  const [time, order, proposalId] = [bytes.readBigInt64BE(), bytes.readBigInt64BE(8), bytes.readBigInt64BE(16)];
  return { time, order, proposalId, voter: bytes.subarray(24).toString() };
}

/** The inverse of {@link electorKey}. */
export function readElectorKey(key: Uint8Array): string {
  return Buffer.from(key).toString();
}

/** The key of a transaction in the list of an account: its height and its index in the block. */
export function transactionKey({ height, index }: TransactionKey): Uint8Array {
  return Buffer.concat([bigintBytes(height), bigintBytes(BigInt(index))]);
}

/** The inverse of {@link transactionKey}. Null for bytes that are no such key. */
export function readTransactionKey(key: Uint8Array): TransactionKey | null {
  if (key.length !== 16) return null;
  const bytes = Buffer.from(key);
  return { height: bytes.readBigInt64BE(), index: Number(bytes.readBigInt64BE(8)) };
}
