import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lie, lieKinds, lieProofs, type QueryResult } from '../../packages/devnet/src/abci/abci.ts';
import { createApplication } from '../../packages/devnet/src/app/application.ts';
import { createDevnet, type Devnet } from '../../packages/devnet/src/devnet.ts';
import { headerForgeries } from '../../packages/devnet/src/node/faults/falseHeaders.ts';
import { createRandomChanges } from '../../packages/devnet/src/node/faults/randomChanges.ts';
import {
  createSignatureCheck,
  decodeLightBlock,
  decodeValidators,
  ProofError,
  verifyKey,
  verifySigned,
  verifyStep,
} from '../../packages/verify/src/index.ts';
import type { JsonValue } from '../../src/chain/wire/json.ts';
import {
  QueryProposalRequestSchema,
  QueryProposalResponseSchema,
  QueryTallyResultRequestSchema,
  QueryTallyResultResponseSchema,
  QueryVotesByProposalRequestSchema,
  QueryVotesByProposalResponseSchema,
} from '../../src/proto/cosmos/group/v1/query_pb.js';
import { PairsSchema } from '../../src/proto/cosmos/store/internal/kv/v1beta1/kv_pb.js';
import { some } from '../support/atRandom.ts';
import { sharedGenesis } from '../support/genesis.ts';

const genesisTime = 1_795_229_280_000_000_000n;
const votePrefix = Buffer.from([0x40, 0]);

let devnet: Devnet;
beforeAll(async () => {
  const application = createApplication(sharedGenesis());
  devnet = await createDevnet({ blockTime: 'manual', genesisTime, admin: true, application, actors: true });
  for (let block = 0; block < 8; block += 1) await devnet.commit();
});
afterAll(() => devnet.close());

function ask(path: string, data: Uint8Array, lie?: Lie, prove = false, height = devnet.height): QueryResult {
  return devnet.application.query({ path, data, height, prove, latestHeight: devnet.height, earliestHeight: 1n, lie });
}

function rowsOf(store: string, prefix: Uint8Array, lie?: Lie): ReadonlyMap<string, string> {
  const { value } = ask(`/store/${store}/subspace`, prefix, lie);
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  return new Map(fromBinary(PairsSchema, value!).pairs.map((pair) => [hex(pair.key), hex(pair.value)]));
}

/** The votes of each proposal. */
function counts(lie?: Lie): ReadonlyMap<bigint, number> {
  const votes = new Map<bigint, number>();
  for (const key of rowsOf('group', votePrefix, lie).keys()) {
    const proposal = Buffer.from(key, 'hex').readBigUInt64BE(2);
    votes.set(proposal, (votes.get(proposal) ?? 0) + 1);
  }
  return votes;
}

/** The proposal with the most votes. */
function subject(): bigint {
  return [...counts()].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}

/** The tally of a proposal. undefined if it has none, because it is withdrawn. */
function tally(proposalId: bigint, lie?: Lie) {
  const request = toBinary(QueryTallyResultRequestSchema, create(QueryTallyResultRequestSchema, { proposalId }));
  const { value } = ask('/cosmos.group.v1.Query/TallyResult', request, lie);
  return value === null ? undefined : fromBinary(QueryTallyResultResponseSchema, value).tally!;
}

function votesOf(proposalId: bigint, lie?: Lie) {
  const request = toBinary(QueryVotesByProposalRequestSchema, create(QueryVotesByProposalRequestSchema, { proposalId }));
  return fromBinary(QueryVotesByProposalResponseSchema, ask('/cosmos.group.v1.Query/VotesByProposal', request, lie).value!)
    .votes;
}

const lieOf = (kind: Lie['kind'], proofs: Lie['proofs'] = 'rebuilt'): Lie => ({ kind, proofs });

/** The keys about which a lie is not true, with their store. */
function falseKeys(lie: Lie): readonly (readonly [store: string, key: Uint8Array])[] {
  return ['group', 'bank', 'mint'].flatMap((store) =>
    [...Array(256).keys()].flatMap((first) => {
      const prefix = Uint8Array.of(first);
      const [truth, claim] = [rowsOf(store, prefix), rowsOf(store, prefix, lie)];
      const keys = new Set([...truth.keys(), ...claim.keys()]);
      const changed = [...keys].filter((key) => truth.get(key) !== claim.get(key));
      return changed.map((key) => [store, new Uint8Array(Buffer.from(key, 'hex'))] as const);
    }),
  );
}

const text = (value: unknown): string => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each));

interface OpJson {
  readonly data: string;
}
async function rpc<T>(method: string, params: object = {}): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(devnet.nodes[0]!.url, { method: 'POST', body, headers: { connection: 'close' } });
  return ((await response.json()) as { readonly result: T }).result;
}

describe('the answers of a lying node', () => {
  it('count another vote in tallies, and leave the votes as they are', () => {
    const [truth, claim] = [tally(subject()), tally(subject(), lieOf('tally'))];
    expect(Number(claim!.yesCount)).toBe(Number(truth!.yesCount) + 1);
    expect(text(votesOf(subject(), lieOf('tally')))).toBe(text(votesOf(subject())));
    const decided = [...rowsOf('group', Buffer.from([0x30, 0]))].filter(
      ([key, value]) => rowsOf('group', Buffer.from([0x30, 0]), lieOf('tally')).get(key) !== value,
    );
    const [key] = decided[0]!;
    const proposalId = Buffer.from(key, 'hex').readBigUInt64BE(2);
    const request = toBinary(QueryProposalRequestSchema, create(QueryProposalRequestSchema, { proposalId }));
    const [before, after] = [undefined, lieOf('tally')].map((lie) => {
      const { value } = ask('/cosmos.group.v1.Query/Proposal', request, lie);
      return Number(fromBinary(QueryProposalResponseSchema, value!).proposal!.finalTallyResult!.yesCount);
    });
    expect(after).toBe(before! + 1);
  });

  it('leave out a vote, add one, or change one, in the votes and in the tally', () => {
    const proposal = subject();
    const truth = votesOf(proposal);
    for (const [kind, difference] of [
      ['leftOutVote', -1],
      ['addedVote', 1],
      ['changedVote', 0],
      ['changedWeight', 0],
    ] as const) {
      const claim = votesOf(proposal, lieOf(kind));
      expect(claim.length - truth.length, kind).toBe(difference);
      if (kind !== 'changedWeight') expect(text(claim), kind).not.toBe(text(truth));
      // An added vote counts where a member has not voted yet.
      const tallies = (lie?: Lie) => text([...counts().keys()].map((each) => tally(each, lie)));
      expect(tallies(lieOf(kind)), kind).not.toBe(tallies());
    }
  });

  it('are of an earlier state, of another store, or have keys that the state lacks and lack those that it has', () => {
    const heightKey = (lie?: Lie) => Buffer.from(ask('/store/mint/key', Uint8Array.of(0), lie).value!).toString();
    expect([heightKey(), heightKey(lieOf('oldState'))]).toEqual([`${devnet.height}`, `${devnet.height - 3n}`]);
    expect(counts(lieOf('swappedStore')).size).toBe(0);
    const balances = (lie?: Lie) =>
      [...rowsOf('bank', Uint8Array.of(2), lie).keys()].map((key) => Buffer.from(key, 'hex').toString('latin1'));
    const has = (denom: string, lie?: Lie) => balances(lie).some((key) => key.endsWith(denom));
    expect([has('invented'), has('invented', lieOf('absentAsPresent'))]).toEqual([false, true]);
    expect([has('nhash'), has('nhash', lieOf('presentAsAbsent'))]).toEqual([true, false]);
  });

  it.each(some(lieKinds, 3))('are refused with each kind of proof, or their proof shows the truth: %s', async (kind) => {
    // Of the block before the newest, whose next header there is.
    const height = devnet.height - 1n;
    const { header } = await rpc<{ readonly header: { readonly app_hash: string } }>('header', { height: `${devnet.height}` });
    const appHash = new Uint8Array(Buffer.from(header.app_hash, 'hex'));
    let [refusals, truths] = [0, 0];
    for (const proofs of lieProofs) {
      for (const [store, key] of falseKeys(lieOf(kind)).slice(0, 60)) {
        const path = `/store/${store}/key`;
        const { value, proofOps } = ask(path, key, { kind, proofs }, true, height);
        const truth = ask(path, key, undefined, false, height).value;
        const [iavl, simple] = proofOps!;
        expect([iavl!.type, simple!.type]).toEqual(['ics23:iavl', 'ics23:simple']);
        try {
          verifyKey({ store, key, value: value ?? undefined, iavl: iavl!.data, simple: simple!.data }, appHash);
          truths += 1;
          expect(value && Buffer.from(value), `${kind} ${proofs}`).toEqual(truth && Buffer.from(truth));
        } catch (error) {
          if (!(error instanceof ProofError)) throw error;
          refusals += 1;
        }
      }
    }
    expect(truths).toBeGreaterThan(0);
    expect(refusals, kind).toBeGreaterThan(truths);
  });

  it.each(some(headerForgeries, 2))(
    'have headers with the application hash of the lie, which the validators did not sign: %s',
    async (headers) => {
      const chainId = devnet.chainId;
      const check = createSignatureCheck();
      const lightBlock = async (height: bigint) => {
        const { signed_header } = await rpc<{ readonly signed_header: JsonValue }>('commit', { height: `${height}` });
        const { validators } = await rpc<{ readonly validators: JsonValue }>('validators', { height: `${height}` });
        return decodeLightBlock(signed_header, decodeValidators(validators));
      };
      const trusted = await lightBlock(devnet.height);
      const lie = { kind: 'leftOutVote', proofs: 'rebuilt', headers } as const;
      const { nodes } = await rpc<{ readonly nodes: readonly { readonly faults: { readonly lie: unknown } }[] }>('devnet', {
        faults: { lie },
        commit: 2,
      });
      expect(nodes[0]!.faults.lie).toEqual(lie);
      const [first, second] = [await lightBlock(devnet.height - 1n), await lightBlock(devnet.height)];
      // The lie is consistent: its headers are linked, and its proofs lead to them.
      expect(Buffer.from(second.header.lastBlockId.hash)).toEqual(Buffer.from(first.hash));
      expect(Buffer.from(first.header.lastBlockId.hash)).toEqual(Buffer.from(trusted.hash));
      const [store, key] = falseKeys(lieOf('leftOutVote'))[0]!;
      const data = Buffer.from(key).toString('hex');
      const params = { path: `/store/${store}/key`, data, height: `${first.header.height}`, prove: true };
      const { response } = await rpc<{ readonly response: { readonly proofOps: { readonly ops: readonly OpJson[] } } }>(
        'abci_query',
        params,
      );
      const [iavl, simple] = response.proofOps.ops.map(
        (op: { data: string }) => new Uint8Array(Buffer.from(op.data, 'base64')),
      );
      verifyKey({ store, key, value: undefined, iavl: iavl!, simple: simple! }, second.header.appHash);
      // But for the signatures.
      const options = { chainId, check, now: trusted.header.time + 60_000_000_000n, trustingPeriod: 10n ** 15n };
      await expect(verifyStep(trusted, first, options)).rejects.toBeInstanceOf(ProofError);
      if (headers !== 'usurped')
        await expect(verifySigned(first, { chainId, check })).rejects.toMatchObject({ code: 'WRONG_SIGNATURE' });
      await rpc('devnet', { heal: true });
      const healed = await lightBlock(first.header.height);
      await verifyStep(trusted, healed, options);
    },
  );

  it('change at random: the same with the same seed, each answer in one place or for another answer', () => {
    const call = { method: 'abci_query', params: undefined, via: 'post', batch: 1 } as const;
    const results = Array.from({ length: 200 }, (_, index) => {
      const { value, proofOps, key } = ask('/store/bank/key', Uint8Array.of(0, index), undefined, true);
      const ops = proofOps!.map((op) => ({ type: op.type, data: Buffer.from(op.data).toString('base64') }));
      return { response: { height: `${devnet.height}`, value, key: Buffer.from(key!).toString('base64'), proofOps: { ops } } };
    });
    const run = (seed: number, share: number) => {
      const change = createRandomChanges({ seed, share });
      return results.map((result) => JSON.stringify(change(call, result as never)));
    };
    const truths = results.map((result) => JSON.stringify(result));
    expect(run(1, 1)).toEqual(run(1, 1));
    expect(run(1, 1)).not.toEqual(run(2, 1));
    expect(run(1, 1).filter((each, index) => each === truths[index])).toEqual([]);
    expect(run(1, 0)).toEqual(truths);
    const half = run(3, 0.5).filter((each, index) => each !== truths[index]).length;
    expect(half).toBeGreaterThan(50);
    expect(half).toBeLessThan(150);
    const swapped = run(1, 1).filter((each) => truths.includes(each)).length;
    expect(swapped).toBeGreaterThan(10);
    // Other methods are left alone.
    expect(createRandomChanges({ seed: 1, share: 1 })({ ...call, method: 'status' }, 'text')).toBe('text');
  });
});
