import { bytesOf, compareBytes, equalBytes, noBytes, textOf } from './bytes.ts';
import { malformed, ProofError } from './errors.ts';
import { emptyRoot, hashInner, hashLeaf, hashLength, isLeftStep, isStepOf, pathOf, readPrefix } from './iavl.ts';
import { decodeProof, type Existence, maxKey } from './ics23.ts';
import { sha256 } from './merkle.ts';
import { readVarint, varint, varintEnd } from './proto.ts';
import type { RangeBounds, Row } from './rows.ts';

/** A key. Its value may have been left out: then its hash stands for it. Bytes are texts here: see `textOf`. */
export interface Leaf {
  readonly hash: string;
  readonly prefix: string;
  readonly key: string;
  readonly value: string | undefined;
  /** Undefined if the value is there. */
  readonly valueHash: string | undefined;
}

export interface Inner {
  readonly hash: string;
  readonly prefix: string;
  readonly left: Node;
  readonly right: Node;
  /** The smallest key of the leaves below it. */
  readonly first: string | undefined;
  /** The memory of all that is below it. */
  readonly below: number;
}

/** A text is the hash of a part of which nothing else is at hand. */
export type Node = string | Leaf | Inner;

export const isInner = (node: Node | undefined): node is Inner => typeof node === 'object' && 'left' in node;

export const hashOf = (node: Node): string => (typeof node === 'string' ? node : node.hash);

/** A read of a tree: one key, or the keys with a prefix. */
export type TreeRead =
  | { readonly key: Uint8Array }
  | { readonly prefix: Uint8Array; readonly bounds?: RangeBounds | undefined };

/** The rows of a range, from its start. */
export interface TreeRows {
  readonly rows: readonly Row[];
  /** Whether these are all rows that were asked for. If not, what follows the last row is unknown. */
  readonly isComplete: boolean;
}

/** The part of the tree of one store at one root that is proven. */
export interface PartialTree {
  /** The top of what is known; undefined if the store has no keys. */
  readonly top: Node | undefined;
  /** The root of the store. */
  readonly root: Uint8Array;
  /**
   * Adds a proof: the data of an operation `ics23:iavl`, of existence or of absence. Whichever key it is about, everything on its paths becomes part of the tree.
   * Throws MALFORMED, or NOT_PROVEN if it leads to another root.
   */
  insert(proof: Uint8Array): void;
  /** Whether it is known what the store has under a key. */
  has(key: Uint8Array): boolean;
  /** The value of a key; null if the store does not have the key; undefined if this is unknown. */
  get(key: Uint8Array): Uint8Array | null | undefined;
  /** The rows whose keys have a prefix, in key order. They are complete if no unknown part of the tree is between them, nor between them and the ends of the range. */
  range(prefix: Uint8Array, bounds?: RangeBounds): TreeRows;
  /**
   * Encodes the tree, or the part of it that some reads need, in which nodes that they share are once. Every read must be known; otherwise it throws NOT_PROVEN.
   * The encoding of the store without keys has no bytes.
   */
  encode(reads?: readonly TreeRead[]): Uint8Array;
  /** About how many bytes of memory it occupies. */
  readonly memory: number;
}

/** The first key that is known in a node. */
export const firstOf = (node: Node): string | undefined =>
  typeof node === 'string' ? undefined : isInner(node) ? node.first : node.key;
/** The last key that is known in a node. */
export const lastOf = (node: Node): string | undefined =>
  typeof node === 'string' ? undefined : isInner(node) ? (lastOf(node.right) ?? lastOf(node.left)) : node.key;

/** Joins two halves. Throws MALFORMED unless the keys of the left one come first. */
function joined(hash: string, prefix: string, left: Node, right: Node): Inner {
  const [before, after] = [lastOf(left), firstOf(right)];
  if (before !== undefined && after !== undefined && before >= after) throw malformed('a tree whose keys are not in order');
  return { hash, prefix, left, right, first: firstOf(left) ?? after, below: memoryOf(left) + memoryOf(right) };
}

/** The memory of an inner node, of a hash, and of a leaf beside its key and value. `test/verify/treeMemory.test.ts` measures them. */
const [innerMemory, hashMemory, leafMemory] = [144, 48, 160];

function memoryOf(node: Node): number {
  if (typeof node === 'string') return hashMemory;
  return isInner(node) ? innerMemory + node.below : leafMemory + node.key.length + (node.value?.length ?? hashLength);
}

/** The nodes of an earlier tree that may be parts of this one, along the way to a key. */
export type KnownParts = (key: string) => readonly Node[];

/** The first bytes of encoded nodes other than `00`, a leaf, and the height of an inner node, which is even: heights are signed. */
const unreadTag = '\x01';
const valuelessTag = '\x03';

/**
 * Visits the nodes from the last leaf at or before a key on, in the order of the keys, each inner node before those below it, until `visit` returns true. An unread part
 * is among them if keys at or after the given one may be in it.
 */
export function walkFrom(root: Node, key: string, visit: (node: Node) => boolean): void {
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined && !visit(node); node = open.pop()) {
    if (!isInner(node)) continue;
    open.push(node.right);
    const first = firstOf(node.right);
    // All keys of the left half come before the first one of the right half.
    if (first === undefined || first > key) open.push(node.left);
  }
}

/** Hears of each node that a read needs, and whether it needs the value. */
type Needed = (node: Node, needsValue: boolean) => void;

function readKey(root: Node, key: string, needed?: Needed): string | null | undefined {
  let value: string | null | undefined = null;
  walkFrom(root, key, (node) => {
    const isKey = !isInner(node) && firstOf(node) === key;
    needed?.(node, isKey);
    if (typeof node === 'string') value = undefined;
    else if (isInner(node) || node.key < key) return false;
    else if (isKey) value = node.value;
    return true;
  });
  return value;
}

/** The leaves of a range, from its start, and whether they are all. */
function readLeaves(root: Node, prefix: Uint8Array, { from = prefix, most }: RangeBounds, needed?: Needed) {
  const [start, before] = [textOf(compareBytes(from, prefix) < 0 ? prefix : from), textOf(prefix)];
  const leaves: Leaf[] = [];
  let isComplete = true;
  if (most === undefined || most > 0)
    walkFrom(root, start, (node) => {
      const leaf = typeof node === 'string' || isInner(node) ? undefined : node;
      const isRow = leaf !== undefined && leaf.key >= start && leaf.key.startsWith(before);
      needed?.(node, isRow);
      if (isInner(node) || (leaf && leaf.key < start)) return false;
      if (isRow ? leaf.value === undefined : !leaf) isComplete = false;
      else if (isRow) return leaves.push(leaf) === most;
      return true;
    });
  return { leaves, isComplete };
}

/** The hash of the value of a leaf. */
export const valueHashOf = ({ value, valueHash = '' }: Leaf): string =>
  value === undefined ? valueHash : textOf(sha256(bytesOf(value)));

/** A text after its length. */
const sized = (text: string): string => textOf(varint(text.length)) + text;

const otherRoot = (): ProofError => new ProofError('NOT_PROVEN', 'The proof leads to another root than that of the store.');

/** Makes a tree from its root. Undefined is the store without keys. */
function treeOf(top: Node | undefined, knownParts?: KnownParts): PartialTree {
  let node = top;
  const root = top === undefined ? emptyRoot : bytesOf(hashOf(top));

  /**
   * Adds a leaf and the lowest `count` steps of its path to a node. Where the path meets nodes at hand it is compared and not hashed: equal hashes have equal content.
   */
  function added(to: Node, existence: Existence, count: number): Node {
    if (isInner(to)) {
      const { hash, prefix, left, right } = to;
      const step = existence.steps[count - 1] ?? noBytes;
      const isLeft = isLeftStep(step, prefix.length);
      const [child, other] = isLeft ? [left, right] : [right, left];
      if (!isStepOf(step, prefix, isLeft, hashOf(other))) throw otherRoot();
      const node = added(child, existence, count - 1);
      if (node === child) return to;
      return isLeft ? joined(hash, prefix, node, right) : joined(hash, prefix, left, node);
    }
    const { path, hash } = pathOf(existence, count);
    if ((path.at(-1)?.hash ?? hash) !== hashOf(to)) throw otherRoot();
    if (typeof to === 'object' && to.value !== undefined) return to;
    const { key, value, leafPrefix } = existence;
    const leafKey = textOf(key);
    let node: Node = { hash, prefix: textOf(leafPrefix), key: leafKey, value: textOf(value), valueHash: undefined };
    // Equal hashes have equal content, so what an earlier tree has read of a part is known here, too.
    const near = path.length === 0 ? undefined : knownParts?.(leafKey);
    for (const { hash, prefix, isLeft, sibling } of path) {
      const other = near?.find((each) => hashOf(each) === sibling) ?? sibling;
      node = isLeft ? joined(hash, prefix, node, other) : joined(hash, prefix, other, node);
    }
    return node;
  }

  return {
    root,
    get top() {
      return node;
    },
    get memory() {
      return node === undefined ? 0 : memoryOf(node);
    },
    insert(proof) {
      const decodedProof = decodeProof(proof);
      const { absence } = decodedProof.kind === 'ABSENCE' ? decodedProof : {};
      const existences = decodedProof.kind === 'EXISTENCE' ? [decodedProof.existence] : [absence?.left, absence?.right];
      const present = existences.filter((existence) => existence !== undefined);
      if ((present.length === 0) !== (node === undefined)) throw otherRoot();
      for (const existence of present) node = node && added(node, existence, existence.steps.length);
    },
    has: (key) => node === undefined || readKey(node, textOf(key)) !== undefined,
    get(key) {
      const value = node === undefined ? null : readKey(node, textOf(key));
      return value == null ? value : bytesOf(value);
    },
    range(prefix, bounds = {}) {
      if (node === undefined) return { rows: [], isComplete: true };
      const { leaves, isComplete } = readLeaves(node, prefix, bounds);
      return { rows: leaves.map(({ key, value = '' }) => [bytesOf(key), bytesOf(value)]), isComplete };
    },
    encode(reads) {
      if (node === undefined) return new Uint8Array();
      const top = node;
      const needs = new Map<Node, boolean>();
      const needed: Needed = (each, needsValue) => needs.set(each, needsValue || needs.get(each) === true);
      const isProven = reads?.every((read) =>
        'key' in read
          ? readKey(top, textOf(read.key), needed) !== undefined
          : readLeaves(top, read.prefix, read.bounds ?? {}, needed).isComplete,
      );
      if (isProven === false) throw new ProofError('NOT_PROVEN', 'The tree does not prove a read.');
      const parts: string[] = [];
      const open: Node[] = [top];
      for (let each = open.pop(); each !== undefined; each = open.pop()) {
        if (typeof each === 'string' || (reads !== undefined && !needs.has(each))) parts.push(unreadTag, hashOf(each));
        else if (isInner(each)) {
          parts.push(each.prefix);
          open.push(each.right, each.left);
        } else {
          const { prefix, key, value } = each;
          // What only shows where a range ends may have a long value.
          const isNeeded = reads === undefined || needs.get(each) === true || (value?.length ?? 0) < hashLength;
          const withValue = value !== undefined && isNeeded;
          parts.push(withValue ? '' : valuelessTag, prefix, sized(key), withValue ? sized(value) : valueHashOf(each));
        }
      }
      return bytesOf(parts.join(''));
    },
  };
}

/** Makes a tree of which nothing but the root is known. It grows with each proof. Parts are known as soon as a proof shows the hash of one that `knownParts` returns. */
export function createPartialTree(root: Uint8Array, knownParts?: KnownParts): PartialTree {
  return treeOf(equalBytes(root, emptyRoot) ? undefined : textOf(root), knownParts);
}

/** Decodes a tree that {@link PartialTree.encode} wrote. The caller compares its root with that of the store. Throws MALFORMED. */
export function decodePartialTree(bytes: Uint8Array): PartialTree {
  let at = 0;

  function take(length: number): Uint8Array {
    if (length > bytes.length - at) throw malformed('a tree that ends within a node');
    at += length;
    return bytes.subarray(at - length, at);
  }

  function takeSized(most: number): Uint8Array {
    const length = readVarint(bytes, at, 'a tree');
    if (length > most) throw malformed('a tree with a key that is too long');
    at = varintEnd(bytes, at);
    return take(length);
  }

  function takeLeaf(hasValue: boolean): Leaf {
    const { height, end } = readPrefix(bytes, at);
    if (height !== 0) throw malformed('a leaf of a tree that has a height');
    const prefix = take(end - at);
    const key = takeSized(maxKey);
    if (key.length === 0) throw malformed('a tree with an empty key');
    const value = hasValue ? takeSized(bytes.length) : undefined;
    const valueHash = value === undefined ? take(hashLength) : sha256(value);
    return {
      hash: textOf(hashLeaf(prefix, key, valueHash)),
      prefix: textOf(prefix),
      key: textOf(key),
      value: value && textOf(value),
      valueHash: value === undefined ? textOf(valueHash) : undefined,
    };
  }

  /** Takes a node that is below one with this height and this size. The height bounds the depth. */
  function takeNode(above: { readonly height: number; readonly size: bigint }): Node {
    const tag = textOf(bytes.subarray(at, at + 1));
    if (tag === unreadTag) {
      at += 1;
      return textOf(take(hashLength));
    }
    if (tag === valuelessTag) {
      at += 1;
      return takeLeaf(false);
    }
    if (tag === '\0') return takeLeaf(true);
    const { height, size, end } = readPrefix(bytes, at);
    if (height >= above.height || size >= above.size)
      throw malformed('a tree with a node that is higher than the one above it');
    const prefix = take(end - at);
    const left = takeNode({ height, size });
    const right = takeNode({ height, size });
    const hash = hashInner(prefix, bytesOf(hashOf(left)), bytesOf(hashOf(right)));
    return joined(textOf(hash), textOf(prefix), left, right);
  }

  if (bytes.length === 0) return treeOf(undefined);
  const top = takeNode({ height: 128, size: 1n << 64n });
  if (at < bytes.length) throw malformed('a tree that does not end where it should');
  return treeOf(top);
}
