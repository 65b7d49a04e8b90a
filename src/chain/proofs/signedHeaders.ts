import { LRUCache } from 'lru-cache';
import {
  decodeHeader,
  decodeLightBlock,
  decodeValidators,
  hashHeader,
  type LightBlock,
  ProofError,
  toHex,
  type ValidatorSet,
  verifyBefore,
  verifySigned,
} from '../../../packages/verify/src/index.ts';
import { createNodeSignatures } from '../lightClient/nodeSignatures.ts';
import { createInFlight } from '../memory/inFlight.ts';
import type { Transport } from '../transports/transport.ts';
import type { HeadVerification } from '../transports/verification.ts';
import { arrayAt, asObject, bigintAt, type JsonObject, type JsonValue, objectAt } from '../wire/json.ts';

/** What proves the state of a height: the next header, which has its app hash, and the signatures of that header. */
export interface SignedState {
  readonly height: bigint;
  /** The app hash of the state, which the next header has. */
  readonly appHash: Uint8Array;
  /** The time of the block at `height`, in nanoseconds since 1970. */
  readonly time: bigint;
  /** The hash of the validator set that signed the next header, in upper case hex. */
  readonly setHash: string;
  /** The next header, its commit with no more votes than two thirds of the power need, and the header of `height`, as a node prints them. */
  readonly header: JsonObject;
  readonly commit: JsonObject;
  readonly previous: JsonObject;
  /** The validators of the next header, as a node prints them, without their priorities, which no hash covers. */
  readonly validators: readonly JsonValue[];
}

/** An absent vote as nodes print it. */
const absentVote = { block_id_flag: 1, validator_address: '', timestamp: '0001-01-01T00:00:00Z', signature: null };

/** A commit with no more votes than are needed: in the order of the set, until they have more than two thirds of the power. The others are absent. */
function leastCommit(commit: JsonObject, { commit: { votes }, set: { validators, totalPower } }: LightBlock): JsonObject {
  let power = 0n;
  const signatures = arrayAt(commit, 'signatures').map((signature, index) => {
    const isNeeded = votes[index]?.kind === 'BLOCK' && power * 3n <= totalPower * 2n;
    if (isNeeded) power += validators[index]?.power ?? 0n;
    return isNeeded ? signature : { ...absentVote };
  });
  return { ...commit, signatures };
}

function withoutPriority(validator: JsonValue): JsonValue {
  const { proposer_priority: _, ...others } = asObject(validator, 'a validator');
  return others;
}

/** The largest page of a node, and the most pages that are read. */
const pageSize = 100;
const maxPages = 100;

/** The number of heights, and of validator sets, that are kept. */
const heightsKept = 64;
const setsKept = 4;

interface PrintedSet {
  readonly set: ValidatorSet;
  readonly json: readonly JsonValue[];
}

export type SignedHeaders = ReturnType<typeof createSignedHeaders>;

/**
 * Creates the reader of signed headers. Those of the newest heights are the ones that the light client has verified, and need no call. Others are read from a node. That
 * their validators signed them is verified, not that these are the validators of the chain: whoever gets the proof verifies it.
 */
export function createSignedHeaders({
  transport,
  verification,
}: {
  readonly transport: Pick<Transport, 'call'>;
  readonly verification: Pick<HeadVerification, 'signed' | 'at'> | undefined;
}) {
  const check = createNodeSignatures();
  const states = new LRUCache<string, SignedState>({ max: heightsKept });
  const sets = new LRUCache<string, PrintedSet>({ max: setsKept });
  const inFlight = createInFlight<SignedState>();

  async function readSignedHeader(height: bigint, signal: AbortSignal): Promise<JsonObject> {
    const heldHeader = verification?.signed?.(height)?.signedHeader;
    if (heldHeader !== undefined) return heldHeader;
    const decode = (json: JsonValue): JsonObject => objectAt(asObject(json, 'commit'), 'signed_header');
    return transport.call('commit', { height: height.toString() }, { height, signal, decode });
  }

  async function readSet(height: bigint, hash: string, signal: AbortSignal): Promise<PrintedSet> {
    const keptSet = sets.get(hash);
    if (keptSet !== undefined) return keptSet;
    const validators: JsonValue[] = [...(verification?.signed?.(height)?.validators ?? [])];
    for (let page = 1; page <= maxPages; page += 1) {
      if (page === 1 && validators.length > 0) break;
      const params = { height: height.toString(), page: page.toString(), per_page: pageSize.toString() };
      const decode = (json: JsonValue) => asObject(json, 'validators');
      const result = await transport.call('validators', params, { height, signal, decode });
      const items = arrayAt(result, 'validators');
      validators.push(...items);
      if (items.length === 0 || BigInt(validators.length) >= bigintAt(result, 'total')) break;
    }
    const printedSet = { set: decodeValidators(validators), json: validators.map(withoutPriority) };
    // By the hash that was computed: one that a node made up is not found again.
    sets.set(toHex(printedSet.set.hash), printedSet);
    return printedSet;
  }

  async function read(height: bigint, signal: AbortSignal): Promise<SignedState> {
    const next = height + 1n;
    const [signed, before] = await Promise.all([readSignedHeader(next, signal), readSignedHeader(height, signal)]);
    const header = objectAt(signed, 'header');
    const { set, json } = await readSet(next, String(header.validators_hash), signal);
    const block = decodeLightBlock(signed, set);
    const previous = decodeHeader(objectAt(before, 'header'));
    if (block.header.height !== next) throw new ProofError('WRONG_HEIGHT', `A node returned another block than ${next}.`);
    verifyBefore(block.header, { height: previous.height, hash: hashHeader(previous) });
    const verifiedHash = verification?.at(next)?.hash;
    if (verifiedHash !== undefined && verifiedHash !== toHex(block.hash))
      throw new ProofError('WRONG_HASH', `A node has another block ${next} than the one that was verified.`);
    if (verification?.signed?.(next) === undefined) await verifySigned(block, { chainId: block.header.chainId, check });
    return {
      height,
      appHash: block.header.appHash,
      time: previous.time,
      setHash: toHex(set.hash),
      header,
      commit: leastCommit(objectAt(signed, 'commit'), block),
      previous: objectAt(before, 'header'),
      validators: json,
    };
  }

  return {
    /** What proves the state of a height. Rejects with a {@link ProofError} if it does not verify, and with the error of a node. */
    at(height: bigint, signal?: AbortSignal): Promise<SignedState> {
      const key = height.toString();
      const keptState = states.get(key);
      if (keptState !== undefined) return Promise.resolve(keptState);
      return inFlight.join(key, signal, async (joinedSignal) => {
        const state = await read(height, joinedSignal);
        states.set(key, state);
        return state;
      });
    },
    /** Forgets everything, because the chain was reset or its newest block was withdrawn. */
    clear(): void {
      states.clear();
      sets.clear();
    },
  };
}
