import { toHex } from './bytes.ts';
import { type Commit, decodeCommit } from './commit.ts';
import { malformed } from './errors.ts';
import { decodeHeader, type Header, hashHeader, maxChainId } from './header.ts';
import { base64Of, int64Of, listOf, membersOf, textOf } from './json.ts';
import { decodeValidators, type ValidatorSet } from './validators.ts';

/**
 * How far a field can be believed.
 * - `PROVEN`: its value follows from stored bytes that are proven to a header which more than two thirds of the voting power signed.
 * - `RECOMPUTED`: a published rule computes it from such bytes.
 * - `QUORUM`: nodes of different operators returned the same bytes.
 * - `ASSERTED`: one node said so.
 */
export type Level = 'PROVEN' | 'RECOMPUTED' | 'QUORUM' | 'ASSERTED';

const levels: readonly Level[] = ['PROVEN', 'RECOMPUTED', 'QUORUM', 'ASSERTED'];

/** The proof of an answer as it is sent: `extensions.proof`. */
export interface BundleJson {
  readonly version: 1;
  readonly chainId: string;
  /** The prefix of account addresses. It changes how addresses are written, and not which accounts they are. */
  readonly prefix: string;
  /** The height of the state that the answer was read from, as decimal text. */
  readonly height: string;
  /** The header of the next height as a node prints it. Its `app_hash` is that of the state. */
  readonly header: unknown;
  /** The commit of this header as a node prints it. Votes that are not needed for two thirds of the power are written as absent. */
  readonly commit: unknown;
  /** The validators of this header as a node prints them. Left out if the request names the hash of the set. */
  readonly validators?: unknown;
  /** The header of `height`, which has the time of the block. Its hash is in the next header. */
  readonly previous: unknown;
  /** By store: the base64 of its `ics23:simple` proof, and of the encoded part of its tree. */
  readonly stores: Readonly<Record<string, { readonly proof: string; readonly tree: string }>>;
  /** The requests that the answer was computed from. A statement: the verifier works out the requests by itself. */
  readonly reads: readonly { readonly path: string; readonly request: string }[];
  /** The level of each field by its path, with response names and without indexes: `proposals.nodes.title`. A statement, too. */
  readonly fields: Readonly<Record<string, Level>>;
}

/** A proof whose form is checked. Nothing in it is verified. */
export interface Bundle {
  readonly chainId: string;
  readonly prefix: string;
  /** The height of the state. */
  readonly height: bigint;
  readonly header: Header;
  /** The hash of `header`, computed from its fields. */
  readonly hash: Uint8Array;
  readonly commit: Commit;
  /** undefined if the receiver has the set. */
  readonly validators: ValidatorSet | undefined;
  readonly previous: Header;
  readonly stores: ReadonlyMap<string, { readonly proof: Uint8Array; readonly tree: Uint8Array }>;
  readonly reads: readonly { readonly path: string; readonly request: Uint8Array }[];
  readonly fields: ReadonlyMap<string, Level>;
}

/** Bounds of a bundle. */
const maxStores = 64;
const maxReads = 20_000;
const maxFields = 20_000;
const maxTree = 16 * 2 ** 20;
const maxProof = 64 * 2 ** 10;

/** The entries of an object that has any names. */
function entriesOf(value: unknown, what: string, max: number): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(`${what} is not an object`);
  const entries = Object.entries(value);
  if (entries.length > max) throw malformed(`${what} has more than ${max} members`);
  return entries;
}

function levelOf(value: unknown): Level {
  const level = levels.find((one) => one === value);
  if (level === undefined) throw malformed('a level of a field is none of the four');
  return level;
}

/** Decodes `extensions.proof` of an answer. Throws MALFORMED, and what {@link decodeValidators} throws. */
export function decodeBundle(value: unknown): Bundle {
  const names = ['version', 'chainId', 'prefix', 'height', 'header', 'commit', 'previous', 'stores', 'reads', 'fields'];
  const bundle = membersOf(value, 'the proof', names, ['validators']);
  if (bundle.version !== 1) throw malformed('the proof is of another version than 1');
  const header = decodeHeader(bundle.header);
  return {
    chainId: textOf(bundle.chainId, 'chainId', maxChainId),
    prefix: textOf(bundle.prefix, 'prefix', 83),
    height: int64Of(bundle.height, 'height', 1n),
    header,
    hash: hashHeader(header),
    commit: decodeCommit(bundle.commit),
    validators: bundle.validators === undefined ? undefined : decodeValidators(bundle.validators),
    previous: decodeHeader(bundle.previous),
    stores: new Map(
      entriesOf(bundle.stores, 'stores', maxStores).map(([name, content]) => {
        const store = membersOf(content, 'a store', ['proof', 'tree']);
        return [
          name,
          { proof: base64Of(store.proof, 'the proof of a store', maxProof), tree: base64Of(store.tree, 'a tree', maxTree) },
        ];
      }),
    ),
    reads: listOf(bundle.reads, 'reads', maxReads).map((content) => {
      const read = membersOf(content, 'a read', ['path', 'request']);
      return { path: textOf(read.path, 'path', 256), request: base64Of(read.request, 'request', 2 ** 20) };
    }),
    fields: new Map(entriesOf(bundle.fields, 'fields', maxFields).map(([path, level]) => [path, levelOf(level)])),
  };
}

/** The hash of the validator set that signs a bundle, as hex: what a request names in `trusted` if it has the set. */
export const validatorsHashOf = ({ header }: Pick<Bundle, 'header'>): string => toHex(header.validatorsHash);
