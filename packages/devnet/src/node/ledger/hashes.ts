import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { merkleRoot, sha256 } from '../../../../../src/chain/wire/merkle.ts';
import type { TxResult } from '../../abci/abci.ts';
import type { Block, BlockId, Commit, CommitSignature, ConsensusParams, Header, Validator } from './types.ts';

/**
 * CometBFT's protobuf encodings and hashes, checked against the recorded chain. They are encoded by hand, because non-nullable
 * nested messages are written even if they are empty.
 */

type Write = (writer: BinaryWriter) => void;

/** Encodes a message. Zero, empty text and empty bytes are omitted. Nested messages are always written. */
function message(write: Write): Uint8Array {
  const writer = new BinaryWriter();
  write(writer);
  return writer.finish();
}

function varint(writer: BinaryWriter, field: number, value: bigint | number): void {
  if (BigInt(value) !== 0n) writer.tag(field, WireType.Varint).int64(value);
}

function bytes(writer: BinaryWriter, field: number, value: Uint8Array): void {
  if (value.length > 0) writer.tag(field, WireType.LengthDelimited).bytes(value);
}

function text(writer: BinaryWriter, field: number, value: string): void {
  if (value !== '') writer.tag(field, WireType.LengthDelimited).string(value);
}

function nested(writer: BinaryWriter, field: number, value: Uint8Array): void {
  writer.tag(field, WireType.LengthDelimited).bytes(value);
}

function timestamp(nanoseconds: bigint): Uint8Array {
  const nanos = ((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return message((writer) => {
    varint(writer, 1, (nanoseconds - nanos) / 1_000_000_000n);
    varint(writer, 2, nanos);
  });
}

function partSetHeader({ parts }: BlockId): Uint8Array {
  return message((writer) => {
    varint(writer, 1, parts.total);
    bytes(writer, 2, parts.hash);
  });
}

function blockId(id: BlockId): Uint8Array {
  return message((writer) => {
    bytes(writer, 1, id.hash);
    nested(writer, 2, partSetHeader(id));
  });
}

function version({ block, app }: Header['version']): Uint8Array {
  return message((writer) => {
    varint(writer, 1, block);
    varint(writer, 2, app);
  });
}

function commitSignature({ flag, validatorAddress, timestamp: time, signature }: CommitSignature): Uint8Array {
  return message((writer) => {
    varint(writer, 1, flag);
    bytes(writer, 2, validatorAddress);
    nested(writer, 3, timestamp(time));
    bytes(writer, 4, signature ?? new Uint8Array());
  });
}

function encodeHeader(header: Header): Uint8Array {
  return message((writer) => {
    nested(writer, 1, version(header.version));
    text(writer, 2, header.chainId);
    varint(writer, 3, header.height);
    nested(writer, 4, timestamp(header.time));
    nested(writer, 5, blockId(header.lastBlockId));
    bytes(writer, 6, header.lastCommitHash);
    bytes(writer, 7, header.dataHash);
    bytes(writer, 8, header.validatorsHash);
    bytes(writer, 9, header.nextValidatorsHash);
    bytes(writer, 10, header.consensusHash);
    bytes(writer, 11, header.appHash);
    bytes(writer, 12, header.lastResultsHash);
    bytes(writer, 13, header.evidenceHash);
    bytes(writer, 14, header.proposerAddress);
  });
}

function encodeCommit(commit: Commit): Uint8Array {
  return message((writer) => {
    varint(writer, 1, commit.height);
    varint(writer, 2, commit.round);
    nested(writer, 3, blockId(commit.blockId));
    for (const signature of commit.signatures) nested(writer, 4, commitSignature(signature));
  });
}

/** Encodes a block. Its size and its parts are those of these bytes. */
export function encodeBlock({ header, txs, lastCommit }: Block): Uint8Array {
  const data = message((writer) => {
    for (const tx of txs) nested(writer, 1, tx);
  });
  return message((writer) => {
    nested(writer, 1, encodeHeader(header));
    nested(writer, 2, data);
    nested(writer, 3, new Uint8Array());
    nested(writer, 4, encodeCommit(lastCommit));
  });
}

/** Computes the hash of a header, which is that of the block: the Merkle root of its encoded fields. */
export function hashHeader(header: Header): Uint8Array {
  const wrapped = (value: Uint8Array) => message((writer) => bytes(writer, 1, value));
  return merkleRoot([
    version(header.version),
    message((writer) => text(writer, 1, header.chainId)),
    message((writer) => varint(writer, 1, header.height)),
    timestamp(header.time),
    blockId(header.lastBlockId),
    wrapped(header.lastCommitHash),
    wrapped(header.dataHash),
    wrapped(header.validatorsHash),
    wrapped(header.nextValidatorsHash),
    wrapped(header.consensusHash),
    wrapped(header.appHash),
    wrapped(header.lastResultsHash),
    wrapped(header.evidenceHash),
    wrapped(header.proposerAddress),
  ]);
}

const partBytes = 65536;

/** Computes the number of parts of an encoded block, and their Merkle root. */
export function hashParts(encoded: Uint8Array): BlockId['parts'] {
  const parts: Uint8Array[] = [];
  for (let start = 0; start < encoded.length; start += partBytes) parts.push(encoded.subarray(start, start + partBytes));
  return { total: parts.length, hash: merkleRoot(parts) };
}

/** Computes `last_commit_hash`: the Merkle root of the signatures. */
export function hashCommit({ signatures }: Commit): Uint8Array {
  return merkleRoot(signatures.map(commitSignature));
}

/** Computes `validators_hash`: the Merkle root of the public keys and powers. */
export function hashValidators(validators: readonly Validator[]): Uint8Array {
  return merkleRoot(
    validators.map(({ publicKey, power }) =>
      message((writer) => {
        nested(
          writer,
          1,
          message((key) => bytes(key, 1, publicKey)),
        );
        varint(writer, 2, power);
      }),
    ),
  );
}

/** Computes `consensus_hash`, the hash of the block limits. */
export function hashConsensusParams({ maxBytes, maxGas }: Pick<ConsensusParams, 'maxBytes' | 'maxGas'>): Uint8Array {
  return sha256(
    message((writer) => {
      varint(writer, 1, maxBytes);
      varint(writer, 2, maxGas);
    }),
  );
}

/** Computes `last_results_hash`, from the deterministic members of the results. The log and the events are not included. */
export function hashResults(results: readonly Pick<TxResult, 'code' | 'data' | 'gasWanted' | 'gasUsed'>[]): Uint8Array {
  return merkleRoot(
    results.map(({ code, data, gasWanted, gasUsed }) =>
      message((writer) => {
        varint(writer, 1, code);
        bytes(writer, 2, data ?? new Uint8Array());
        varint(writer, 5, gasWanted);
        varint(writer, 6, gasUsed);
      }),
    ),
  );
}

/** Returns the bytes that a validator signs: the canonical precommit (`type` 2) or prevote (1), prefixed with its length. */
export function voteSignBytes(vote: {
  readonly type: 1 | 2;
  readonly height: bigint;
  readonly round: number;
  /** undefined for a vote for no block. */
  readonly blockId: BlockId | undefined;
  readonly timestamp: bigint;
  readonly chainId: string;
}): Uint8Array {
  const canonical = message((writer) => {
    varint(writer, 1, vote.type);
    writer.tag(2, WireType.Bit64).sfixed64(vote.height);
    if (vote.round !== 0) writer.tag(3, WireType.Bit64).sfixed64(BigInt(vote.round));
    if (vote.blockId !== undefined) nested(writer, 4, blockId(vote.blockId));
    nested(writer, 5, timestamp(vote.timestamp));
    text(writer, 6, vote.chainId);
  });
  return message((writer) => writer.bytes(canonical));
}
