import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { beforeAll, describe, expect, it } from 'vitest';
import { createActors } from '../../../../packages/devnet/src/app/actors/actors.ts';
import type { PolicyName } from '../../../../packages/devnet/src/app/fixtures/agenda.ts';
import { createFixtures } from '../../../../packages/devnet/src/app/fixtures/fixtures.ts';
import { createGenesis } from '../../../../packages/devnet/src/app/genesis/genesis.ts';
import { Query } from '../../../../src/proto/cosmos/group/v1/query_pb.js';
import { type Proposal, ProposalStatus } from '../../../../src/proto/cosmos/group/v1/types_pb.js';
import { runsAll } from '../../../support/atRandom.ts';
import { type Chain, chainId, createChain } from '../harness.ts';

const { SUBMITTED, ACCEPTED, REJECTED, ABORTED, WITHDRAWN } = ProposalStatus;
const statuses = [SUBMITTED, ACCEPTED, REJECTED, ABORTED, WITHDRAWN];

/** Blocks of one second each. An hour in CI. */
const blocks = runsAll ? 3600 : 225;

/** Numbers of proposals at one height. */
interface Census {
  readonly height: bigint;
  readonly all: number;
  readonly board: number;
  /** The smallest number of proposals of one status. */
  readonly fewest: number;
  /** The same for policies with short voting periods, whose proposals from genesis are soon deleted. */
  readonly fewestShort: number;
}

function census(chain: Chain, policies: ReturnType<typeof createFixtures>['policies']): Census {
  const of = (name: PolicyName): Proposal[] =>
    chain.query(Query.method.proposalsByGroupPolicy, { address: policies[name].address, pagination: { limit: 1000n } })
      .proposals;
  const fewest = (proposals: Proposal[]): number =>
    Math.min(...statuses.map((status) => proposals.filter((proposal) => proposal.status === status).length));
  const board = of('board');
  const short = [...of('treasury'), ...of('grants'), ...of('operations')];
  const all = [...board, ...of('charter'), ...short];
  return {
    height: chain.state.height,
    all: all.length,
    board: board.length,
    fewest: fewest(all),
    fewestShort: fewest(short),
  };
}

/** Runs the chain with its actors, one second for each block, and counts the proposals at every 50th block. */
function live(blocks: number) {
  const chain = createChain({});
  const actors = createActors({ query: chain.app.query, chainId });
  const { policies } = createFixtures(chain.accounts);
  const censuses: Census[] = [];
  const kinds = new Map<string, number>();
  const perBlock: number[] = [];
  let failed = 0;
  const refused: string[] = [];
  for (let count = 0; count < blocks; count += 1) {
    const txs = actors({ height: chain.state.height, time: chain.state.time });
    const { txResults } = chain.block(txs);
    chain.app.prune(chain.state.height - 20n);
    failed += txResults.filter((result) => result.code !== 0).length;
    if (count < 300) refused.push(...txResults.filter(({ code }) => code !== 0).map(({ log }) => log));
    perBlock.push(txs.length);
    for (const tx of txs) {
      const kind = TxBody.decode(TxRaw.decode(tx).bodyBytes).messages[0]!.typeUrl.replace(/^\/\w+\.|v1(beta1)?\./g, '');
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    if (count % 50 === 0) censuses.push(census(chain, policies));
  }
  return { chain, censuses, kinds, perBlock, failed, refused };
}

describe('the actors', () => {
  let life: ReturnType<typeof live>;
  beforeAll(() => {
    life = live(blocks);
  }, 120_000);

  it('keep proposals of all five statuses at all times', () => {
    const { censuses } = life;
    expect(censuses.filter(({ all, board, fewest }) => all < 40 || board < 25 || fewest < 1)).toEqual([]);
    expect(censuses.filter(({ height, fewestShort }) => height > 600n && fewestShort < 1)).toEqual([]);
  });

  it('keep the number of proposals bounded', () => {
    expect(Math.max(...life.censuses.map(({ all }) => all))).toBeLessThan(220);
  });

  it('send one or two transactions for each block, of every kind, which rarely fail', () => {
    const { perBlock, kinds, failed } = life;
    const total = perBlock.reduce((sum, count) => sum + count, 0);
    expect(Math.max(...perBlock)).toBe(2);
    expect(total / perBlock.length).toBeGreaterThan(0.8);
    expect(failed / total).toBeLessThan(0.01);
    expect([...kinds.keys()].sort()).toEqual([
      'attribute.MsgAddAttributeRequest',
      'attribute.MsgDeleteDistinctAttributeRequest',
      'attribute.MsgUpdateAttributeRequest',
      'bank.MsgMultiSend',
      'bank.MsgSend',
      'group.MsgExec',
      'group.MsgSubmitProposal',
      'group.MsgUpdateGroupPolicyMetadata',
      'group.MsgVote',
      'group.MsgWithdrawProposal',
      'marker.MsgAddNetAssetValuesRequest',
      'marker.MsgTransferRequest',
      'metadata.MsgAddNetAssetValuesRequest',
      'wasm.MsgExecuteContract',
    ]);
  });

  it('send only successful transactions in the first 300 blocks', () => {
    expect(life.refused).toEqual([]);
  });

  it('send tokens, write attributes and set prices a few times a minute', () => {
    const { kinds, perBlock } = life;
    const deals = [...kinds].filter(([kind]) => !/^group|MsgSend$/.test(kind)).reduce((sum, [, count]) => sum + count, 0);
    const perMinute = deals / (perBlock.length / 60);
    expect([perMinute > 3, perMinute < 12]).toEqual([true, true]);
  });

  it('do not use accounts 8 and 9', () => {
    const { chain } = life;
    expect(chain.accounts.slice(8).map(({ address }) => chain.account(address).sequence)).toEqual([0n, 0n]);
    const fewest = runsAll ? 50n : 5n;
    const signed = chain.accounts.slice(0, 8).map(({ address }) => chain.account(address).sequence);
    expect(signed.filter((sequence) => sequence <= fewest)).toEqual([]);
  });

  it.runIf(runsAll)('are reproducible on the same chain', () => {
    const run = (): string[] => {
      const again = createChain(createGenesis());
      const actors = createActors({ query: again.app.query, chainId, seed: 3 });
      const hashes: string[] = [];
      for (let count = 0; count < 30; count += 1) {
        const { appHash } = again.block(actors({ height: again.state.height, time: again.state.time }));
        hashes.push(Buffer.from(appHash).toString('hex'));
      }
      return hashes;
    };
    expect(run()).toEqual(run());
  });
});
