import {
  createPartialTree,
  firstOf,
  hashOf,
  isInner,
  type Leaf,
  lastOf,
  type Node,
  type PartialTree,
  valueHashOf,
  walkFrom,
} from './partialTree.ts';

/** Keys that may differ between two trees: those after `after` and before `before`. Keys are texts with a character for each byte, whose order is that of the bytes. */
export interface KeyGap {
  /** Undefined: from the first key on. */
  readonly after: string | undefined;
  /** Undefined: up to the last key. */
  readonly before: string | undefined;
  /** The first and the last of them, as far as they are known. No key between `after` and `first`, or between `last` and `before`, is in the gap. */
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** Whether a proof at the later root may make it smaller. */
  readonly isOpen: boolean;
}

/** The keys that may differ between a store at an earlier root and at a later one. */
export interface TreeChanges {
  /** Keys whose value differs, or that only one of the two has. Those in an open gap are left out. */
  readonly keys: readonly string[];
  readonly gaps: readonly KeyGap[];
}

/** The height of an inner node in the tree; 0 for others. It is the first number of the prefix, with a sign. */
const heightOf = (node: Node | undefined): number => (isInner(node) ? node.prefix.charCodeAt(0) : 0);

const isSame = (one: Node | undefined, other: Node | undefined): boolean =>
  one !== undefined && other !== undefined && (one === other || hashOf(one) === hashOf(other));

const isLeaf = (node: Node | undefined): node is Leaf => typeof node === 'object' && !isInner(node);

const isSameLeaf = (one: Node | undefined, other: Node | undefined): boolean =>
  isLeaf(one) && isLeaf(other) && one.key === other.key && valueHashOf(one) === valueHashOf(other);

/** The key at one end of a node. Undefined if it is not known. */
const endOf = (node: Node, side: 'left' | 'right'): string | undefined =>
  isInner(node) ? endOf(node[side], side) : firstOf(node);

/** A tree that is walked in the order of its keys. */
class Walk {
  readonly #open: Node[];
  /** The last key that was passed, as far as it is known. */
  #last: string | undefined;

  constructor(top: Node | undefined) {
    this.#open = top === undefined ? [] : [top];
  }

  get next(): Node | undefined {
    return this.#open.at(-1);
  }

  /** The first key that is known after the next `skipped` nodes. */
  #firstAfter(skipped: number): string | undefined {
    for (let at = this.#open.length - 1 - skipped; at >= 0; at -= 1) {
      const node = this.#open[at];
      const first = node && firstOf(node);
      if (first !== undefined) return first;
    }
    return undefined;
  }

  /** Walks over the next node. */
  pass(): void {
    const node = this.#open.pop();
    this.#last = (node && lastOf(node)) ?? this.#last;
  }

  /** Walks over the next node, and returns where its keys are. */
  passAsGap(isOpen: boolean): KeyGap {
    const after = this.#last;
    this.pass();
    return { after, before: this.#firstAfter(0), first: undefined, last: undefined, isOpen };
  }

  /** Replaces the next node by its children. */
  enter(): void {
    const node = this.#open.pop();
    if (isInner(node)) this.#open.push(node.right, node.left);
  }

  /** Walks over everything that is before a key, and returns where its keys are. Undefined: to the end. */
  passUntil(key: string | undefined): KeyGap | undefined {
    const after = this.#last;
    let [first, last]: (string | undefined)[] = [];
    let hasPassed = false;
    for (let node = this.next; node !== undefined; node = this.next) {
      const firstKnown = firstOf(node);
      if (key !== undefined && firstKnown !== undefined && firstKnown >= key) break;
      const end = this.#firstAfter(1);
      const isBefore = key === undefined || !isInner(node) || (end !== undefined && end <= key);
      if (isBefore) {
        if (!hasPassed) first = endOf(node, 'left');
        last = endOf(node, 'right');
        this.pass();
        hasPassed = true;
      } else this.enter();
    }
    return hasPassed ? { after, before: this.#firstAfter(0), first, last, isOpen: true } : undefined;
  }
}

const isIn = (key: string, { after, before, first, last }: KeyGap): boolean =>
  (first === undefined ? after === undefined || after < key : first <= key) &&
  (last === undefined ? before === undefined || key < before : key <= last);

const overlap = (one: KeyGap, other: KeyGap): boolean =>
  (one.before === undefined || other.after === undefined || other.after < one.before) &&
  (other.before === undefined || one.after === undefined || one.after < other.before);

/**
 * Finds the keys that may differ between the store at an earlier root and at a later one. Every key whose presence or value differs is one of the keys or in one of the gaps; a
 * key in a gap may also be unchanged. Parts with equal hashes are not looked into, so the work grows with what differs.
 */
export function changedKeys(earlier: PartialTree, later: PartialTree): TreeChanges {
  // What is passed in both trees at once is the same in both. Everything else is noted, whichever order it is passed in.
  const keys: string[] = [];
  const gaps: KeyGap[] = [];
  const [before, after] = [new Walk(earlier.top), new Walk(later.top)];
  for (;;) {
    const [one, other] = [before.next, after.next];
    if (one === undefined && other === undefined) break;
    const [height, otherHeight] = [heightOf(one), heightOf(other)];
    if (isSame(one, other)) {
      before.pass();
      after.pass();
    } else if (typeof other === 'string') {
      const gap = after.passAsGap(true);
      const passed = before.passUntil(gap.before);
      gaps.push(gap, ...(passed === undefined ? [] : [passed]));
    } else if (height > 0 || otherHeight > 0) {
      if (height >= otherHeight) before.enter();
      if (otherHeight >= height) after.enter();
    } else if (typeof one === 'string') gaps.push(before.passAsGap(false));
    else {
      const [key, otherKey] = [one && firstOf(one), other && firstOf(other)];
      const isFirst = key !== undefined && (otherKey === undefined || key <= otherKey);
      const isLast = otherKey !== undefined && (key === undefined || otherKey <= key);
      const changed = isFirst ? key : otherKey;
      if (!isSameLeaf(one, other) && changed !== undefined) keys.push(changed);
      if (isFirst) before.pass();
      if (isLast) after.pass();
    }
  }
  const open = gaps.filter(({ isOpen }) => isOpen);
  return {
    keys: keys.filter((key) => !open.some((gap) => isIn(key, gap))),
    gaps: gaps.map((gap) => (gap.isOpen || !open.some((each) => overlap(gap, each)) ? gap : { ...gap, isOpen: true })),
  };
}

/**
 * The nodes of a tree where parts of a later tree may be found, along the way to a key: a rotation moves a part by one or two levels. Those of which only the hash is at
 * hand are left out.
 */
function nodesAlong(top: Node, key: string): readonly Node[] {
  const near: Node[] = [];
  const childrenOf = (node: Node): readonly Node[] => (isInner(node) ? [node.left, node.right] : []);
  walkFrom(top, key, (node) => {
    for (const child of childrenOf(node)) near.push(child, ...childrenOf(child));
    return !isInner(node) && (firstOf(node) ?? key) > key;
  });
  return near.filter((node) => typeof node !== 'string');
}

/** Makes the tree of a store at a later root, of which nothing else is known. Its parts that are the same in the earlier tree are known as soon as a proof shows their hashes. */
export function createLaterTree(root: Uint8Array, { top }: PartialTree): PartialTree {
  // The nodes alone: the earlier tree has those of the one before it, and so on.
  return createPartialTree(root, (key) => (top === undefined ? [] : nodesAlong(top, key)));
}
