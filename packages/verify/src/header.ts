import { concat } from './bytes.ts';
import { malformed } from './errors.ts';
import { hexOf, int64Of, membersOf, numberOf, optionalHexOf, textOf, timeOf } from './json.ts';
import { merkleRoot } from './merkle.ts';
import { bytesField, messageField, textField, timestamp, varintField } from './proto.ts';

/** The length of SHA-256. */
export const hashLength = 32;

/** The length of the address of a validator. */
export const addressLength = 20;

/** The hash of a header, and of the parts of its block. Both are empty before the first block. */
export interface BlockId {
  readonly hash: Uint8Array;
  readonly parts: { readonly total: number; readonly hash: Uint8Array };
}

/** A header of CometBFT 0.38. Times are nanoseconds since 1970. */
export interface Header {
  readonly version: { readonly block: bigint; readonly app: bigint };
  readonly chainId: string;
  readonly height: bigint;
  readonly time: bigint;
  readonly lastBlockId: BlockId;
  readonly lastCommitHash: Uint8Array;
  readonly dataHash: Uint8Array;
  readonly validatorsHash: Uint8Array;
  readonly nextValidatorsHash: Uint8Array;
  readonly consensusHash: Uint8Array;
  /** The app hash after the block before. */
  readonly appHash: Uint8Array;
  readonly lastResultsHash: Uint8Array;
  readonly evidenceHash: Uint8Array;
  readonly proposerAddress: Uint8Array;
}

/** The longest chain id of CometBFT (`MaxChainIDLen`). */
export const maxChainId = 50;

/** The longest app hash. Applications of the Cosmos SDK have hashes of 32 bytes. */
const maxAppHash = 64;

/** Decodes a block id. With `optional`, an empty one is accepted, as in the first header. */
export function decodeBlockId(value: unknown, what: string, optional = false): BlockId {
  const { hash, parts } = membersOf(value, what, ['hash', 'parts']);
  const { total, hash: partsHash } = membersOf(parts, `parts of ${what}`, ['total', 'hash']);
  const read = optional ? optionalHexOf : hexOf;
  return {
    hash: read(hash, `hash of ${what}`, hashLength),
    parts: {
      total: numberOf(total, `total of ${what}`, 2 ** 32 - 1),
      hash: read(partsHash, `hash of the parts of ${what}`, hashLength),
    },
  };
}

const headerMembers = [
  'version',
  'chain_id',
  'height',
  'time',
  'last_block_id',
  'last_commit_hash',
  'data_hash',
  'validators_hash',
  'next_validators_hash',
  'consensus_hash',
  'app_hash',
  'last_results_hash',
  'evidence_hash',
  'proposer_address',
] as const;

/** Decodes a header as the RPC of a node prints it. Throws MALFORMED. */
export function decodeHeader(value: unknown): Header {
  const header = membersOf(value, 'the header', headerMembers);
  const version = membersOf(header.version, 'the version', ['block'], ['app']);
  const height = int64Of(header.height, 'height', 1n);
  const appHash = textOf(header.app_hash, 'app_hash', 2 * maxAppHash);
  const read = (name: (typeof headerMembers)[number]) => optionalHexOf(header[name], name, hashLength);
  // The zero of a protocol version is omitted.
  const app = version.app === undefined ? 0n : int64Of(version.app, 'version', 1n);
  return {
    version: { block: int64Of(version.block, 'version', 1n), app },
    chainId: textOf(header.chain_id, 'chain_id', maxChainId),
    height,
    time: timeOf(header.time, 'time'),
    lastBlockId: decodeBlockId(header.last_block_id, 'last_block_id', height === 1n),
    lastCommitHash: read('last_commit_hash'),
    dataHash: read('data_hash'),
    validatorsHash: hexOf(header.validators_hash, 'validators_hash', hashLength),
    nextValidatorsHash: hexOf(header.next_validators_hash, 'next_validators_hash', hashLength),
    consensusHash: read('consensus_hash'),
    appHash: optionalHexOf(appHash, 'app_hash', appHash.length / 2),
    lastResultsHash: read('last_results_hash'),
    evidenceHash: read('evidence_hash'),
    proposerAddress: hexOf(header.proposer_address, 'proposer_address', addressLength),
  };
}

/** Encodes a block id, also that of a canonical vote. */
export function encodeBlockId({ hash, parts }: BlockId): Uint8Array {
  const encodedParts = concat(varintField(1, parts.total), bytesField(2, parts.hash));
  return concat(bytesField(1, hash), messageField(2, encodedParts));
}

/** The hash of a header: the Merkle root of its encoded fields. It is the hash of the block. */
export function hashHeader(header: Header): Uint8Array {
  if (header.chainId === '') throw malformed('the header has no chain id');
  return merkleRoot([
    concat(varintField(1, header.version.block), varintField(2, header.version.app)),
    textField(1, header.chainId),
    varintField(1, header.height),
    timestamp(header.time),
    encodeBlockId(header.lastBlockId),
    ...[
      header.lastCommitHash,
      header.dataHash,
      header.validatorsHash,
      header.nextValidatorsHash,
      header.consensusHash,
      header.appHash,
      header.lastResultsHash,
      header.evidenceHash,
      header.proposerAddress,
    ].map((bytes) => bytesField(1, bytes)),
  ]);
}
