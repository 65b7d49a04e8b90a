import { createHash } from 'node:crypto';
import { create, type DescMessage, type DescMethodUnary, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import type { Client } from '../../chain/client.ts';
import { arrayAt, asObject, bigintAt, objectAt } from '../../chain/wire/json.ts';
import { metadataAddress } from '../../modules/metadata/address.ts';
import { Query as Bank } from '../../proto/cosmos/bank/v1beta1/query_pb.js';
import { PageRequestSchema } from '../../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { Query as Group } from '../../proto/cosmos/group/v1/query_pb.js';
import { Query as Attribute } from '../../proto/provenance/attribute/v1/query_pb.js';
import { MarkerAccountSchema } from '../../proto/provenance/marker/v1/marker_pb.js';
import { Query as Marker } from '../../proto/provenance/marker/v1/query_pb.js';
import { Query as Metadata } from '../../proto/provenance/metadata/v1/query_pb.js';
import { queryState } from '../../reads/query.ts';

/** Values of the connected chain for example requests. undefined if the chain has no such value. */
export interface Samples {
  readonly height: string;
  /** Upper-case hex. */
  readonly blockHash: string;
  /** A transaction of a recent block. */
  readonly transaction: { readonly hash: string; readonly height: string; readonly hex: string } | undefined;
  readonly policy: string | undefined;
  readonly proposalId: string | undefined;
  /** An account that has voted on the proposal. */
  readonly voter: string | undefined;
  /** An account with balances. */
  readonly account: string | undefined;
  readonly attribute: { readonly account: string; readonly name: string } | undefined;
  /** A denom that has a supply. */
  readonly denom: string | undefined;
  /** A denom with metadata. */
  readonly shownDenom: string | undefined;
  /** The denom of a marker. */
  readonly marker: string | undefined;
  /** Bech32 address of a scope. */
  readonly scopeId: string | undefined;
}

const readsMax = 60;

/** Largest transaction that is used as an example, in bytes. */
const transactionMax = 2048;

/** How many of the newest blocks are searched for a transaction: as many as one call of `blockchain` returns. */
const recentBlocks = 20n;

/** Reads at one height. null if the chain refuses the read or lacks the service, or if the search has used up its reads. */
type Read = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
) => Promise<MessageShape<O> | null>;

const page = (limit: bigint) => create(PageRequestSchema, { limit });

async function first<T, R>(items: readonly T[], find: (item: T) => Promise<R | undefined>): Promise<R | undefined> {
  for (const item of items) {
    const result = await find(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

type GroupSamples = Pick<Samples, 'policy' | 'proposalId' | 'voter'>;

/** Finds a policy with a proposal and a voter on it. Members that the chain lacks are undefined. */
async function groupSamples(read: Read): Promise<GroupSamples> {
  const groups = (await read(Group.method.groups, { pagination: page(5n) }))?.groups ?? [];
  let best: GroupSamples = { policy: undefined, proposalId: undefined, voter: undefined };
  const voted = await first(groups, async ({ id }) => {
    const answer = await read(Group.method.groupPoliciesByGroup, { groupId: id, pagination: page(3n) });
    return first(answer?.groupPolicies ?? [], async ({ address: policy }) => {
      best = { ...best, policy: best.policy ?? policy };
      const listed = await read(Group.method.proposalsByGroupPolicy, { address: policy, pagination: page(5n) });
      return first(listed?.proposals ?? [], async ({ id: proposalId }) => {
        if (best.proposalId === undefined) best = { ...best, policy, proposalId: proposalId.toString() };
        const votes = await read(Group.method.votesByProposal, { proposalId, pagination: page(1n) });
        const voter = votes?.votes[0]?.voter;
        return voter === undefined ? undefined : { policy, proposalId: proposalId.toString(), voter };
      });
    });
  });
  return voted ?? best;
}

/** Finds denoms, and the holders of one of them. */
async function denomSamples(
  read: Read,
): Promise<Pick<Samples, 'denom' | 'shownDenom'> & { readonly holders: readonly string[] }> {
  const [shownToken, supply] = await Promise.all([
    read(Bank.method.denomsMetadata, { pagination: page(1n) }),
    read(Bank.method.totalSupply, { pagination: page(10n) }),
  ]);
  const shownDenom = shownToken?.metadatas[0]?.base;
  // Denoms of scopes contain slashes. An example is simpler with a denom that needs no escaping.
  const supplied = supply?.supply.map(({ denom }) => denom) ?? [];
  const denom = shownDenom ?? supplied.find((each) => !each.includes('/')) ?? supplied[0];
  const owners = denom === undefined ? null : await read(Bank.method.denomOwners, { denom, pagination: page(5n) });
  return { denom, shownDenom, holders: owners?.denomOwners.map(({ address }) => address) ?? [] };
}

async function markerSample(read: Read, denom: string | undefined): Promise<string | undefined> {
  if (denom !== undefined && (await read(Marker.method.marker, { id: denom }))?.marker !== undefined) return denom;
  const markers = (await read(Marker.method.allMarkers, { pagination: page(1n) }))?.markers ?? [];
  return markers.map((marker) => anyUnpack(marker, MarkerAccountSchema)?.denom).find((each) => each !== undefined);
}

async function scopeSample(read: Read): Promise<string | undefined> {
  const answer = await read(Metadata.method.scopesAll, { excludeIdInfo: true, pagination: page(1n) });
  const id = answer?.scopes[0]?.scope?.scopeId;
  return id && metadataAddress('scope', id);
}

function attributeSample(read: Read, accounts: readonly string[]): Promise<Samples['attribute']> {
  return first(accounts, async (account) => {
    const answer = await read(Attribute.method.attributes, { account, pagination: page(1n) });
    const name = answer?.attributes[0]?.name;
    return name === undefined ? undefined : { account, name };
  });
}

/** Finds a transaction in the newest blocks that is at most `transactionMax` bytes long. */
async function transactionSample(client: Client, height: bigint, signal: AbortSignal): Promise<Samples['transaction']> {
  const minHeight = height > recentBlocks ? height - recentBlocks + 1n : 1n;
  const params = { minHeight: minHeight.toString(), maxHeight: height.toString() };
  const heights = await client.call('blockchain', params, {
    signal,
    decode: (result) =>
      arrayAt(asObject(result, 'blockchain'), 'block_metas')
        .map((meta) => asObject(meta, 'a block'))
        .filter((meta) => bigintAt(meta, 'num_txs') > 0n)
        .map((meta) => bigintAt(objectAt(meta, 'header'), 'height')),
  });
  return first(heights, async (each) => {
    const { txs } = await client.block(each, signal);
    const bytes = txs.map((tx) => Buffer.from(tx, 'base64')).find(({ length }) => length <= transactionMax);
    if (bytes === undefined) return undefined;
    const hash = createHash('sha256').update(bytes).digest('hex').toUpperCase();
    return { hash, height: each.toString(), hex: bytes.toString('hex') };
  });
}

/** Returns the result of `reading`, or undefined if it fails. Throws if the search was aborted. */
async function orUndefined<T>(reading: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await reading;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/**
 * Finds samples at a height with a bounded number of reads. If a part of the chain cannot be read, its samples are undefined.
 */
export async function findSamples(client: Client, height: bigint, signal: AbortSignal): Promise<Samples> {
  const state = client.at(height, signal);
  let reads = 0;
  const read: Read = async (method, request) => {
    reads += 1;
    return reads > readsMax ? null : ((await orUndefined(queryState(state, method, request), signal)) ?? null);
  };
  const block = await client.block(height, signal);
  const [voting, denoms, scopeId, transaction] = await Promise.all([
    groupSamples(read),
    denomSamples(read),
    scopeSample(read),
    orUndefined(transactionSample(client, height, signal), signal),
  ]);
  const { denom, shownDenom, holders } = denoms;
  const account = voting.voter ?? holders[0];
  const candidates = [...new Set([voting.voter, ...holders, voting.policy].filter((each) => each !== undefined))];
  const [marker, attribute] = await Promise.all([markerSample(read, denom), attributeSample(read, candidates)]);
  const ofBlock = { height: height.toString(), blockHash: block.blockId.hash, transaction };
  return { ...ofBlock, ...voting, account, attribute, denom, shownDenom, marker, scopeId };
}
