import { noBytes } from './bytes.ts';
import { malformed } from './errors.ts';
import { type FieldValue, readFields } from './proto.ts';

/** One step from a leaf to the root: the hash so far stands between `prefix` and `suffix`. */
export interface InnerStep {
  readonly prefix: Uint8Array;
  readonly suffix: Uint8Array;
}

/** A proof of existence (`cosmos.ics23.v1.ExistenceProof`), as it is encoded. Nothing in it is verified. */
export interface Existence {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly leafPrefix: Uint8Array;
  /** The steps from the leaf to the root, as they are encoded. */
  readonly steps: readonly Uint8Array[];
}

/** A proof that a key is absent: those of its neighbours. */
export interface Absence {
  readonly key: Uint8Array;
  readonly left: Existence | undefined;
  readonly right: Existence | undefined;
}

/** A proof of a key: that it exists, or that it does not. */
export type KeyProof =
  | { readonly kind: 'EXISTENCE'; readonly existence: Existence }
  | { readonly kind: 'ABSENCE'; readonly absence: Absence };

/** The longest proof in bytes. It contains a value. */
const maxProof = 4 * 2 ** 20;

/** The most steps of a path. The height of a tree of IAVL is at most 127. */
const maxPath = 128;

/** The longest key of a store. */
export const maxKey = 4096;

/** SHA-256 in `cosmos.ics23.v1.HashOp`. */
const sha256Op = 1;

/** The varint of the length in `cosmos.ics23.v1.LengthOp`. */
const varProto = 1;

/** The fields of a message by number. Only the fields of `repeated` may occur several times. */
class Fields {
  readonly #what: string;
  readonly #values: FieldValue[] = [];
  readonly lists: Uint8Array[] = [];

  constructor(
    bytes: Uint8Array,
    what: string,
    count: number,
    { nested = [], repeated = 0 }: { readonly nested?: readonly number[]; readonly repeated?: number } = {},
  ) {
    this.#what = what;
    readFields(bytes, what, nested, (number, value) => {
      if (number > count) throw malformed(`${what} has an unknown field`);
      if (number === repeated) this.lists.push(this.#bytes(number, value));
      else if (this.#values[number] !== undefined) throw malformed(`${what} has field ${number} twice`);
      this.#values[number] = value;
    });
  }

  #bytes(number: number, value: FieldValue): Uint8Array {
    if (typeof value === 'number') throw malformed(`field ${number} of ${this.#what} is an integer`);
    return value;
  }

  integer(number: number): number {
    const value = this.#values[number] ?? 0;
    if (typeof value !== 'number') throw malformed(`field ${number} of ${this.#what} is no integer`);
    return value;
  }

  optional(number: number): Uint8Array | undefined {
    const value = this.#values[number];
    return value === undefined ? undefined : this.#bytes(number, value);
  }

  bytes(number: number): Uint8Array {
    return this.optional(number) ?? noBytes;
  }
}

/** Decodes a step of a path. Throws MALFORMED. */
export function decodeStep(bytes: Uint8Array): InnerStep {
  const step = new Fields(bytes, 'a step', 3);
  if (step.integer(1) !== sha256Op) throw malformed('a step with another hash than SHA-256');
  return { prefix: step.bytes(2), suffix: step.bytes(3) };
}

/** Decodes the prefix of a leaf. All stores of the Cosmos SDK hash the value first, and write lengths as varints. */
function decodeLeaf(bytes: Uint8Array): Uint8Array {
  const leaf = new Fields(bytes, 'a leaf', 5);
  const isExpected =
    leaf.integer(1) === sha256Op && leaf.integer(2) === 0 && leaf.integer(3) === sha256Op && leaf.integer(4) === varProto;
  if (!isExpected) throw malformed('a leaf of another form than those of stores');
  return leaf.bytes(5);
}

function decodeExistence(bytes: Uint8Array): Existence {
  const proof = new Fields(bytes, 'a proof of existence', 4, { nested: [3, 4], repeated: 4 });
  const key = proof.bytes(1);
  const leaf = proof.optional(3);
  if (key.length === 0 || key.length > maxKey) throw malformed(`a proof whose key does not have 1 to ${maxKey} bytes`);
  if (leaf === undefined) throw malformed('a proof without a leaf');
  if (proof.lists.length > maxPath) throw malformed(`a proof of more than ${maxPath} steps`);
  return { key, value: proof.bytes(2), leafPrefix: decodeLeaf(leaf), steps: proof.lists };
}

/**
 * Decodes a `cosmos.ics23.v1.CommitmentProof` of existence or of absence, which nodes return in `proofOps`. Throws MALFORMED for other kinds, and for any
 * encoding but the one that nodes write. Only the steps of its paths are not decoded yet. It verifies nothing.
 */
export function decodeProof(bytes: Uint8Array): KeyProof {
  if (bytes.length > maxProof) throw malformed(`a proof of more than ${maxProof} bytes`);
  const proof = new Fields(bytes, 'a proof', 2, { nested: [1, 2] });
  const existence = proof.optional(1);
  const absence = proof.optional(2);
  if (existence !== undefined && absence === undefined) return { kind: 'EXISTENCE', existence: decodeExistence(existence) };
  if (absence === undefined || existence !== undefined) throw malformed('a proof of neither existence nor absence');
  const fields = new Fields(absence, 'a proof of absence', 3, { nested: [2, 3] });
  const [left, right] = [fields.optional(2), fields.optional(3)];
  return {
    kind: 'ABSENCE',
    absence: {
      key: fields.bytes(1),
      left: left && decodeExistence(left),
      right: right && decodeExistence(right),
    },
  };
}
