import { concat, noBytes } from './bytes.ts';
import { malformed } from './errors.ts';
import { decodeStep, type Existence, type InnerStep } from './ics23.ts';
import { sha256 } from './merkle.ts';
import { varint } from './proto.ts';

/** An inner node on a proven path. */
export interface PathNode {
  readonly hash: Uint8Array;
  /** The node's height, size and version, as IAVL hashes them. */
  readonly prefix: Uint8Array;
  /** Whether the path comes from the left child. */
  readonly isLeft: boolean;
  /** The hash of the other child. */
  readonly sibling: Uint8Array;
}

/** A leaf, and inner nodes from there upwards. */
export interface LeafPath {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly valueHash: Uint8Array;
  readonly hash: Uint8Array;
  readonly prefix: Uint8Array;
  readonly path: readonly PathNode[];
}

/** The length of SHA-256, before which the tree writes this byte. */
export const hashLength = 32;

/** Reads a signed integer of Go (`binary.PutVarint`), in the shortest encoding. Throws MALFORMED. */
function readVarint(bytes: Uint8Array, from: number): { readonly value: bigint; readonly end: number } {
  let unsigned = 0n;
  for (let at = from; at < from + 10; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) break;
    unsigned |= BigInt(byte & 127) << BigInt(7 * (at - from));
    if (byte > 127) continue;
    if ((byte === 0 && at > from) || unsigned >= 2n ** 64n) break;
    return { value: (unsigned & 1n) === 0n ? unsigned >> 1n : -((unsigned + 1n) >> 1n), end: at + 1 };
  }
  throw malformed('a node of the tree with an invalid integer');
}

/** What a node of the tree begins with. */
export interface NodePrefix {
  readonly height: number;
  readonly size: bigint;
  /** The number of bytes that it takes. */
  readonly end: number;
}

/** The greatest height of a node. */
const maxHeight = 127n;

/** Reads what a node of the tree begins with: height, size and version. Throws MALFORMED. */
export function readPrefix(bytes: Uint8Array, from = 0): NodePrefix {
  const height = readVarint(bytes, from);
  const size = readVarint(bytes, height.end);
  const version = readVarint(bytes, size.end);
  if (height.value < 0n || height.value > maxHeight) throw malformed('a node of the tree with an invalid height');
  if (size.value < 1n || version.value < 0n) throw malformed('a node of the tree with an invalid size or version');
  // A leaf has height 0, and an inner node is higher: no node passes for one of the other kind.
  if ((height.value === 0n) !== (size.value === 1n)) throw malformed('a node of the tree whose height does not fit its size');
  return { height: Number(height.value), size: size.value, end: version.end };
}

/** The hash of a leaf. The value is hashed first, so an empty value is as unambiguous as others. Strict verifiers of ICS 23 refuse it. */
export function hashLeaf(prefix: Uint8Array, key: Uint8Array, valueHash: Uint8Array): Uint8Array {
  return sha256(prefix, varint(key.length), key, varint(hashLength), valueHash);
}

/** The hash of an inner node. */
export function hashInner(prefix: Uint8Array, left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(prefix, varint(hashLength), left, varint(hashLength), right);
}

/** Whether the bytes are the length of a hash and a hash. */
function isHash(bytes: Uint8Array): boolean {
  return bytes.length === hashLength + 1 && bytes[0] === hashLength;
}

/** Reads one step of a path: from the left child, with the other hash in `suffix`, or from the right one, with the other hash in `prefix`. */
function readStep({ prefix, suffix }: InnerStep): Omit<PathNode, 'hash'> & NodePrefix {
  const node = readPrefix(prefix);
  const rest = prefix.subarray(node.end);
  const parts = { ...node, prefix: prefix.slice(0, node.end) };
  if (isHash(suffix) && rest.length === 1 && rest[0] === hashLength)
    return { ...parts, isLeft: true, sibling: suffix.slice(1) };
  const isRight = suffix.length === 0 && rest.length === hashLength + 2 && isHash(rest.subarray(0, hashLength + 1));
  if (isRight && rest.at(-1) === hashLength) return { ...parts, isLeft: false, sibling: rest.slice(1, hashLength + 1) };
  throw malformed('a node of the tree with another form than IAVL');
}

/**
 * Computes the hashes of the lowest `count` steps of a path, from its leaf upwards. The caller compares the last one. Throws MALFORMED for a proof of another tree than IAVL.
 */
export function pathOf({ key, value, leafPrefix, steps }: Existence, count: number): LeafPath {
  const leaf = readPrefix(leafPrefix);
  if (leaf.height !== 0 || leaf.end !== leafPrefix.length) throw malformed('a leaf of another form than IAVL');
  const valueHash = sha256(value);
  const hash = hashLeaf(leafPrefix, key, valueHash);
  let below: NodePrefix = leaf;
  let top = hash;
  const path = steps.slice(0, count).map((step): PathNode => {
    const node = readStep(decodeStep(step));
    if (node.height <= below.height || node.size <= below.size) throw malformed('a path that does not lead upwards');
    const { prefix, isLeft, sibling } = node;
    top = isLeft ? hashInner(prefix, top, sibling) : hashInner(prefix, sibling, top);
    below = node;
    return { hash: top, prefix, isLeft, sibling };
  });
  return { key: key.slice(), value: value.slice(), valueHash, hash, prefix: leafPrefix.slice(), path };
}

const length = Uint8Array.of(hashLength);
const suffixStart = Uint8Array.of(hashLength, 26, hashLength + 1, hashLength);

/** The step from a child of an inner node, as it is encoded. `sibling` is the hash of the other child. */
export const encodeStep = (prefix: Uint8Array, isLeft: boolean, sibling: Uint8Array): Uint8Array =>
  concat(
    Uint8Array.of(8, 1, 18, prefix.length + (isLeft ? 1 : hashLength + 2)),
    prefix,
    isLeft ? suffixStart : length,
    sibling,
    isLeft ? noBytes : length,
  );

/** The root of a store without keys: SHA-256 of no bytes. */
export const emptyRoot: Uint8Array = sha256();
