import type { Any } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import type { VoteOption } from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, exec, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { createContract, voteByContract, votingContracts } from '../../support/votingContract.ts';

type Account = Pick<WalletAccount, 'address'>;

const contract = createContract(7);
const twin = createContract(9);
let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true, modules: [votingContracts] });
  stack = await startStack([chain.node.url], { archive: { records: true } });
});

afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
});

/** A vote as the test cast it. */
interface Cast {
  readonly voter: Account;
  readonly option?: keyof typeof VoteOption;
  readonly origin: 'MESSAGE' | 'OTHER';
  readonly height: bigint;
  readonly hash: string;
}

/** What the test knows of a group: its members by weight. */
interface Truth {
  readonly group: TestGroup;
  readonly members: readonly (readonly [Account, string])[];
}

async function groupOf(
  people: readonly (readonly [WalletAccount, string])[],
  contracts: readonly (readonly [Account, string])[],
  threshold: string,
): Promise<Truth> {
  return { group: await createGroup(chain, people, { contracts, threshold }), members: [...people, ...contracts] };
}

/** Commits a block of these transactions. Returns their hashes. */
async function commit(...txs: readonly (readonly [WalletAccount, Any])[]): Promise<readonly string[]> {
  const hashes: string[] = [];
  for (const [account, message] of txs) hashes.push(await chain.submit(account, message));
  await chain.devnet.commit();
  return hashes;
}

const query = `query ($id: ID!, $group: ID!, $contract: String!) {
  proposal(id: $id) { id }
  proposalRecord(id: $id) {
    status closedBy closed { height hash } pruned { height } complete
    tally { yesCount noCount } audit { agrees chain { yesCount noCount } computed { yesCount noCount } }
    votes { totalCount nodes { voter { address } option origin weight at { height hash } } }
    electorate { totalCount nodes { account { address } vote { option } } }
    missed: electorate(voted: false) { totalCount nodes { account { address } } }
    tallyHistory { height tally { yesCount noCount } }
    executions { result executor { address } at { height } }
  }
  proposalRecords(filter: { groupId: $group, missedBy: $contract }) { nodes { id } }
  group(id: $group) { participation { account { address } eligible voted } }
}`;

async function read(id: bigint, { group }: Truth, missedBy: Account = contract): Promise<unknown> {
  const variables = { id: `${id}`, group: `${group.id}`, contract: missedBy.address };
  const { body } = await stack.ask(query, variables, { 'x-min-height': `${chain.devnet.height}` });
  expect(body.errors).toBeUndefined();
  return body.data;
}

const byAddress = (a: { account: Account }, b: { account: Account }): number =>
  a.account.address < b.account.address ? -1 : 1;

/** Adds up weights, which have at most one decimal. */
const sum = (weights: readonly string[]): string => String(weights.reduce((total, weight) => total + Number(weight), 0));

/** What a record must be of which every vote is known: it follows from the votes and the members alone. */
function recordOf(
  { members }: Truth,
  casts: readonly Cast[],
  { height, hash }: { readonly height: bigint; readonly hash: string },
  executor: Account | null,
): unknown {
  const weightOf = new Map(members.map(([{ address }, weight]) => [address, weight]));
  const optionOf = ({ option = 'YES' }: Cast): string => `VOTE_OPTION_${option}`;
  const tallyOf = (votes: readonly Cast[]): unknown => {
    const count = (option: string): string =>
      sum(votes.filter((cast) => optionOf(cast) === option).map(({ voter }) => weightOf.get(voter.address)!));
    return { yesCount: count('VOTE_OPTION_YES'), noCount: count('VOTE_OPTION_NO') };
  };
  const castBy = new Map(casts.map((cast) => [cast.voter.address, cast]));
  const electors = members
    .map(([{ address }]) => {
      const cast = castBy.get(address);
      return { account: { address }, vote: cast === undefined ? null : { option: optionOf(cast) } };
    })
    .toSorted(byAddress);
  const missed = electors.filter((elector) => elector.vote === null).map(({ account }) => ({ account }));
  return {
    ...{ status: 'PROPOSAL_STATUS_ACCEPTED', closedBy: 'DECIDED', complete: true },
    closed: { height: `${height}`, hash: hash },
    pruned: { height: `${height}` },
    tally: tallyOf(casts),
    audit: { agrees: true, chain: tallyOf(casts), computed: tallyOf(casts) },
    votes: {
      totalCount: `${casts.length}`,
      nodes: casts.map((cast) => ({
        ...{ voter: { address: cast.voter.address }, option: optionOf(cast), origin: cast.origin },
        weight: weightOf.get(cast.voter.address),
        at: { height: `${cast.height}`, hash: cast.hash },
      })),
    },
    electorate: { totalCount: `${members.length}`, nodes: electors },
    missed: { totalCount: `${missed.length}`, nodes: missed },
    tallyHistory: casts.map((cast, index) => ({ height: `${cast.height}`, tally: tallyOf(casts.slice(0, index + 1)) })),
    executions: [
      {
        ...{ result: 'PROPOSAL_EXECUTOR_RESULT_SUCCESS', at: { height: `${height}` } },
        executor: executor && { address: executor.address },
      },
    ],
  };
}

/** How often each member could vote, and did, on the one proposal of its group. */
function participationOf({ members }: Truth, voters: readonly Account[], missable = true): unknown {
  return members
    .map(([account]) => {
      const voted = voters.includes(account) ? 1 : 0;
      return { account: { address: account.address }, eligible: missable ? 1 : voted, voted };
    })
    .toSorted(byAddress);
}

describe('the vote of a contract and the deletion in one block', () => {
  it('names the contract if its vote executes the proposal', async () => {
    const [alice, bob] = chain.accounts;
    const truth = await groupOf(
      [
        [alice!, '1'],
        [bob!, '1'],
      ],
      [[contract, '2.5']],
      '3',
    );
    const id = await submitProposal(chain, truth.group, alice!);
    const [first] = await commit([alice!, vote(alice!, id)]);
    const voted = chain.devnet.height;
    const [last] = await commit([bob!, voteByContract(bob!, contract, id, 'YES', true)]);
    const height = chain.devnet.height;
    const casts: Cast[] = [
      { voter: alice!, origin: 'MESSAGE', height: voted, hash: first! },
      { voter: contract, origin: 'OTHER', height, hash: last! },
    ];
    expect(await read(id, truth)).toEqual({
      proposal: null,
      // The message of the contract is not in the block, so its executor is not known.
      proposalRecord: recordOf(truth, casts, { height, hash: last! }, null),
      proposalRecords: { nodes: [] },
      group: { participation: participationOf(truth, [alice!, contract]) },
    });
  });

  it('names the contract if a later transaction of the block executes the proposal', async () => {
    const [alice, bob, carol] = chain.accounts;
    const truth = await groupOf(
      [
        [alice!, '1'],
        [bob!, '1'],
      ],
      [
        [contract, '2.5'],
        [twin, '3.5'],
      ],
      '3',
    );
    const id = await submitProposal(chain, truth.group, alice!);
    const hashes = await commit(
      [alice!, vote(alice!, id, 'NO')],
      [bob!, voteByContract(bob!, twin, id)],
      [carol!, exec(carol!, id)],
    );
    const height = chain.devnet.height;
    const casts: Cast[] = [
      { voter: alice!, option: 'NO', origin: 'MESSAGE', height, hash: hashes[0]! },
      { voter: twin, origin: 'OTHER', height, hash: hashes[1]! },
    ];
    expect(await read(id, truth, twin)).toEqual({
      proposal: null,
      proposalRecord: recordOf(truth, casts, { height, hash: hashes[2]! }, carol!),
      proposalRecords: { nodes: [] },
      group: { participation: participationOf(truth, [alice!, twin]) },
    });
  });

  it.runIf(runsAll)('says of nobody that he missed the vote if several members have the missing weight', async () => {
    const [alice, bob] = chain.accounts;
    const truth = await groupOf(
      [
        [alice!, '1'],
        [bob!, '2.5'],
      ],
      [[contract, '2.5']],
      '3',
    );
    const id = await submitProposal(chain, truth.group, alice!);
    const [first] = await commit([alice!, vote(alice!, id)]);
    const voted = chain.devnet.height;
    await commit([bob!, voteByContract(bob!, contract, id, 'YES', true)]);
    const height = chain.devnet.height;
    const tally = { yesCount: '3.5', noCount: '0' };
    const expected = {
      proposalRecord: {
        ...{ status: 'PROPOSAL_STATUS_ACCEPTED', closedBy: 'DECIDED', complete: false, tally, audit: null },
        votes: { totalCount: '1', nodes: [{ voter: { address: alice!.address }, at: { hash: first! } }] },
        electorate: { totalCount: '3' },
        missed: { totalCount: '0', nodes: [] },
        tallyHistory: [
          { height: `${voted}`, tally: { yesCount: '1', noCount: '0' } },
          { height: `${height}`, tally },
        ],
      },
      proposalRecords: { nodes: [] },
      group: { participation: participationOf(truth, [alice!], false) },
    };
    for (const member of [contract, bob!]) expect(await read(id, truth, member)).toMatchObject(expected);
  });
});
