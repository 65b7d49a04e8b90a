import { equalBytes, ProofError, type TreeRead, toHex } from '../../../packages/verify/src/index.ts';
import { bech32Parts } from '../../../packages/verify/src/plans/bech32.ts';
import {
  computed,
  type MethodAnswer,
  type Plan,
  type PlanContext,
  plans,
  type StoreRead,
  type StoreReads,
  UnplannedRequest,
} from '../../../packages/verify/src/plans/index.ts';
import { ChainError, isChainError } from '../base/errors.ts';
import { checkHeader } from '../lightClient/checkHeader.ts';
import type { SignedBlocks, VerifiedBlock } from '../lightClient/lightClient.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import type { Transport } from '../transports/transport.ts';
import type { HeadVerification, VerifiedHeader } from '../transports/verification.ts';
import { arrayAt, asObject, type JsonObject, type JsonValue, objectAt } from '../wire/json.ts';
import { createProvenHeaders } from './provenHeaders.ts';
import { createProvenStores, LongRange, MissingStore, type ProvenHeight, type RefutedRead } from './provenStores.ts';

export type { Row, StoreRead } from '../../../packages/verify/src/plans/index.ts';

/** The first height whose state has a proof (docs/chain.md, "Proofs"). */
const firstProvenHeight = 2n;

/** Why a read cannot be proven: what answers it was only said by a node. */
export type UnprovenReason = 'NO_PLAN' | 'UNPLANNED' | 'NO_STORE' | 'LONG' | 'EARLY' | 'UNVERIFIED' | 'FAILED';

/** A read that is not proven. */
export class Unproven extends Error {
  readonly reason: UnprovenReason;

  constructor(reason: UnprovenReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The state after a block. Each read is proven before it resolves. */
export interface ProvenState extends StoreReads {
  readonly height: bigint;
  readonly chainId: string;
  /** The time of the block at this height, in nanoseconds since 1970. */
  readonly time: bigint;
  /** The prefix of account addresses. */
  readonly prefix: string;
}

/** What proves reads at a height: the parts of a bundle. */
export interface ProofParts {
  readonly chainId: string;
  readonly height: bigint;
  readonly prefix: string;
  /** The header of the next block, as a node prints it. Its app hash is that of the state. */
  readonly header: JsonObject;
  /** Its commit. Signatures that are not needed for two thirds of the power are left out: such a vote is printed as an absent one. */
  readonly commit: JsonObject;
  readonly validators: readonly JsonValue[];
  /** In upper case hex. */
  readonly validatorsHash: string;
  /** The header at the height, which has the block time. */
  readonly previous: JsonObject;
  readonly stores: Readonly<Record<string, StoreProof & { readonly tree: Uint8Array }>>;
}

/** The root of a store in hex, and its proof. */
export interface StoreProof {
  readonly root: string;
  readonly proof: Uint8Array;
}

/** Counters since the start. */
export interface ProofStats {
  /** Proofs that were requested from nodes, and hints of the keys of a range. */
  readonly proofs: number;
  readonly hints: number;
}

/** The proven state of a chain. */
export interface Proofs {
  /** The newest height whose state can be proven: that before the newest verified block. Undefined before the first. */
  newest(): bigint | undefined;
  /** The state at a height. Rejects with HEIGHT_NOT_YET_AVAILABLE until the next block is verified, and with an {@link Unproven} if the height cannot be proven. */
  at(height: bigint, signal?: AbortSignal): Promise<ProvenState>;
  /** The parts of a bundle that prove reads at a height. */
  proofOf(height: bigint, reads: readonly StoreRead[], signal?: AbortSignal): Promise<ProofParts>;
  /** The roots of stores at a height, in the order of the names. */
  rootsOf(height: bigint, stores: readonly string[], signal?: AbortSignal): Promise<readonly StoreProof[]>;
  stats(): ProofStats;
}

/** The stores of account addresses and the first byte of their keys (SDK x/auth/types/keys.go). */
const accounts = { store: 'acc', prefix: Uint8Array.of(1) };

/** The prefix of account addresses. A stored account has its address as text, so it is proven. Undefined if none is in bech32. */
export async function accountPrefix(reads: StoreReads): Promise<string | undefined> {
  const [row] = await reads.range(accounts.store, accounts.prefix, { most: 1 });
  const [key = new Uint8Array(), value = new Uint8Array()] = row ?? [];
  const parts = (Buffer.from(value).toString('latin1').match(addressText) ?? []).map(bech32Parts);
  return parts.find((each) => each !== null && equalBytes(each.bytes, key.subarray(accounts.prefix.length)))?.prefix;
}

const addressText = /[a-z][a-z0-9]*1[02-9ac-hj-np-z]{38,}/g;

/** The newest height whose state can be proven; undefined if there is none yet. */
export function newestProvable(verification: HeadVerification): bigint | undefined {
  const newest = verification.status().newest?.height ?? 0n;
  return newest > firstProvenHeight ? newest - 1n : undefined;
}

/** How a node prints the vote of a validator that did not vote. */
const absentVote: JsonObject = {
  block_id_flag: 1,
  validator_address: '',
  timestamp: '0001-01-01T00:00:00Z',
  signature: null,
};

/** A block with the votes that have two thirds of the power, in the order of the set. The others are printed as absent. */
function shortened({ signedHeader, validators, block }: VerifiedBlock) {
  const { validators: set, totalPower, hash } = block.set;
  let power = 0n;
  const commit = objectAt(signedHeader, 'commit');
  const signatures = arrayAt(commit, 'signatures').map((vote, index) => {
    const isNeeded = power * 3n <= totalPower * 2n && block.commit.votes[index]?.kind === 'BLOCK';
    if (isNeeded) power += set[index]?.power ?? 0n;
    return isNeeded ? vote : absentVote;
  });
  return {
    header: objectAt(signedHeader, 'header'),
    commit: { ...commit, signatures },
    validators,
    validatorsHash: toHex(hash),
  };
}

export type ChainProofs = ReturnType<typeof createProofs>;

/** Creates the proven state of a chain, from the nodes of a transport and the blocks that a light client verified. */
export function createProofs(options: {
  readonly transport: Transport;
  readonly verification: HeadVerification;
  /** The verified blocks with their commits. */
  readonly light: SignedBlocks;
  readonly chainId: () => string;
  readonly memory: MemoryBudget;
  readonly rootOf: (at: ProvenHeight, store: string) => string | undefined;
  readonly proofOfRoot: (at: ProvenHeight, store: string) => Uint8Array | undefined;
  /** Called with a wrong proof of a node. */
  readonly onRefuted: (answer: JsonValue, read: RefutedRead, error: ProofError) => void;
}) {
  const { transport, verification, light, chainId } = options;
  const headers = createProvenHeaders({ transport, verification });
  const stores = createProvenStores(options);
  let prefix: string | undefined;

  /** The headers at a height and at the next one. */
  async function headersOf(
    height: bigint,
    signal: AbortSignal | undefined,
  ): Promise<readonly [VerifiedHeader, VerifiedHeader]> {
    if (height < firstProvenHeight) throw new Unproven('EARLY', `No state before height ${firstProvenHeight} has a proof.`);
    const newest = verification.status().newest?.height;
    if (newest === undefined || height >= newest)
      throw new ChainError(
        'HEIGHT_NOT_YET_AVAILABLE',
        `Block ${height + 1n}, which proves the state at height ${height}, is not verified yet.`,
        { height, ...(newest !== undefined && { latestHeight: newest - 1n }) },
      );
    // On the way down to a header, the next one is read, too.
    const header = headers.atHand(height) ?? (await headers.at(height, signal));
    const next = headers.atHand(height + 1n) ?? (await headers.at(height + 1n, signal));
    if (header === undefined || next === undefined)
      throw new Unproven('UNVERIFIED', `Height ${height} is too far below the verified blocks.`);
    return [header, next];
  }

  async function prefixIn(reads: StoreReads): Promise<string> {
    prefix ??= await accountPrefix(reads);
    if (prefix === undefined) throw new Unproven('FAILED', 'No stored account has an address in bech32.');
    return prefix;
  }

  async function stateAt(
    height: bigint,
    { signal, onMiss }: { readonly signal?: AbortSignal | undefined; readonly onMiss?: () => void },
  ) {
    const [own, next] = await headersOf(height, signal);
    const reads = stores.at({ height, appHash: next.appHash }, { signal, ...(onMiss && { onMiss }) });
    return {
      reads,
      state: { height, chainId: chainId(), time: own.time, prefix: await prefixIn(reads), get: reads.get, range: reads.range },
    };
  }

  /** The error of a computation, or why its result cannot be proven. */
  function reasonOf(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return error;
    if (error instanceof UnplannedRequest) return new Unproven('UNPLANNED', error.message);
    if (error instanceof MissingStore) return new Unproven('NO_STORE', error.message);
    if (error instanceof LongRange) return new Unproven('LONG', error.message);
    if (error instanceof Unproven || isChainError(error) || (error instanceof Error && error.name === 'AbortError'))
      return error;
    return new Unproven('FAILED', error instanceof Error ? error.message : String(error));
  }

  /** The signed header after a height, and the header at it, as nodes print them. Verified blocks are at hand; others are read and compared. */
  async function blocksOf(height: bigint, signal: AbortSignal | undefined) {
    const [own, next] = await headersOf(height, signal);
    const read = (header: VerifiedHeader) =>
      transport.call(
        'commit',
        { height: header.height.toString() },
        {
          height: header.height,
          signal,
          decode(json: JsonValue): JsonObject {
            const signedHeader = objectAt(asObject(json, 'commit'), 'signed_header');
            checkHeader(signedHeader.header, header.hash);
            return signedHeader;
          },
        },
      );
    const [previous, block] = await Promise.all([
      light.signed(height)?.signedHeader ?? read(own),
      light.signed(height + 1n) ??
        read(next).then((signedHeader) => light.readSigned(transport.call, height + 1n, signedHeader)),
    ]);
    return { previous: objectAt(previous, 'header'), block };
  }

  /** Groups reads by their store. */
  function byStore(reads: readonly StoreRead[]): ReadonlyMap<string, readonly TreeRead[]> {
    const groups = new Map<string, TreeRead[]>();
    for (const read of reads) {
      const group = groups.get(read.store) ?? [];
      groups.set(read.store, group);
      group.push('key' in read ? { key: read.key } : { prefix: read.prefix, bounds: read.bounds });
    }
    return groups;
  }

  return {
    newest: (): bigint | undefined => newestProvable(verification),
    async at(height: bigint, signal?: AbortSignal): Promise<ProvenState> {
      return (await stateAt(height, { signal })).state;
    },
    /**
     * Computes the answer of a query method from proven bytes. Rejects with an {@link Unproven} if there is no plan for it. `onMiss` is called before the first request to a node; without
     * a call, everything was proven before.
     */
    async answer(
      plan: Plan,
      request: Uint8Array,
      height: bigint,
      { signal, onMiss }: { readonly signal?: AbortSignal | undefined; readonly onMiss: () => void },
    ): Promise<MethodAnswer> {
      try {
        const { reads, state } = await stateAt(height, { signal, onMiss });
        const context: PlanContext = { prefix: state.prefix, time: state.time };
        return await computed(plan.answer(request, context), reads);
      } catch (error) {
        throw reasonOf(error, signal);
      }
    },
    async proofOf(height: bigint, reads: readonly StoreRead[], signal?: AbortSignal): Promise<ProofParts> {
      try {
        const { reads: proven, state } = await stateAt(height, { signal });
        const [{ previous, block }, ...parts] = await Promise.all([
          blocksOf(height, signal),
          ...[...byStore(reads)].map(async ([store, own]) => {
            const { root, simple, tree } = await proven.storeOf(store);
            try {
              return [store, { root, proof: simple, tree: tree.encode(own) }] as const;
            } catch (error) {
              if (!(error instanceof ProofError)) throw error;
            }
            // The memory did not suffice to keep what was read just now.
            await Promise.all(
              own.map((read) =>
                'key' in read ? proven.get(store, read.key) : proven.range(store, read.prefix, read.bounds ?? {}),
              ),
            );
            return [store, { root, proof: simple, tree: tree.encode(own) }] as const;
          }),
        ]);
        const { header, commit, validators, validatorsHash } = shortened(block);
        const { chainId, prefix } = state;
        return {
          chainId,
          height,
          prefix,
          header,
          commit,
          validators,
          validatorsHash,
          previous,
          stores: Object.fromEntries(parts),
        };
      } catch (error) {
        throw reasonOf(error, signal);
      }
    },
    async rootsOf(height: bigint, names: readonly string[], signal?: AbortSignal): Promise<readonly StoreProof[]> {
      try {
        const { reads } = await stateAt(height, { signal });
        return await Promise.all(
          names.map(async (name) => {
            const { root, simple } = await reads.storeOf(name);
            return { root, proof: simple };
          }),
        );
      } catch (error) {
        throw reasonOf(error, signal);
      }
    },
    stats: (): ProofStats => stores.stats(),
    /** Drops the headers of a chain that was replaced. What was proven stays valid: it is kept by roots. */
    clear(): void {
      headers.clear();
      prefix = undefined;
    },
  };
}

/** The plan of a query method; undefined if it has none. */
export const planOf = (path: string): Plan | undefined => plans.get(path);
