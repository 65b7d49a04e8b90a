import { compareBytes, concat, equalBytes } from './bytes.ts';
import { malformed, ProofError } from './errors.ts';
import { decodeProof, type Existence, type InnerStep } from './ics23.ts';
import { sha256 } from './merkle.ts';
import { varint } from './proto.ts';

/** One step of a proven path: on which side the path comes from, and the bytes around its hash. */
export interface TreeStep extends InnerStep {
  /** Whether the path comes from the left child. */
  readonly isLeft: boolean;
}

/** A key with its value, and where it is in the tree with this root. */
export interface Leaf {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly root: Uint8Array;
  readonly path: readonly TreeStep[];
}

/** The neighbours of an absent key. Without a left one, the right one is the first key of the store, and so on. An empty store has neither. */
export interface Gap {
  readonly root: Uint8Array;
  readonly left: Leaf | undefined;
  readonly right: Leaf | undefined;
}

/** The length of SHA-256, before which the tree writes this byte. */
const hashLength = 32;

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

/** Reads what a node of the tree begins with: height, size and version. */
function readNode(prefix: Uint8Array) {
  const height = readVarint(prefix, 0);
  const size = readVarint(prefix, height.end);
  const version = readVarint(prefix, size.end);
  if (version.value < 0n) throw malformed('a node of the tree with a negative version');
  return { height: height.value, size: size.value, rest: prefix.subarray(version.end) };
}

/** Whether the bytes are the length of a hash and a hash. */
function isHash(bytes: Uint8Array): boolean {
  return bytes.length === hashLength + 1 && bytes[0] === hashLength;
}

/** Reads on which side a path comes to a node: left of the other hash in `suffix`, or right of the one in `prefix`. */
function sideOf({ suffix }: InnerStep, rest: Uint8Array): boolean {
  if (isHash(suffix) && rest.length === 1 && rest[0] === hashLength) return true;
  const isRight = suffix.length === 0 && rest.length === hashLength + 2 && isHash(rest.subarray(0, hashLength + 1));
  if (isRight && rest.at(-1) === hashLength) return false;
  throw malformed('a node of the tree with another form than IAVL');
}

/** Computes the root that a proof of existence leads to. Throws MALFORMED for a proof of another tree than IAVL. */
function leafOf({ key, value, leafPrefix, path }: Existence): Leaf {
  const leaf = readNode(leafPrefix);
  if (leaf.height !== 0n || leaf.size !== 1n || leaf.rest.length > 0) throw malformed('a leaf of another form than IAVL');
  // The value is hashed first, so an empty value is as unambiguous as others. Strict verifiers of ICS 23 refuse it.
  const valueHash = sha256(value);
  let root = sha256(leafPrefix, varint(key.length), key, varint(hashLength), valueHash);
  let below: { readonly height: bigint; readonly size: bigint } = leaf;
  const steps: TreeStep[] = [];
  for (const step of path) {
    const node = readNode(step.prefix);
    // An inner node is higher and larger than its children, and a leaf has height 0: no node passes for another kind.
    if (node.height <= below.height || node.height > 127n || node.size <= below.size)
      throw malformed('a path that does not lead upwards');
    steps.push({ ...step, isLeft: sideOf(step, node.rest) });
    root = sha256(concat(step.prefix, root, step.suffix));
    below = node;
  }
  return { key, value, root, path: steps };
}

function equalSteps(one: TreeStep, other: TreeStep): boolean {
  return equalBytes(one.prefix, other.prefix) && equalBytes(one.suffix, other.suffix);
}

/**
 * Whether no key is between two keys of the same tree. Above the node where both paths meet, they are equal. To this node, the left path comes from the left child, the right one from
 * the right child. Below it, the left path comes from right children only, the right one from left children only.
 */
export function areNeighbours(left: Leaf, right: Leaf): boolean {
  if (!equalBytes(left.root, right.root)) return false;
  let leftAt = left.path.length - 1;
  let rightAt = right.path.length - 1;
  for (; leftAt >= 0 && rightAt >= 0; leftAt -= 1, rightAt -= 1) {
    const [leftStep, rightStep] = [left.path[leftAt], right.path[rightAt]];
    if (leftStep === undefined || rightStep === undefined || !equalSteps(leftStep, rightStep)) break;
  }
  if (left.path[leftAt]?.isLeft !== true || right.path[rightAt]?.isLeft !== false) return false;
  return (
    left.path.slice(0, leftAt).every(({ isLeft }) => !isLeft) && right.path.slice(0, rightAt).every(({ isLeft }) => isLeft)
  );
}

/** Whether a key is the first of its store. */
export function isFirst({ path }: Leaf): boolean {
  return path.every(({ isLeft }) => isLeft);
}

/** Whether a key is the last of its store. */
export function isLast({ path }: Leaf): boolean {
  return path.every(({ isLeft }) => !isLeft);
}

/** The root of a store without keys: SHA-256 of no bytes. */
export const emptyRoot: Uint8Array = sha256();

function notProven(what: string): ProofError {
  return new ProofError('NOT_PROVEN', `The proof does not prove ${what}.`);
}

/** Verifies that a store has a key with a value. Returns where it is; the caller compares its root. Throws MALFORMED or NOT_PROVEN. */
export function verifyExistence(proof: Uint8Array, key: Uint8Array, value: Uint8Array): Leaf {
  const decodedProof = decodeProof(proof);
  if (decodedProof.kind !== 'EXISTENCE') throw notProven('that the key exists');
  const leaf = leafOf(decodedProof.existence);
  if (!equalBytes(leaf.key, key)) throw notProven('this key');
  if (!equalBytes(leaf.value, value)) throw notProven('this value');
  return leaf;
}

/** Verifies that a store does not have a key. Returns its neighbours; the caller compares the root. Throws MALFORMED or NOT_PROVEN. */
export function verifyAbsence(proof: Uint8Array, key: Uint8Array): Gap {
  const decodedProof = decodeProof(proof);
  if (decodedProof.kind !== 'ABSENCE') throw notProven('that the key is absent');
  const { absence } = decodedProof;
  if (!equalBytes(absence.key, key)) throw notProven('this key');
  const left = absence.left && leafOf(absence.left);
  const right = absence.right && leafOf(absence.right);
  if (left !== undefined && compareBytes(left.key, key) >= 0) throw notProven('that the left neighbour comes first');
  if (right !== undefined && compareBytes(right.key, key) <= 0) throw notProven('that the right neighbour comes after it');
  if (left !== undefined && right !== undefined) {
    if (!areNeighbours(left, right)) throw notProven('that no key is between the neighbours');
  } else if (left !== undefined) {
    if (!isLast(left)) throw notProven('that the left neighbour is the last key');
  } else if (right !== undefined && !isFirst(right)) throw notProven('that the right neighbour is the first key');
  return { root: (left ?? right)?.root ?? emptyRoot, left, right };
}
