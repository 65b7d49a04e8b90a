import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact, GovStepFact, GovVoteFact, OpenProposals } from '../../../src/archive/facts.ts';
import type { CommittedBlock } from '../../../src/chain/blocks/committedBlock.ts';
import { createGovRecorder } from '../../../src/modules/gov/recorder/recorder.ts';
import { govOptions, tallyVotes } from '../../../src/modules/gov/tally.ts';
import { decText } from '../../../src/reads/decimal.ts';
import { createPin } from '../../../src/reads/pin.ts';
import { finalInput, govBlocks, govRecordings, govState, stateAt, votesInBlock } from '../../recordings/gov.ts';
import { govHeights, lastGovHeight, type RecordedGov, recordGov } from '../../support/archive/recordedGov.ts';

type Name = (typeof govRecordings)[number];

const chains = new Map<Name, RecordedGov>();

beforeAll(async () => {
  for (const name of govRecordings) chains.set(name, await recordGov(name));
}, 60_000);
afterAll(async () => {
  for (const chain of chains.values()) {
    await chain[Symbol.asyncDispose]();
    expect(chain.stack.masked).toEqual([]);
  }
});

const chain = (name: Name): RecordedGov => chains.get(name)!;

/** Asks the archive of a recording at a height, by default the last one. */
async function ask(name: Name, query: string, variables = {}, height: string = lastGovHeight[name]) {
  const { body } = await chain(name).stack.ask(query, variables, { 'x-cosmos-block-height': height });
  expect(body.errors).toBeUndefined();
  return body.data as never;
}

const tally = 'yesCount abstainCount noCount noWithVetoCount';
const audit = `{ agrees chain { ${tally} } computed { ${tally} } }`;
const place = '{ height hash }';
const recordFields = `id title proposer { address } messages { type } expedited status complete log depositEnd submitTime votingStartTime votingEndTime
  submitted ${place} votingBegan ${place} decided ${place} decidedBy { address } tally { ${tally} } audit ${audit}
  rounds { number ended ${place} log tally { ${tally} } audit ${audit} }
  deposits { depositor { address } amount { denom amount } at ${place} }
  missedBy { operatorAddress account { address } }
  votes(first: 30) { totalCount nodes { voter { address } options { option weight } at ${place} round replaced isValidator power delegatedPower validatorPower } }`;

interface Counts {
  readonly yesCount: string;
}

interface Audit {
  readonly agrees: boolean;
  readonly chain: Counts;
}

interface VoteView {
  readonly voter: { readonly address: string };
  readonly options: readonly { readonly option: string; readonly weight: string }[];
  readonly at: { readonly height: string | null; readonly hash: string | null };
  readonly round: number;
  readonly replaced: boolean;
  readonly isValidator: boolean;
  readonly power: string | null;
  readonly delegatedPower: string | null;
  readonly validatorPower: string | null;
}

interface RecordView {
  readonly id: string;
  readonly status: string;
  readonly complete: boolean;
  readonly expedited: boolean;
  readonly decided: { readonly height: string | null } | null;
  readonly depositEnd: string | null;
  readonly log: string | null;
  readonly tally: Counts | null;
  readonly audit: Audit | null;
  readonly rounds: readonly {
    readonly number: number;
    readonly ended: { height: string } | null;
    readonly audit: Audit | null;
  }[];
  readonly missedBy: readonly { readonly operatorAddress: string; readonly account: { readonly address: string } }[] | null;
  readonly votes: { readonly totalCount: string; readonly nodes: readonly VoteView[] };
}

async function recordsOf(name: Name, height?: string): Promise<readonly RecordView[]> {
  const query = `{ govProposalRecords(first: 12, reverse: true) { nodes { ${recordFields} } } }`;
  const data: { govProposalRecords: { nodes: readonly RecordView[] } } = await ask(name, query, {}, height);
  return data.govProposalRecords.nodes;
}

/** The sum of decimal texts with at most 18 decimals, without trailing zeros. */
const sumText = (...values: readonly bigint[]): string =>
  decText(values.reduce((sum, value) => sum + value, 0n)).replace(/\.?0+$/, '');

describe('the records of the recorded chain', () => {
  it('are what happened to each proposal', async () => {
    const records = await recordsOf('gov');
    expect(
      records.map(({ id, status, decided, depositEnd, expedited, complete }) => [
        ...[id, status, decided?.height, depositEnd, expedited, complete],
      ]),
    ).toEqual([
      ['3', 'PASSED', '327', 'REFUNDED', false, true],
      ['4', 'FAILED', '329', 'REFUNDED', false, true],
      ['5', 'PASSED', '327', 'REFUNDED', false, true],
      ['6', 'REJECTED', '327', 'BURNT', false, true],
      ['7', 'PASSED', '317', 'REFUNDED', true, true],
      ['8', 'REJECTED', '328', 'REFUNDED', true, true],
      ['9', 'REJECTED', '328', 'REFUNDED', true, true],
      ['10', 'CANCELLED', '313', 'CHARGED', false, true],
      ['11', 'REJECTED', '328', 'REFUNDED', false, true],
      ['12', 'DROPPED', '321', 'REFUNDED', false, true],
    ]);
    expect(records.find(({ id }) => id === '4')!.log).toMatch(/^passed, but msg 0 .*insufficient funds$/);
    expect(chain('gov').node.unrecorded).toEqual([]);
  });

  it.each(govRecordings)('have tallies that all agree with those of the node: %s', async (name) => {
    const records = await recordsOf(name);
    const tallies = records.flatMap(({ id, rounds }) =>
      rounds.flatMap(({ ended, audit: of }) => (ended && of ? [[id, ended.height, of.agrees, of.chain.yesCount]] : [])),
    );
    const finals = govState(name).finals.map(({ id, H, final }) => [String(id), String(H), true, final.yes]);
    expect(tallies.toSorted()).toEqual(finals.toSorted());
    const data: { archive: { auditFailures: string } } = await ask(name, '{ archive { auditFailures } }');
    expect(data.archive.auditFailures).toBe('0');
  });

  it.each(govRecordings)('have each vote with its power at the close: %s', async (name) => {
    const recorded = govState(name);
    const records = new Map((await recordsOf(name)).map((record) => [record.id, record]));
    for (const { id, H } of recorded.finals) {
      const input = finalInput(recorded, govBlocks(name), H, String(id));
      const powers = new Map(tallyVotes(input).powers.map((power) => [power.voter, power]));
      const { votes, missedBy, rounds } = records.get(String(id))!;
      const round = rounds.find(({ ended }) => ended?.height === String(H))!.number;
      const counted = votes.nodes.filter((vote) => vote.round === round && !vote.replaced);
      expect(counted.map(({ voter }) => voter.address).toSorted()).toEqual(input.votes.map(({ voter }) => voter).toSorted());
      for (const { voter, power, delegatedPower, validatorPower, isValidator } of counted) {
        const { delegated, validator } = powers.get(voter.address)!;
        expect([power, delegatedPower, validatorPower, isValidator]).toEqual([
          ...[sumText(delegated, validator ?? 0n), sumText(delegated)],
          ...[validator === undefined ? null : sumText(validator), validator !== undefined],
        ]);
      }
      if (round < rounds.length) continue;
      const missed = stateAt(recorded, String(H)).validators.filter(({ account }) => !powers.has(account));
      expect(missedBy!.map(({ operatorAddress }) => operatorAddress).toSorted()).toEqual(
        missed.map(({ operator }) => operator).toSorted(),
      );
    }
  });

  it('have the votes that were replaced, and those of the first round of an expedited proposal', async () => {
    const records = await recordsOf('gov');
    const votesIn = govHeights('gov').flatMap((height) =>
      votesInBlock(govBlocks('gov'), Number(height)).map((vote) => ({ ...vote, height: String(height) })),
    );
    for (const { id, votes } of records) {
      const cast = votesIn.filter((vote) => vote.id === id);
      expect(votes.nodes.map(({ voter, at }) => [voter.address, at.height])).toEqual(
        cast.map(({ voter, height }) => [voter, height]),
      );
      expect(votes.nodes.map(({ options }) => options.map(({ option }) => option))).toEqual(
        cast.map(({ options }) => options.map(({ option }) => `VOTE_OPTION_${govOptions[govOptions.indexOf(option)]}`)),
      );
      expect(votes.nodes.every(({ at }) => /^[0-9A-F]{64}$/.test(at.hash!))).toBe(true);
    }
    const replaced = records.flatMap(({ id, votes }) =>
      votes.nodes.filter((vote) => vote.replaced).map(({ at, power }) => [id, at.height, power]),
    );
    expect(replaced).toEqual([['5', '312', null]]);
    const expedited = records.find(({ id }) => id === '8')!;
    expect(expedited.rounds.map(({ ended, audit: of }) => [ended?.height, of?.chain.yesCount])).toEqual([
      ['318', '340000000'],
      ['328', '0'],
    ]);
    expect(expedited.votes.nodes.map(({ round, power }) => [round, power])).toEqual([[1, '340000000']]);
    expect(expedited.missedBy).toHaveLength(4);
  });
});

describe('a record at a height', () => {
  it('shows nothing that happened later', async () => {
    const statuses = async (height: string) =>
      Object.fromEntries((await recordsOf('gov', height)).map(({ id, status, votes }) => [id, [status, votes.totalCount]]));
    expect(await statuses('309')).toEqual({});
    expect(await statuses('310')).toMatchObject({ '3': ['VOTING_PERIOD', '0'], '4': ['DEPOSIT_PERIOD', '0'] });
    expect(await statuses('312')).toMatchObject({ '4': ['VOTING_PERIOD', '0'], '10': ['VOTING_PERIOD', '1'] });
    const at318 = await recordsOf('gov', '318');
    const expedited = at318.find(({ id }) => id === '8')!;
    expect(expedited).toMatchObject({ status: 'VOTING_PERIOD', decided: null, tally: null, audit: null, depositEnd: null });
    expect(expedited.rounds.map(({ ended }) => ended?.height ?? null)).toEqual(['318', null]);
    expect((await recordsOf('gov', '317')).find(({ id }) => id === '8')!.votes.nodes).toMatchObject([{ power: null }]);
  });
});

describe('lists of records', () => {
  const voter = 'tp14fmzy6vzg5shddx08v7sg27uke4vvr9dwuvmh4';
  it.each([
    ['{ status: [PASSED, FAILED] }', ['7', '5', '4', '3']],
    ['{ status: [DROPPED] }', ['12']],
    [`{ voter: "${voter}" }`, ['10', '9', '8', '7', '6', '5', '4', '3']],
    ['{ proposer: "tp1avlayvfeaa6wk5sxdgmsg5y0z90uavgqtkdu63" }', ['3']],
    ['{ depositor: "tp1qcrn007z5293r4gwj55cvy46yvq9008qnrkes4" }', ['4']],
    ['{ missedBy: "tpvaloper1sugmphsa36ztnraxvpletrc53c97e7t6vrh8dq" }', ['11', '9', '8', '6', '4']],
    ['{ missedBy: "tpvaloper10ekey9dmc8kznqr8zjtpe3m96umkewd53thmju", status: [REJECTED] }', ['11', '9', '8', '6']],
  ])('select by %s', async (filter, ids) => {
    const query = (after: string) =>
      `{ govProposalRecords(filter: ${filter}, first: 3${after}) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } }`;
    interface Page {
      readonly govProposalRecords: {
        readonly totalCount: string;
        readonly nodes: readonly { readonly id: string }[];
        readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
      };
    }
    const found: string[] = [];
    for (let after = ''; ; ) {
      const { govProposalRecords: page }: Page = await ask('gov', query(after));
      found.push(...page.nodes.map(({ id }) => id));
      expect(Number(page.totalCount)).toBe(ids.length);
      if (!page.pageInfo.hasNextPage) break;
      after = `, after: "${page.pageInfo.endCursor}"`;
    }
    expect(found).toEqual(ids);
  });

  it('have the votes of an account, newest first', async () => {
    const query = `{ account(address: "${voter}") { govVoteRecords(first: 4) { totalCount nodes { proposalId at { height } record { title } } } } }`;
    const data: { account: { govVoteRecords: { totalCount: string; nodes: readonly { proposalId: string; at: object }[] } } } =
      await ask('gov', query);
    const { totalCount, nodes } = data.account.govVoteRecords;
    expect([Number(totalCount), nodes.map(({ proposalId, at }) => [proposalId, at])]).toEqual([
      9,
      [
        ['4', { height: '314' }],
        ['5', { height: '313' }],
        ['10', { height: '312' }],
        ['9', { height: '312' }],
      ],
    ]);
  });

  it('have how a validator voted on decided proposals', async () => {
    const query = `{ govProposalRecord(id: "11") { missedBy { operatorAddress validator {
      govParticipation { decided voted missed percent yes abstain no noWithVeto split } } } } }`;
    const data: { govProposalRecord: { missedBy: readonly { operatorAddress: string }[] } } = await ask(
      'gov',
      query,
      {},
      '329',
    );
    const { missedBy } = data.govProposalRecord;
    expect(
      missedBy.find(({ operatorAddress }) => operatorAddress === 'tpvaloper14fmzy6vzg5shddx08v7sg27uke4vvr9d3430zs'),
    ).toMatchObject({
      validator: {
        // Of the expedited proposals, the vote of the first round does not count.
        govParticipation: {
          decided: 8,
          voted: 5,
          missed: 3,
          percent: '62.5',
          yes: 4,
          abstain: 0,
          no: 0,
          noWithVeto: 1,
          split: 0,
        },
      },
    });
  });

  it('have a link from the proposal, and the vote of one account', async () => {
    const query = `{ govProposal(id: "5") { record { id vote(voter: "${voter}") { options { option } at { height } power } } }
      govProposalRecord(id: "999") { id } }`;
    expect(await ask('gov', query)).toEqual({
      govProposal: {
        record: {
          id: '5',
          vote: { options: [{ option: 'VOTE_OPTION_YES' }], at: { height: '313' }, power: expect.stringMatching(/^\d+$/) },
        },
      },
      govProposalRecord: null,
    });
  });

  it.each([
    ['govProposalRecord(id: "x") { id }', 'id'],
    ['govProposalRecords(filter: { voter: "nobody" }) { nodes { id } }', 'filter.voter'],
    ['govProposalRecords(filter: { missedBy: "tp1x" }) { nodes { id } }', 'filter.missedBy'],
  ])('refuse %s', async (field, argument) => {
    const { body } = await chain('gov').stack.ask(`{ ${field} }`);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument });
  });
});

describe('requests', () => {
  it('a page of records asks no node, and a block without events of the module costs none', async () => {
    const { node, stack } = chain('gov');
    node.reset();
    await recordsOf('gov', '331');
    expect(node.calls.filter(({ method }) => method === 'abci_query')).toEqual([]);
    const quiet = {
      header: { height: 5n, time: '2026-11-23T08:00:00Z' },
      transactions: [],
      events: [],
    } as unknown as CommittedBlock;
    const fail = (): never => expect.fail('the state was read');
    const pin = new Proxy(createPin(stack.client, 330n), { get: fail });
    expect(await createGovRecorder().block(quiet, pin, pin, { govVotes: fail } as unknown as OpenProposals)).toEqual([]);
  });
});

describe('the block that decides', () => {
  /** The facts of a block, in which some recorded votes are cast by a contract. */
  async function factsOf(name: Name, height: bigint, byContract: (vote: GovVoteFact) => boolean): Promise<readonly Fact[]> {
    const { client } = chain(name).stack;
    const iterator = client.blocks.from(height - 1n)[Symbol.asyncIterator]();
    const { value: block } = (await iterator.next()) as { value: CommittedBlock };
    await iterator.return?.();
    const state = stateAt(govState(name), String(height - 1n));
    const votesOf = (id: bigint): readonly GovVoteFact[] =>
      state.votes(String(id)).map(({ voter, options }) => ({
        ...{ kind: 'govVote', proposalId: id, voter, at: { height: null, time: null } },
        options: options.map(({ option, weight }) => ({ option: govOptions.indexOf(option) + 1, weight: decText(weight) })),
      }));
    const moved = state.ids.flatMap((id) => votesOf(BigInt(id)).filter(byContract));
    const attribute = (key: string, value: string) => ({ key, value, index: true });
    const contract = {
      tx: '',
      hash: 'C0'.repeat(32),
      result: {
        ...block.transactions[0]?.result,
        code: 0,
        events: moved.flatMap(({ proposalId, voter, options }) => [
          { type: 'wasm', attributes: [attribute('_contract_address', voter), attribute('msg_index', '0')] },
          {
            type: 'proposal_vote',
            attributes: [
              ...[attribute('voter', voter), attribute('option', JSON.stringify(options))],
              ...[attribute('proposal_id', String(proposalId)), attribute('msg_index', '0')],
            ],
          },
        ]),
      },
    } as unknown as CommittedBlock['transactions'][number];
    const recorded: OpenProposals = {
      open: async () => [],
      proposal: async () => null,
      govVotes: async (id) => votesOf(id).filter((vote) => !byContract(vote)),
    };
    // Only events say who voted: the bytes of no transaction are read.
    const transactions = block.transactions.map((transaction) => ({ ...transaction, tx: '' }));
    const changed = { ...block, transactions: [contract, ...transactions] };
    return createGovRecorder().block(changed, createPin(client, height - 1n), createPin(client, height), recorded);
  }

  const stepsIn = (facts: readonly Fact[]) => facts.filter((fact): fact is GovStepFact => fact.kind === 'govStep');

  it('counts the votes of contracts in it, and no such voter has missed it', async () => {
    for (const voter of ['tp14fmzy6vzg5shddx08v7sg27uke4vvr9dwuvmh4', 'tp1t3yjve8ayyw3slayph64l8kufxtt9ycm3sjf0r']) {
      const facts = await factsOf('gov', 327n, (vote) => vote.voter === voter);
      for (const { tally: ofChain, computed, powers, proposalId } of stepsIn(facts)) {
        expect(computed, String(proposalId)).toEqual(ofChain);
        const hasVoted = facts.some(
          (fact) => fact.kind === 'govVote' && fact.proposalId === proposalId && fact.voter === voter,
        );
        if (hasVoted) expect(powers.find(({ address }) => address === voter)?.options).not.toBeNull();
      }
      expect(facts.some((fact) => fact.kind === 'govVote' && fact.voter === voter && fact.at.time !== null)).toBe(true);
    }
  });

  it('fails if a node refuses a read of the stake, so that it is tried again', async () => {
    const { client } = chain('gov').stack;
    const iterator = client.blocks.from(326n)[Symbol.asyncIterator]();
    const { value: block } = (await iterator.next()) as { value: CommittedBlock };
    await iterator.return?.();
    const recorded: OpenProposals = { open: async () => [], proposal: async () => null, govVotes: async () => [] };
    // The validators of this height are not recorded.
    const facts = createGovRecorder().block(block, createPin(client, 309n), createPin(client, 327n), recorded);
    await expect(facts).rejects.toMatchObject({ code: 'ABCI_QUERY_FAILED' });
  });

  it('disagrees if a vote is missing', async () => {
    const voter = 'tp14fmzy6vzg5shddx08v7sg27uke4vvr9dwuvmh4';
    const { client } = chain('gov').stack;
    const iterator = client.blocks.from(326n)[Symbol.asyncIterator]();
    const { value: block } = (await iterator.next()) as { value: CommittedBlock };
    await iterator.return?.();
    const recorded: OpenProposals = { open: async () => [], proposal: async () => null, govVotes: async () => [] };
    const facts = await createGovRecorder().block(block, createPin(client, 326n), createPin(client, 327n), recorded);
    const [first] = stepsIn(facts);
    expect(first!.computed).not.toEqual(first!.tally);
    expect(first!.powers.find(({ address }) => address === voter)).toMatchObject({ options: null, delegated: decText(0n) });
  });
});
