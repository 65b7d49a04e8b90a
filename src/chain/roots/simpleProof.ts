import { createHash } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { CommitmentProofSchema, HashOp, type InnerOp, type LeafOp, LengthOp } from '../../proto/cosmos/ics23/v1/proofs_pb.js';
import { malformed } from '../wire/json.ts';

/** Proves the root of one store under an application hash. All hashes are SHA-256 in lower case hex. */
export interface SimpleProof {
  /** The name of the store. */
  readonly store: string;
  /** The root of the store. */
  readonly root: string;
  /** The hashes from the leaf of the store up to `appHash`, both included. */
  readonly path: readonly string[];
  /** The hash of the neighbour at each step of the path. Each covers the names and the roots of one or several other stores. */
  readonly neighbours: readonly string[];
  /** The application hash that the proof leads to. The caller compares it with the one that it trusts. */
  readonly appHash: string;
}

/** The length of a SHA-256 hash, in bytes. */
const hashBytes = 32;

/** The most steps of a path. Six are enough for 64 stores. */
const longestPath = 64;

const leafPrefix = Uint8Array.of(0);
const innerPrefix = Uint8Array.of(1);

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** The bytes with their length in front. The length is one byte: names and hashes are shorter than 128 bytes. */
function withLength(bytes: Uint8Array): Uint8Array {
  if (bytes.length > 127) throw malformed('a store proof with a name of more than 127 bytes');
  return Uint8Array.of(bytes.length, ...bytes);
}

function checkLeaf(leaf: LeafOp | undefined): void {
  const isSimple =
    leaf?.hash === HashOp.SHA256 &&
    leaf.prehashKey === HashOp.NO_HASH &&
    leaf.prehashValue === HashOp.SHA256 &&
    leaf.length === LengthOp.VAR_PROTO &&
    leafPrefix.length === leaf.prefix.length &&
    leaf.prefix[0] === leafPrefix[0];
  if (!isSimple) throw malformed('a store proof with another leaf than that of the simple Merkle tree');
}

/** The hash of the neighbour in a step of the path. Throws for any step that the simple Merkle tree does not have. */
function neighbourOf({ hash, prefix, suffix }: InnerOp): Uint8Array {
  const isInner = hash === HashOp.SHA256 && prefix[0] === innerPrefix[0];
  if (isInner && prefix.length === 1 && suffix.length === hashBytes) return suffix;
  if (isInner && prefix.length === 1 + hashBytes && suffix.length === 0) return prefix.subarray(1);
  throw malformed('a store proof with another step than those of the simple Merkle tree');
}

function decodeProof(data: Uint8Array) {
  try {
    return fromBinary(CommitmentProofSchema, data).proof;
  } catch {
    throw malformed('a store proof that is not a CommitmentProof');
  }
}

/**
 * Decodes the `ics23:simple` operation of a proof and computes the hashes that it leads to. `data` is a
 * `cosmos.ics23.v1.CommitmentProof` of existence by the specification that ICS 23 calls Tendermint: the tree of RFC 6962 over
 * leaves of a name and a hashed root. Throws NODE_INVALID_RESPONSE for any other proof, and for a proof of another store. Only
 * the caller can verify `appHash`.
 */
export function decodeSimpleProof(data: Uint8Array, store: string): SimpleProof {
  const proof = decodeProof(data);
  if (proof.case !== 'exist') throw malformed('a store proof that is not a proof of existence');
  const { key, value, leaf, path: steps } = proof.value;
  if (Buffer.from(key).toString('latin1') !== store) throw malformed(`a store proof for another store than ${store}`);
  if (value.length !== hashBytes) throw malformed('a store proof whose value is not a hash');
  if (steps.length > longestPath) throw malformed(`a store proof of more than ${longestPath} steps`);
  checkLeaf(leaf);
  let hash = sha256(leafPrefix, withLength(key), withLength(sha256(value)));
  const path = [hash.toString('hex')];
  const neighbours: string[] = [];
  for (const step of steps) {
    neighbours.push(Buffer.from(neighbourOf(step)).toString('hex'));
    hash = sha256(step.prefix, hash, step.suffix);
    path.push(hash.toString('hex'));
  }
  return { store, root: Buffer.from(value).toString('hex'), path, neighbours, appHash: hash.toString('hex') };
}
