import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveOf } from '../../../src/archive/setup/archive.ts';
import { parseTime, timeText } from '../../../src/chain/base/time.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describePolicy, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
/** The proposals, and the heights at which they change. */
let executed: { readonly id: string; readonly submitted: bigint; readonly voted: bigint; readonly closed: bigint };
let aborted: string;
let open: string;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url], { archive: { records: true } });
  const [alice, bob, carol] = chain.accounts;
  group = await createGroup(chain, [
    [alice!, '1'],
    [bob!, '1'],
    [carol!, '2.5'],
  ]);
  const id = await submitProposal(chain, group, alice!);
  const submitted = chain.devnet.height;
  await chain.run(alice!, vote(alice!, id));
  const voted = chain.devnet.height;
  await chain.run(bob!, vote(bob!, id, 'YES', true));
  executed = { id: `${id}`, submitted, voted, closed: chain.devnet.height };
  aborted = `${await submitProposal(chain, group, bob!)}`;
  await chain.run(alice!, describePolicy(alice!, group, 'changed'));
  open = `${await submitProposal(chain, group, carol!)}`;
  await chain.run(carol!, vote(carol!, BigInt(open), 'NO'));
});

afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
});

/** The data of an operation at the newest height, or at `height`. */
async function read(query: string, height?: bigint, variables: Record<string, unknown> = {}): Promise<unknown> {
  const latest = `${height ?? chain.devnet.height}`;
  const { body } = await stack.ask(query, variables, {
    'x-min-height': latest,
    ...(height && { 'x-cosmos-block-height': latest }),
  });
  expect(body.errors).toBeUndefined();
  return body.data;
}

/** A time as records print it: a header has no zeros at its end. */
const printed = (time: string): string => timeText(parseTime(time));

const addressOf = (index: number): string => chain.accounts[index]!.address;

describe('values', () => {
  it('a proposal that the chain has deleted has a record with its votes, its electorate and its end', async () => {
    const data = await read(
      `query ($id: ID!) {
        proposal(id: $id) { id }
        proposalRecord(id: $id) {
          title status executorResult closedBy closed { height } pruned { height } submitted { height } groupId
          tally { yesCount noCount } totalWeight decisionPolicy { ... on ThresholdDecisionPolicy { threshold } }
          electorate { totalCount nodes { account { address } weight weightPercent vote { option } } }
          missing: electorate(voted: false) { nodes { account { address } } }
          votes { totalCount nodes { voter { address } option origin weight at { height } record { id } } }
          tallyHistory { height tally { yesCount } }
          executions { result executor { address } at { height } logs }
          timeline { kind at { height } account { address } vote { option } }
          singleTransaction audit { agrees chain { yesCount } computed { yesCount } } complete proposal { id }
        }
      }`,
      undefined,
      { id: executed.id },
    );
    const [alice, bob, carol] = [addressOf(0), addressOf(1), addressOf(2)];
    const [submitted, voted, closed] = [executed.submitted, executed.voted, executed.closed].map((height) => ({
      height: `${height}`,
    }));
    const cast = (voter: string, at: unknown): unknown => ({
      ...{
        voter: { address: voter },
        option: 'VOTE_OPTION_YES',
        origin: 'MESSAGE',
        weight: '1',
        at,
        record: { id: executed.id },
      },
    });
    const elector = (address: string, weight: string, weightPercent: string, option?: string): unknown => ({
      ...{ account: { address }, weight, weightPercent, vote: option === undefined ? null : { option } },
    });
    const event = (kind: string, at: unknown, address?: string, option?: string): unknown => ({
      ...{ kind, at, account: address === undefined ? null : { address }, vote: option === undefined ? null : { option } },
    });
    const yes = 'VOTE_OPTION_YES';
    const electors = [
      elector(alice, '1', '22.222222222222222222', yes),
      elector(bob, '1', '22.222222222222222222', yes),
      elector(carol, '2.5', '55.555555555555555555'),
    ];
    expect(data).toEqual({
      proposal: null,
      proposalRecord: {
        title: 'Pay',
        status: 'PROPOSAL_STATUS_ACCEPTED',
        executorResult: 'PROPOSAL_EXECUTOR_RESULT_SUCCESS',
        closedBy: 'DECIDED',
        closed,
        pruned: closed,
        submitted,
        groupId: `${group.id}`,
        tally: { yesCount: '2', noCount: '0' },
        totalWeight: '4.5',
        decisionPolicy: { threshold: '2' },
        electorate: { totalCount: '3', nodes: electors.toSorted(byAddress) },
        missing: { nodes: [{ account: { address: carol } }] },
        votes: { totalCount: '2', nodes: [cast(alice, voted), cast(bob, closed)] },
        tallyHistory: [
          { ...voted, tally: { yesCount: '1' } },
          { ...closed, tally: { yesCount: '2' } },
        ],
        executions: [{ result: 'PROPOSAL_EXECUTOR_RESULT_SUCCESS', executor: { address: bob }, at: closed, logs: '' }],
        timeline: [
          event('SUBMITTED', submitted, alice),
          event('VOTED', voted, alice, yes),
          event('VOTED', closed, bob, yes),
          event('DECIDED', closed, bob),
          event('EXECUTED', closed, bob),
          event('PRUNED', closed),
        ],
        singleTransaction: false,
        audit: { agrees: true, chain: { yesCount: '2' }, computed: { yesCount: '2' } },
        complete: true,
        proposal: null,
      },
    });
  });

  it('lists of records have filters, pages and counts, and other types have their records', async () => {
    const ids = (...all: string[]): unknown => ({ nodes: all.map((id) => ({ id })) });
    const data = await read(
      `query ($policy: String!, $group: ID!, $alice: String!, $bob: String!, $id: ID!) {
        all: proposalRecords(first: 2) { totalCount nodes { id } pageInfo { hasNextPage } }
        oldest: proposalRecords(first: 1, reverse: true) { nodes { id } }
        accepted: proposalRecords(filter: { status: [PROPOSAL_STATUS_ACCEPTED] }) { nodes { id } }
        byBob: proposalRecords(filter: { proposer: $bob, groupId: $group }) { nodes { id } }
        votedByAlice: proposalRecords(filter: { voter: $alice }) { nodes { id } }
        missedByAlice: proposalRecords(filter: { missedBy: $alice }) { nodes { id } }
        none: proposalRecords(filter: { messageType: "/cosmos.bank.v1beta1.MsgSend" }) { totalCount }
        later: proposalRecords(filter: { submittedFrom: "2100-01-01T00:00:00Z" }) { nodes { id } }
        proposal(id: $id) { record { id closed { height } closedBy votes { nodes { option } } } }
        group(id: $group) { proposalRecords { nodes { id } } participation { account { address } eligible voted percent } }
        groupPolicy(address: $policy) { proposalRecords(filter: { executorResult: [PROPOSAL_EXECUTOR_RESULT_SUCCESS] }) { nodes { id } } }
        account(address: $alice) { voteRecords { nodes { proposalId } } }
      }`,
      undefined,
      { policy: group.policy, group: `${group.id}`, alice: addressOf(0), bob: addressOf(1), id: open },
    );
    const participation = [
      { account: { address: addressOf(0) }, eligible: 2, voted: 1, percent: '50' },
      { account: { address: addressOf(1) }, eligible: 2, voted: 1, percent: '50' },
      { account: { address: addressOf(2) }, eligible: 2, voted: 0, percent: '0' },
    ];
    expect(data).toEqual({
      all: { totalCount: '3', nodes: [{ id: open }, { id: aborted }], pageInfo: { hasNextPage: true } },
      oldest: ids(executed.id),
      accepted: ids(executed.id),
      byBob: ids(aborted),
      votedByAlice: ids(executed.id),
      missedByAlice: ids(aborted),
      none: { totalCount: '0' },
      later: ids(),
      proposal: { record: { id: open, closed: null, closedBy: null, votes: { nodes: [{ option: 'VOTE_OPTION_NO' }] } } },
      group: { proposalRecords: ids(open, aborted, executed.id), participation: participation.toSorted(byAddress) },
      groupPolicy: { proposalRecords: ids(executed.id) },
      account: { voteRecords: { nodes: [{ proposalId: executed.id }] } },
    });
  });

  it('a router finds a record by its id', async () => {
    const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on ProposalRecord { id status } } }`;
    const r = [executed.id, '999'].map((id) => ({ __typename: 'ProposalRecord', id }));
    expect(await read(query, undefined, { r })).toEqual({
      _entities: [{ id: executed.id, status: 'PROPOSAL_STATUS_ACCEPTED' }, null],
    });
  });

  it('the archive shows what it covers', async () => {
    const data = await read(
      '{ archive { mode storage lag coverage { from to } proposals votes auditFailures unexplained backfill { next } } }',
    );
    expect(data).toEqual({
      archive: {
        mode: 'FULL',
        storage: 'MEMORY',
        lag: '0',
        coverage: [{ from: '2', to: `${chain.devnet.height}` }],
        proposals: '3',
        votes: '3',
        auditFailures: '0',
        unexplained: '0',
        backfill: null,
      },
    });
  });
});

function byAddress(one: unknown, other: unknown): number {
  const address = (value: unknown): string => (value as { account: { address: string } }).account.address;
  return address(one) < address(other) ? -1 : 1;
}

describe('requests', () => {
  it.each([
    [
      'proposalRecords(filter: { voter: "nobody" }) { totalCount }',
      'BAD_USER_INPUT',
      '`filter.voter` must be a bech32 address.',
    ],
    [
      'proposalRecords(filter: { submittedFrom: "today" }) { totalCount }',
      'BAD_USER_INPUT',
      '`filter.submittedFrom` must be an RFC 3339 time',
    ],
    [
      `proposalRecords(filter: { groupPolicyAddresses: [${'"tp1", '.repeat(21)}] }) { totalCount }`,
      'BAD_USER_INPUT',
      '`filter.groupPolicyAddresses` must be at most 20 addresses.',
    ],
    ['proposalRecords(offset: -1) { totalCount }', 'BAD_USER_INPUT', '`offset` must be from 0 to'],
    ['proposalRecord(id: "-1") { id }', 'BAD_USER_INPUT', '`id` must be'],
    ['proposalRecords(first: 101) { totalCount }', 'BAD_USER_INPUT', '`first` must be from 0 to 100.'],
    ['proposalRecords(after: "eA==") { nodes { id } }', 'BAD_CURSOR', ''],
    ['group(id: 1) { participation(last: 0) { voted } }', 'BAD_USER_INPUT', '`last` must be from 1 to 100.'],
  ])('a request for %s fails', async (field, code, message) => {
    const { body } = await stack.ask(`{ ${field} }`);
    expect(body.errors).toMatchObject([{ message: expect.stringContaining(message), extensions: { code } }]);
  });

  it('a page of records with all their parts takes a number of queries that does not depend on its size', async () => {
    const { reader } = archiveOf(stack.client.archive())!;
    const counted = new Map<string, number>();
    const original = { ...reader };
    const methods = {};
    for (const name of ['recordPage', 'votes', 'electorate', 'executions', 'tallies'] as const) {
      Object.assign(methods, {
        [name](...args: never[]) {
          counted.set(name, (counted.get(name) ?? 0) + 1);
          return (original[name] as (...all: never[]) => unknown)(...args);
        },
      });
    }
    // A request reads with a reader of its own.
    Object.assign(reader, { under: () => ({ ...original, ...methods }) });
    try {
      await read(
        '{ proposalRecords(first: 20) { nodes { id tally { yesCount } votes { nodes { option } } electorate { nodes { weight } } executions { result } } } }',
      );
    } finally {
      Object.assign(reader, original);
    }
    expect(Object.fromEntries(counted)).toEqual({ recordPage: 1, votes: 1, electorate: 1, executions: 1, tallies: 1 });
  });
});

describe('what pages of records ask for', () => {
  it('the outcome at the close, the vote of one account, the member of an elector, and pages by offset', async () => {
    const [alice, bob, carol] = [addressOf(0), addressOf(1), addressOf(2)];
    const data = await read(
      `query ($id: ID!, $open: ID!, $alice: String!, $carol: String!) {
        closed: proposalRecord(id: $id) {
          outcome { decision totalWeight yesNeeded votedPercent }
          alice: vote(voter: $alice) { option weight record { id } }
          carol: vote(voter: $carol) { option }
          electorate(offset: 1) { pageInfo { hasPreviousPage } nodes { member { weight account { address } } } }
          votes(offset: 1) { nodes { voter { address } } }
        }
        open: proposalRecord(id: $open) { outcome { decision noPercent undecidedWeight } }
        proposalRecords(first: 1, offset: 1) { nodes { id } }
      }`,
      undefined,
      { id: executed.id, open, alice, carol },
    );
    const [, ...others] = [
      { address: alice, weight: '1' },
      { address: bob, weight: '1' },
      { address: carol, weight: '2.5' },
    ].sort((one, other) => (one.address < other.address ? -1 : 1));
    expect(data).toEqual({
      closed: {
        outcome: { decision: 'ACCEPTED', totalWeight: '4.5', yesNeeded: '0', votedPercent: '44.444444444444444444' },
        alice: { option: 'VOTE_OPTION_YES', weight: '1', record: { id: executed.id } },
        carol: null,
        electorate: {
          pageInfo: { hasPreviousPage: true },
          nodes: others.map(({ address, weight }) => ({ member: { weight, account: { address } } })),
        },
        votes: { nodes: [{ voter: { address: bob } }] },
      },
      open: { outcome: { decision: 'UNDECIDED', noPercent: '55.555555555555555555', undecidedWeight: '2' } },
      proposalRecords: { nodes: [{ id: aborted }] },
    });
  });

  it('records by whether they are closed, and of several policies', async () => {
    const ids = async (filter: string): Promise<string[]> => {
      const data = await read(`{ proposalRecords(filter: ${filter}) { nodes { id } } }`);
      return (data as { proposalRecords: { nodes: { id: string }[] } }).proposalRecords.nodes.map(({ id }) => id);
    };
    expect(await ids('{ closed: false }')).toEqual([open]);
    expect(await ids('{ closed: true }')).toEqual([aborted, executed.id]);
    expect(await ids(`{ groupPolicyAddresses: ["${group.policy}", "${addressOf(0)}"], closed: true }`)).toEqual([
      aborted,
      executed.id,
    ]);
    expect(await ids(`{ groupPolicyAddresses: ["${addressOf(0)}"] }`)).toEqual([]);
    expect(await ids('{ groupPolicyAddresses: [] }')).toEqual([]);
  });
});

describe('pinning', () => {
  const query = `query ($id: ID!) {
    proposalRecord(id: $id) { asOfHeight status executorResult closed { height } pruned { height } tally { yesCount } votes { totalCount } proposal { status } }
    proposalRecords { totalCount }
  }`;

  it('nothing that happened later is in a record', async () => {
    const at = (height: bigint) => read(query, height, { id: executed.id });
    const record = {
      executorResult: 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN',
      status: 'PROPOSAL_STATUS_SUBMITTED',
      closed: null,
      pruned: null,
    };
    expect(await at(executed.submitted - 1n)).toEqual({ proposalRecord: null, proposalRecords: { totalCount: '0' } });
    const of = (height: bigint, yesCount: string, votes: string): unknown => ({
      proposalRecord: {
        ...record,
        asOfHeight: `${height}`,
        tally: { yesCount },
        votes: { totalCount: votes },
        proposal: { status: 'PROPOSAL_STATUS_SUBMITTED' },
      },
      proposalRecords: { totalCount: '1' },
    });
    expect(await at(executed.submitted)).toEqual(of(executed.submitted, '0', '0'));
    expect(await at(executed.voted)).toEqual(of(executed.voted, '1', '1'));
    expect(await at(executed.closed)).toMatchObject({
      proposalRecord: { closed: { height: `${executed.closed}` }, proposal: null },
    });
  });

  it('`at` reads records as of its height', async () => {
    const data = await read(
      `{ at(height: ${executed.voted}) { proposalRecord(id: ${executed.id}) { votes { totalCount } status } } }`,
    );
    expect(data).toEqual({ at: { proposalRecord: { votes: { totalCount: '1' }, status: 'PROPOSAL_STATUS_SUBMITTED' } } });
  });

  it('an operation waits until the archive holds its height', async () => {
    await chain.devnet.commit();
    expect(await read('{ head { height } proposalRecords { totalCount } }')).toEqual({
      head: { height: `${chain.devnet.height}` },
      proposalRecords: { totalCount: '3' },
    });
  });
});

describe('an archive that begins after votes', () => {
  it.runIf(runsAll)('has the tally after each of them, at their own times and without a height', async () => {
    const [alice, bob, carol] = chain.accounts;
    const other = await createGroup(chain, [
      [alice!, '1'],
      [bob!, '1'],
      [carol!, '2.5'],
    ]);
    const id = await submitProposal(chain, other, alice!);
    await chain.run(alice!, vote(alice!, id));
    const times = `query ($id: ID!) { proposal(id: $id) { votes { nodes { submitTime } } } }`;
    const { proposal } = (await read(times, undefined, { id: `${id}` })) as {
      proposal: { votes: { nodes: [{ submitTime: string }] } };
    };
    const later = await startStack([chain.node.url], { archive: { records: true } });
    try {
      await chain.run(bob!, vote(bob!, id, 'YES', true));
      const height = `${chain.devnet.height}`;
      const { body } = await later.ask(
        'query ($id: ID!) { head { time } proposalRecord(id: $id) { tallyHistory { height time tally { yesCount } } } }',
        { id: `${id}` },
        { 'x-min-height': height },
      );
      const { head } = body.data as { head: { time: string } };
      expect(body.data).toMatchObject({
        proposalRecord: {
          tallyHistory: [
            { height: null, time: printed(proposal.votes.nodes[0].submitTime), tally: { yesCount: '1' } },
            { height, time: printed(head.time), tally: { yesCount: '2' } },
          ],
        },
      });
    } finally {
      await later.close();
    }
  });
});

describe('failure', () => {
  it.runIf(runsAll)('records of a chain that was replaced by another with the same id are not served', async () => {
    const path = mkdtempSync(join(tmpdir(), 'stele-test-'));
    const place = { kind: 'directory', path } as const;
    const old = await startChain({ bare: true });
    const first = await startStack([old.node.url], { archive: { records: place } });
    await createGroup(old, [[old.accounts[0]!, '1']]);
    await first.ask('{ proposalRecords { totalCount } }', {}, { 'x-min-height': `${old.devnet.height}` });
    const other = await startChain({ bare: true });
    while (other.devnet.height < old.devnet.height) await other.devnet.commit();
    await first.close();
    const second = await startStack([other.node.url], { archive: { records: place } });
    try {
      const records = async () => (await second.ask('{ head { chainId } proposalRecords { totalCount } }')).body;
      await expect.poll(records).toMatchObject({
        data: { head: { chainId: other.devnet.chainId }, proposalRecords: null },
        errors: [{ path: ['proposalRecords'], extensions: { code: 'ARCHIVE_UNAVAILABLE' } }],
      });
    } finally {
      await second.close();
      await Promise.all([old, other].map(({ devnet }) => devnet.close()));
      rmSync(path, { recursive: true });
    }
  });

  it.runIf(runsAll)(
    'a height before the coverage is HEIGHT_NOT_YET_AVAILABLE, and fields of the chain are answered',
    async () => {
      const later = await startStack([chain.node.url], { archive: { records: true } });
      try {
        const { body } = await later.ask(
          '{ head { height } proposalRecords { totalCount } }',
          {},
          { 'x-cosmos-block-height': '2' },
        );
        expect(body.data).toEqual({ head: { height: '2' }, proposalRecords: null });
        expect(body.errors).toMatchObject([
          { path: ['proposalRecords'], extensions: { code: 'HEIGHT_NOT_YET_AVAILABLE', height: '2' } },
        ]);
      } finally {
        await later.close();
      }
    },
  );

  it('without an archive, records are null', async () => {
    const plain = await startStack([chain.node.url]);
    try {
      const { body } = await plain.ask(
        `{ archive { lag } proposalRecord(id: 1) { id } proposalRecords { totalCount } proposal(id: ${open}) { id record { id } } }`,
      );
      expect(body.data).toEqual({
        archive: null,
        proposalRecord: null,
        proposalRecords: null,
        proposal: { id: open, record: null },
      });
      expect(body.errors).toBeUndefined();
    } finally {
      await plain.close();
    }
  });

  it('a database that cannot be read is ARCHIVE_UNAVAILABLE, and fields of the chain are answered', async () => {
    const broken = await startStack([chain.node.url], { archive: { records: true } });
    try {
      await archiveOf(broken.client.archive())!.close();
      const { body } = await broken.ask('{ head { chainId } proposalRecords { nodes { id } } }');
      expect(body.data).toEqual({ head: { chainId: chain.devnet.chainId }, proposalRecords: null });
      expect(body.errors).toMatchObject([{ path: ['proposalRecords'], extensions: { code: 'ARCHIVE_UNAVAILABLE' } }]);
    } finally {
      await broken.close();
    }
  });
});
