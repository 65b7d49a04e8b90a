import { hasText, textOf } from './bytes.ts';
import { malformed } from './errors.ts';
import type { Existence } from './ics23.ts';
import { sha256 } from './merkle.ts';
import { varint, varintEnd, varintIn } from './proto.ts';

/** An inner node on a proven path. Bytes are texts here: see `textOf`. */
export interface PathNode {
  readonly hash: string;
  /** The node's height, size and version, as IAVL hashes them. */
  readonly prefix: string;
  /** Whether the path comes from the left child. */
  readonly isLeft: boolean;
  /** The hash of the other child. */
  readonly sibling: string;
}

/** The hash of a leaf, and inner nodes from there upwards. */
export interface LeafPath {
  readonly hash: string;
  readonly path: readonly PathNode[];
}

/** The length of SHA-256, before which the tree writes this byte. */
export const hashLength = 32;

/** Reads an integer of Go (`binary.PutVarint`) that is not negative, in the shortest encoding. Throws MALFORMED. */
function readInteger(bytes: Uint8Array, from: number): { readonly value: bigint; readonly end: number } {
  const end = varintEnd(bytes, from);
  const [first = 1, last = 0] = [bytes[from], bytes[end - 1]];
  const isShortest = end === from + 1 || (last > 0 && (end < from + 10 || last === 1));
  // The lowest bit is the sign.
  if (end === 0 || !isShortest || first % 2 === 1) throw malformed('a node has an invalid integer');
  return { value: varintIn(bytes, from, end) >> 1n, end };
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
  const height = readInteger(bytes, from);
  const size = readInteger(bytes, height.end);
  const version = readInteger(bytes, size.end);
  // A leaf has height 0, and an inner node is higher: no node passes for one of the other kind.
  if (height.value > maxHeight || size.value === 0n || (height.value === 0n) !== (size.value === 1n))
    throw malformed('a node has an invalid integer');
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

/** Where the prefix of the node begins in a step. */
const prefixAt = 4;

/** Whether an encoded step is from the left child, if it is one from a node with a prefix of this length: then it is longer. */
export const isLeftStep = (step: Uint8Array, prefixLength: number): boolean => step.length > prefixLength + hashLength + 7;

/** Whether an encoded step is that from a child of an inner node. `sibling` is the hash of the other child. */
export function isStepOf(step: Uint8Array, prefix: string, isLeft: boolean, sibling: string): boolean {
  const end = prefixAt + prefix.length;
  // A space is the length of a hash, which is before each of the two. Field 3 is what follows the hash of the child.
  const [separator, last] = isLeft ? [' \x1a! ', ''] : [' ', ' '];
  const at = end + separator.length;
  return (
    step.length === at + hashLength + last.length &&
    step[3] === prefix.length + (isLeft ? 1 : hashLength + 2) &&
    hasText(step, '\b\x01\x12') &&
    hasText(step, prefix, prefixAt) &&
    hasText(step, separator, end) &&
    hasText(step, sibling, at) &&
    hasText(step, last, at + hashLength)
  );
}

/**
 * Computes the hashes of the lowest `count` steps of a path, from its leaf upwards. The caller compares the last one. Throws MALFORMED for a proof of another tree than IAVL.
 */
export function pathOf({ key, value, leafPrefix, steps }: Existence, count: number): LeafPath {
  let below = readPrefix(leafPrefix);
  if (below.height !== 0 || below.end !== leafPrefix.length) throw malformed('a leaf of another form than IAVL');
  let top = hashLeaf(leafPrefix, key, sha256(value));
  const hash = textOf(top);
  const path = steps.slice(0, count).map((step): PathNode => {
    const node = readPrefix(step, prefixAt);
    const prefixBytes = step.subarray(prefixAt, node.end);
    const isLeft = isLeftStep(step, prefixBytes.length);
    const at = node.end + (isLeft ? 4 : 1);
    const siblingBytes = step.subarray(at, at + hashLength);
    const [prefix, sibling] = [textOf(prefixBytes), textOf(siblingBytes)];
    if (siblingBytes.length < hashLength || !isStepOf(step, prefix, isLeft, sibling))
      throw malformed('a node of another form than IAVL');
    if (node.height <= below.height || node.size <= below.size) throw malformed('a path that does not lead upwards');
    top = isLeft ? hashInner(prefixBytes, top, siblingBytes) : hashInner(prefixBytes, siblingBytes, top);
    below = node;
    return { hash: textOf(top), prefix, isLeft, sibling };
  });
  return { hash, path };
}

/** The root of a store without keys: SHA-256 of no bytes. */
export const emptyRoot: Uint8Array = sha256();
