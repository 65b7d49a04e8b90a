import { compareBytes, concat, equalBytes, toHex } from './bytes.ts';
import { malformed, ProofError } from './errors.ts';
import { decodeProof, decodeStep, type InnerStep } from './ics23.ts';
import { sha256 } from './merkle.ts';
import { createPartialTree } from './partialTree.ts';
import { varint } from './proto.ts';

const hashLength = 32;
const innerPrefix = 1;

/** The most bytes of the name of a store. */
const maxName = 127;

/** Whether a step is one of the tree of RFC 6962: `01`, and the other hash on one side. */
function isSimpleStep({ prefix, suffix }: InnerStep): boolean {
  if (prefix[0] !== innerPrefix) return false;
  return prefix.length === 1 ? suffix.length === hashLength : prefix.length === hashLength + 1 && suffix.length === 0;
}

interface StorePath {
  readonly root: Uint8Array;
  readonly appHash: Uint8Array;
  /** The steps from the leaf to the app hash. */
  readonly path: readonly InnerStep[];
}

/** Whether a step comes from the left child. */
const isFromLeft = ({ prefix }: InnerStep): boolean => prefix.length === 1;

/**
 * Computes the root of a store and the app hash that its `ics23:simple` proof leads to. The caller compares the app hash with the
 * header of the next height. Throws MALFORMED for a proof of another tree, and NOT_PROVEN for one of another store.
 */
export function readStoreRoot(proof: Uint8Array, store: string): StorePath {
  const name = new TextEncoder().encode(store);
  if (name.length === 0 || name.length > maxName) throw malformed('the name of a store');
  const decodedProof = decodeProof(proof);
  if (decodedProof.kind !== 'EXISTENCE')
    throw new ProofError('NOT_PROVEN', `The proof does not prove that store ${store} exists.`);
  const { key, value, leafPrefix, steps } = decodedProof.existence;
  const path = steps.map(decodeStep);
  if (!equalBytes(key, name)) throw new ProofError('NOT_PROVEN', `The proof is not one of store ${store}.`);
  if (value.length !== hashLength) throw malformed('a root of a store that is no hash');
  if (leafPrefix.length !== 1 || leafPrefix[0] !== 0 || !path.every(isSimpleStep))
    throw malformed('a proof of another tree than that of the stores');
  let appHash = sha256(leafPrefix, varint(name.length), name, varint(hashLength), sha256(value));
  for (const { prefix, suffix } of path) appHash = sha256(concat(prefix, appHash, suffix));
  return { root: value, appHash, path };
}

/** A store with the proof of its root (`ics23:simple`). */
export interface NamedProof {
  readonly store: string;
  readonly proof: Uint8Array;
}

/**
 * Verifies that the chain has no store of a name, by the proofs of the two stores around it: stores are in the order of their names, and none is between these two. Without `left`, `right` is the first
 * store, and without `right`, `left` is the last. Returns the app hash, which the caller compares. Throws MALFORMED or NOT_PROVEN.
 */
export function verifyNoStore(store: string, left: NamedProof | undefined, right: NamedProof | undefined): Uint8Array {
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
  const before = left && readStoreRoot(left.proof, left.store);
  const after = right && readStoreRoot(right.proof, right.store);
  const isBetween =
    (left === undefined || compareBytes(bytesOf(left.store), bytesOf(store)) < 0) &&
    (right === undefined || compareBytes(bytesOf(store), bytesOf(right.store)) < 0);
  // From the app hash down to where both paths part; the left one goes left there, and right from then on.
  let [leftAt, rightAt] = [(before?.path.length ?? 0) - 1, (after?.path.length ?? 0) - 1];
  let isNext = before !== undefined || after !== undefined;
  if (before !== undefined && after !== undefined) {
    for (; leftAt >= 0 && rightAt >= 0; leftAt -= 1, rightAt -= 1) {
      const [one, other] = [before.path[leftAt], after.path[rightAt]];
      const isShared = one && other && equalBytes(one.prefix, other.prefix) && equalBytes(one.suffix, other.suffix);
      if (!isShared) break;
    }
    const [one, other] = [before.path[leftAt], after.path[rightAt]];
    isNext = one !== undefined && other !== undefined && isFromLeft(one) && !isFromLeft(other);
    leftAt -= 1;
    rightAt -= 1;
  }
  const isLast = before?.path.slice(0, leftAt + 1).every((step) => !isFromLeft(step)) ?? true;
  const isFirst = after?.path.slice(0, rightAt + 1).every(isFromLeft) ?? true;
  const appHash = before?.appHash ?? after?.appHash;
  const isOfOne = before === undefined || after === undefined || equalBytes(before.appHash, after.appHash);
  if (appHash === undefined || !isBetween || !isNext || !isFirst || !isLast || !isOfOne)
    throw new ProofError('NOT_PROVEN', `The proofs do not prove that there is no store ${store}.`);
  return appHash;
}

/** A key of a store with what a node proves about it. */
export interface ProvenKey {
  readonly store: string;
  readonly key: Uint8Array;
  /** The value; undefined if the key is absent. It may have no bytes. */
  readonly value: Uint8Array | undefined;
  /** The data of the operation `ics23:iavl`. */
  readonly iavl: Uint8Array;
  /** The data of the operation `ics23:simple`. */
  readonly simple: Uint8Array;
}

/**
 * Verifies that a store has a value at a key, or no value, in the state with this app hash: that of the header after the state's height. Throws MALFORMED
 * or NOT_PROVEN.
 */
export function verifyKey({ store, key, value, iavl, simple }: ProvenKey, appHash: Uint8Array): void {
  const { root, appHash: top } = readStoreRoot(simple, store);
  if (!equalBytes(top, appHash))
    throw new ProofError('NOT_PROVEN', `The proof of store ${store} does not lead to the app hash ${toHex(appHash)}.`);
  const proof = decodeProof(iavl);
  const isOfKey = equalBytes(proof.kind === 'EXISTENCE' ? proof.existence.key : proof.absence.key, key);
  const tree = createPartialTree(root);
  tree.insert(iavl);
  const provenValue = tree.get(key);
  if (!isOfKey || provenValue === undefined || (provenValue === null) !== (value === undefined))
    throw new ProofError('NOT_PROVEN', `The proof does not prove this key of store ${store}.`);
  if (provenValue !== null && value !== undefined && !equalBytes(provenValue, value))
    throw new ProofError('NOT_PROVEN', `The proof does not prove this value of store ${store}.`);
}
