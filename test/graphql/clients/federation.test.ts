import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgVoteSchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { VoteOption } from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { runsAll } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Answer, type Stack, startStack } from '../../support/stack.ts';

/** A cost limit that allows these tests to read the whole chain. */
const everything = { 'graphql.cost': 1_000_000_000 };

let chain: TestChain;
let stack: Stack;
/** A transaction of the chain, and its height. */
let hash: string;
let height: string;

beforeAll(async () => {
  chain = await startChain();
  const [from, to] = chain.accounts;
  const amount = [{ denom: 'nhash', amount: '1' }];
  hash = await chain.submit(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount }));
  height = (await chain.devnet.commit()).toString();
  stack = await startStack([chain.node.url], { server: { limits: everything }, client: { learnsRoots: false } });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Each test reads at a new height, so that no answer is cached. */
beforeEach(async () => {
  chain.node.heal();
  chain.node.onCall = undefined;
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
  chain.node.counters.reset();
});

type Found = Readonly<Record<string, unknown>> | null;

/** Queries `_entities` for these representations, as a router does. */
async function entities(
  representations: readonly unknown[],
  selection: string,
  headers: Record<string, string> = {},
): Promise<Answer<{ readonly _entities: readonly Found[] }>> {
  const document = `query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename ${selection} } }`;
  return (await stack.ask(document, { representations }, headers)) as Answer<{ _entities: readonly Found[] }>;
}

interface Root {
  readonly groups: { nodes: { id: string; metadata: string; policies: { nodes: { address: string; version: string }[] } }[] };
  readonly markers: { nodes: { denom: string; supply: { amount: string } }[] };
  readonly scopes: { nodes: { id: string; uuid: string }[] };
  readonly validators: { nodes: { address: string; votingPower: string }[] };
  readonly block: { height: string; hash: string; numTxs: string };
  readonly transaction: { hash: string; height: string; gasUsed: string };
  readonly account: { address: string; sequence: string };
}

/** One object of each type, read through the fields of Query, and all proposals. */
async function known(): Promise<Root & { readonly proposals: readonly { id: string; title: string }[] }> {
  const { body } = await stack.ask(
    `query ($hash: Hex!, $height: Int64!, $address: String!) {
      groups(first: 1) { nodes { id metadata policies(first: 1) { nodes { address version } } } }
      markers(first: 1) { nodes { denom supply { amount } } }
      scopes(first: 1) { nodes { id uuid } }
      validators(first: 1) { nodes { address votingPower } }
      block(height: $height) { height hash numTxs }
      transaction(hash: $hash) { hash height gasUsed }
      account(address: $address) { address sequence }
    }`,
    { hash, height, address: chain.accounts[0]!.address },
  );
  expect(body.errors).toBeUndefined();
  const root = body.data as Root;
  const lists = await stack.ask('{ groups { nodes { policies { nodes { proposals(first: 100) { nodes { id title } } } } } } }');
  interface Lists {
    readonly groups: { nodes: { policies: { nodes: { proposals: { nodes: { id: string; title: string }[] } }[] } }[] };
  }
  const policies = (lists.body.data as Lists).groups.nodes.flatMap(({ policies: { nodes } }) => nodes);
  return { ...root, proposals: policies.flatMap(({ proposals: { nodes } }) => nodes) };
}

const fields = `
  ... on Account { address sequence } ... on Proposal { id title } ... on Group { id metadata } ... on GroupPolicy { address version }
  ... on Block { height hash numTxs } ... on Transaction { hash txHeight: height gasUsed } ... on Validator { address votingPower }
  ... on Marker { denom supply { amount } } ... on Scope { id uuid }`;

describe('entities', () => {
  it('of every type and key equal the result of the root field, in the order of the representations', async () => {
    const root = await known();
    const [group, proposal] = [root.groups.nodes[0]!, root.proposals[0]!];
    const [policy, scope] = [group.policies.nodes[0]!, root.scopes.nodes[0]!];
    const [validator, marker] = [root.validators.nodes[0]!, root.markers.nodes[0]!];
    const { body } = await entities(
      [
        { __typename: 'Scope', id: scope.id },
        { __typename: 'Account', address: root.account.address },
        { __typename: 'Proposal', id: proposal.id },
        { __typename: 'Block', height },
        { __typename: 'Block', hash: root.block.hash },
        { __typename: 'GroupPolicy', address: policy.address },
        { __typename: 'Group', id: group.id },
        { __typename: 'Transaction', hash },
        { __typename: 'Validator', address: validator.address },
        { __typename: 'Marker', denom: marker.denom },
        { __typename: 'Proposal', id: proposal.id },
      ],
      fields,
    );
    const { height: txHeight, ...transaction } = root.transaction;
    expect(body).toEqual({
      data: {
        _entities: [
          { __typename: 'Scope', ...scope },
          { __typename: 'Account', ...root.account },
          { __typename: 'Proposal', ...proposal },
          { __typename: 'Block', ...root.block },
          { __typename: 'Block', ...root.block },
          { __typename: 'GroupPolicy', ...{ address: policy.address, version: policy.version } },
          { __typename: 'Group', id: group.id, metadata: group.metadata },
          { __typename: 'Transaction', ...transaction, txHeight },
          { __typename: 'Validator', ...validator },
          { __typename: 'Marker', ...marker },
          { __typename: 'Proposal', ...proposal },
        ],
      },
      extensions: { height: chain.devnet.height.toString() },
    });
  });

  it('accept keys as numbers and as hex in either case, and ignore fields that are not keys', async () => {
    const { block, proposals, validators } = await known();
    const { body } = await entities(
      [
        { __typename: 'Proposal', id: Number(proposals[0]!.id), title: 'another' },
        { __typename: 'Block', height: Number(height), hash: null },
        { __typename: 'Block', hash: block.hash.toLowerCase() },
        { __typename: 'Validator', address: `0x${validators.nodes[0]!.address.toLowerCase()}` },
      ],
      fields,
    );
    expect(body.data?._entities).toEqual([
      { __typename: 'Proposal', ...proposals[0]! },
      { __typename: 'Block', ...block },
      { __typename: 'Block', ...block },
      { __typename: 'Validator', ...validators.nodes[0]! },
    ]);
  });

  it.runIf(runsAll)('of all types are read in one round, each object once', async () => {
    const { proposals, groups, markers, scopes, block } = await known();
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    chain.node.counters.reset();
    const wanted = [
      ...proposals.slice(0, 40).map(({ id }) => ({ __typename: 'Proposal', id })),
      { __typename: 'Group', id: groups.nodes[0]!.id },
      { __typename: 'GroupPolicy', address: groups.nodes[0]!.policies.nodes[0]!.address },
      { __typename: 'Marker', denom: markers.nodes[0]!.denom },
      { __typename: 'Scope', id: scopes.nodes[0]!.id },
      { __typename: 'Block', hash: block.hash },
    ];
    expect(wanted).toHaveLength(45);
    // Hold back all answers until every batch has been sent.
    let release: () => void = () => undefined;
    chain.node.faults.gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const batches = Math.ceil(wanted.length / 10);
    chain.node.onCall = () => {
      if (chain.node.counters.batches >= batches) release();
    };
    const { body } = await entities([...wanted, ...wanted], fields);
    expect(body.errors).toBeUndefined();
    expect(body.data?._entities.filter((found) => found !== null)).toHaveLength(2 * wanted.length);
    const reads = chain.node.counters.log.filter(({ method }) => method === 'abci_query' || method === 'block_by_hash');
    expect(reads).toHaveLength(wanted.length);
    expect(new Set(reads.map(({ batch }) => batch)).size).toBe(batches);
  });

  it('that do not exist are null without an error', async () => {
    const unknown = '00'.repeat(32);
    const { body } = await entities(
      [
        { __typename: 'Proposal', id: '999999' },
        { __typename: 'Proposal', id: '18446744073709551615' },
        { __typename: 'Group', id: '999999' },
        { __typename: 'GroupPolicy', address: chain.accounts[0]!.address },
        { __typename: 'Marker', denom: 'nothing' },
        { __typename: 'Scope', id: '00000000-0000-4000-8000-000000000000' },
        { __typename: 'Block', hash: unknown },
        { __typename: 'Transaction', hash: unknown },
        { __typename: 'Validator', address: '00'.repeat(20) },
      ],
      fields,
    );
    expect(body).toEqual({ data: { _entities: new Array(9).fill(null) }, extensions: expect.anything() });
  });

  it('of type Validator are found outside the validator set if the staking module has the validator', async () => {
    const { validators } = await known();
    const { address } = validators.nodes[0]!;
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    // The set of this height is empty. The staking module still has the validator.
    chain.node.faults.forge = ({ method }, result) =>
      method === 'validators' ? { ...(result as object), validators: [], count: '0', total: '0' } : result;
    const unknown = 'AB'.repeat(20);
    const wanted = [address, unknown].map((each) => ({ __typename: 'Validator', address: each }));
    const { body } = await entities(wanted, '... on Validator { address votingPower moniker }');
    const found = { address, votingPower: null, moniker: expect.stringMatching(/^validator-/) };
    expect(body.errors).toBeUndefined();
    expect(body.data?._entities).toEqual([{ __typename: 'Validator', ...found }, null]);
    const root = await stack.ask(
      `{ validator(address: "${address}") { address votingPower moniker } unknown: validator(address: "${unknown}") { address } }`,
    );
    expect(root.body).toMatchObject({ data: { validator: found, unknown: null } });
  });

  it('whose keys identify different objects are null with an error', async () => {
    const { block } = await known();
    const other = (BigInt(block.height) - 1n).toString();
    const { body } = await entities(
      [
        { __typename: 'Block', height: other, hash: block.hash },
        { __typename: 'Block', height: block.height, hash: block.hash.toLowerCase() },
        { __typename: 'Block', height: block.height, hash: '00'.repeat(32) },
      ],
      fields,
    );
    expect(body.data?._entities).toEqual([null, { __typename: 'Block', ...block }, null]);
    // Errors come in the order in which they occur.
    const errors = body.errors!.toSorted((a, b) => Number(a.path![1]) - Number(b.path![1]));
    expect(errors).toMatchObject(
      [0, 2].map((index) => ({
        path: ['_entities', index],
        message: '`representations` must be references to Block whose keys identify one object.',
        extensions: { code: 'BAD_USER_INPUT', value: 'Block' },
      })),
    );
  });

  it('with an invalid representation are null with an error, and do not affect other entities', async () => {
    const [proposal] = (await known()).proposals;
    const bad = [
      { __typename: 'Account', address: 'tp1nobody' },
      { __typename: 'Proposal', id: '-1' },
      { __typename: 'Proposal', id: true },
      { __typename: 'Proposal', id: 1.5 },
      { __typename: 'Proposal', uuid: '1' },
      { __typename: 'Vote', id: '1' },
      { __typename: '__proto__', id: '1' },
      { __typename: { toString: 'Proposal' }, id: '1' },
      { __typename: 'Proposal', id: { toString: '1' } },
      { id: '1' },
      'Proposal',
      null,
      [],
      { __typename: 'Block', hash: 'z'.repeat(64) },
      { __typename: 'Block', height: '0' },
      { __typename: 'Block', height: '999999' },
      { __typename: 'Transaction', hash: 'ABCD' },
      { __typename: 'Validator', address: 'ABCD' },
      { __typename: 'Marker', denom: '!' },
      { __typename: 'Scope', id: 'scope1' },
    ].filter((each) => each !== null);
    const { body } = await entities([...bad, { __typename: 'Proposal', id: proposal!.id }], fields);
    expect(body.data?._entities).toEqual([...bad.map(() => null), { __typename: 'Proposal', ...proposal! }]);
    const codes = body.errors!.map(({ path, extensions }) => [path, extensions.code]);
    expect(codes.toSorted(([a], [b]) => Number((a as unknown[])[1]) - Number((b as unknown[])[1]))).toEqual(
      bad.map((each, index) => [
        ['_entities', index],
        (each as { height?: string }).height === '999999' ? 'HEIGHT_NOT_YET_AVAILABLE' : 'BAD_USER_INPUT',
      ]),
    );
    expect(stack.masked).toEqual([]);
    expect(body.errors!.find(({ path }) => path?.[1] === 4)).toMatchObject({
      message: '`representations` must be references to Proposal with `id`.',
      extensions: { argument: 'representations', value: 'Proposal' },
    });
  });

  it('are limited to 250 in one request', async () => {
    const many = (count: number): object[] => new Array<object>(count).fill({ __typename: 'Group', id: '1' });
    expect((await entities(many(250), '')).body.data?._entities).toHaveLength(250);
    const { body } = await entities(many(251), '');
    expect(body.data).toBeNull();
    expect(body.errors).toMatchObject([
      { path: ['_entities'], extensions: { code: 'BAD_USER_INPUT', value: '251', limit: 'graphql.representations', max: 250 } },
    ]);
  });

  it('with long ids as literals in the document keep all digits', async () => {
    const { body } = await stack.ask(
      '{ _entities(representations: [{ __typename: "Proposal", id: 18446744073709551616 }, { __typename: "Proposal", id: 18446744073709551615 }]) { __typename } }',
    );
    expect(body.data).toEqual({ _entities: [null, null] });
    expect(body.errors).toMatchObject([{ path: ['_entities', 0], extensions: { value: '18446744073709551616' } }]);
  });

  it('fail individually if a read fails', async () => {
    const [first, second] = (await known()).proposals;
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    const data = Buffer.from([8, Number(first!.id)]).toString('hex');
    chain.node.faults.call = ({ params }) =>
      (params as { data?: string }).data === data ? { abci: { code: 11, codespace: 'sdk', log: 'out of gas' } } : undefined;
    const wanted = [first!, second!].map(({ id }) => ({ __typename: 'Proposal', id }));
    const { body } = await entities(wanted, '... on Proposal { id }');
    expect(body.data?._entities).toEqual([null, { __typename: 'Proposal', id: second!.id }]);
    expect(body.errors).toMatchObject([{ path: ['_entities', 0], extensions: { code: 'ABCI_QUERY_FAILED' } }]);
  });
});

describe('the height of entities', () => {
  it('is the asOfHeight of each: at the head, with a height header and within `at`', async () => {
    const { proposals, groups, markers, scopes, block, transaction, account, validators } = await known();
    const group = groups.nodes[0]!;
    const wanted = [
      { __typename: 'Account', address: account.address },
      { __typename: 'Proposal', id: proposals[0]!.id },
      { __typename: 'Group', id: group.id },
      { __typename: 'GroupPolicy', address: group.policies.nodes[0]!.address },
      { __typename: 'Marker', denom: markers.nodes[0]!.denom },
      { __typename: 'Scope', id: scopes.nodes[0]!.id },
      { __typename: 'Block', height: block.height },
      { __typename: 'Transaction', hash: transaction.hash },
      { __typename: 'Validator', address: validators.nodes[0]!.address },
    ];
    const each = wanted.map(({ __typename }) => `... on ${__typename} { asOfHeight }`).join(' ');
    const head = chain.devnet.height.toString();
    for (const [asOfHeight, headers] of [
      [head, {}],
      [height, { 'x-cosmos-block-height': height }],
      [height, { 'x-block-time': (await stack.client.block(BigInt(height))).header.time }],
    ] as const) {
      const { body } = await entities(wanted, each, headers);
      expect(body.errors).toBeUndefined();
      expect(body.data!._entities).toEqual(wanted.map(({ __typename }) => ({ __typename, asOfHeight })));
    }
    const part = `block(height: 1) { height asOfHeight } group(id: ${group.id}) { asOfHeight admin { asOfHeight } } scopes(first: 1) { nodes { asOfHeight specification { asOfHeight } } }`;
    const { body } = await stack.ask(`{ ${part} at(height: ${height}) { height ${part} } }`);
    const at = (asOfHeight: string): object => ({
      block: { height: '1', asOfHeight },
      group: { asOfHeight, admin: { asOfHeight } },
      scopes: { nodes: [{ asOfHeight, specification: { asOfHeight } }] },
    });
    expect(body.errors).toBeUndefined();
    expect(body.data).toEqual({ ...at(head), at: { height, ...at(height) } });
  });

  /** Returns an open proposal and a member that has not voted on it. */
  async function openProposal(): Promise<{ readonly id: string; readonly voter: (typeof chain.accounts)[number] }> {
    const { body } = await stack.ask(
      '{ groups { nodes { policies { nodes { proposals(first: 100) { nodes { id status votes(first: 100) { nodes { voter { address } } } groupPolicy { group { members(first: 100) { nodes { account { address } } } } } } } } } } } }',
    );
    interface Item {
      readonly id: string;
      readonly status: string;
      readonly votes: { nodes: { voter: { address: string } }[] };
      readonly groupPolicy: { group: { members: { nodes: { account: { address: string } }[] } } };
    }
    const data = body.data as { groups: { nodes: { policies: { nodes: { proposals: { nodes: Item[] } }[] } }[] } };
    const items = data.groups.nodes.flatMap(({ policies }) => policies.nodes.flatMap(({ proposals }) => proposals.nodes));
    for (const { id, status, votes, groupPolicy } of items) {
      const voted = votes.nodes.map(({ voter }) => voter.address);
      const members = groupPolicy.group.members.nodes.map(({ account }) => account.address);
      const voter = chain.accounts.find(({ address }) => members.includes(address) && !voted.includes(address));
      if (status === 'PROPOSAL_STATUS_SUBMITTED' && voter !== undefined) return { id, voter };
    }
    throw new Error('no open proposal with a member that has not voted');
  }

  const count = '... on Proposal { votes { totalCount } }';
  const countOf = (answer: Answer<{ readonly _entities: readonly Found[] }>): number =>
    Number((answer.body.data!._entities[0] as { votes: { totalCount: string } }).votes.totalCount);

  it('is the same for all reads, even if a block is committed in between, and follows both height headers', async () => {
    const { id, voter } = await openProposal();
    const wanted = [{ __typename: 'Proposal', id }];
    const old = chain.devnet.height;
    let changed = false;
    chain.node.onCall = async ({ method, params }) => {
      if (changed || method !== 'abci_query' || !(params as { path: string }).path.endsWith('/Proposal')) return;
      changed = true;
      await chain.submit(voter, any(MsgVoteSchema, { proposalId: BigInt(id), voter: voter.address, option: VoteOption.YES }));
      await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    };
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    const during = await entities(wanted, count);
    expect(changed).toBe(true);
    expect(during.height).toBe((old + 1n).toString());

    const after = await entities(wanted, count);
    expect(after.height).toBe((old + 2n).toString());
    expect(countOf(after)).toBe(countOf(during) + 1);

    const named = await entities(wanted, count, { 'x-cosmos-block-height': old.toString() });
    expect(named.height).toBe(old.toString());
    expect(countOf(named)).toBe(countOf(during));

    const waiting = entities(wanted, count, { 'x-min-height': (old + 3n).toString() });
    await chain.devnet.commit();
    expect((await waiting).height).toBe((old + 3n).toString());
  });

  it('fails each entity if the height is not yet available', async () => {
    const { body } = await entities(
      [
        { __typename: 'Proposal', id: '1' },
        { __typename: 'Group', id: '1' },
      ],
      '',
      {
        'x-cosmos-block-height': '999999',
      },
    );
    expect(body.data).toEqual({ _entities: [null, null] });
    expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual([
      'HEIGHT_NOT_YET_AVAILABLE',
      'HEIGHT_NOT_YET_AVAILABLE',
    ]);
  });

  it('does not change cached transactions, while missing ones are read again', async () => {
    const there = [{ __typename: 'Transaction', hash }];
    const absent = [{ __typename: 'Transaction', hash: '00'.repeat(32) }];
    for (const wanted of [there, absent, there, absent]) await entities(wanted, '');
    const reads = chain.node.counters.log.filter(({ method }) => method === 'tx');
    expect(reads.map(({ params }) => Buffer.from((params as { hash: string }).hash, 'base64').toString('hex'))).toEqual([
      hash.toLowerCase(),
      '00'.repeat(32),
      '00'.repeat(32),
    ]);
  });
});

describe('the schema of the subgraph', () => {
  const committed = readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8');

  it('is the same in `_service`, `/schema.graphql` and the committed file', async () => {
    const { body } = await stack.ask('{ _service { sdl } }');
    expect(body.data).toEqual({ _service: { sdl: committed } });
    const response = await fetch(`${stack.server.url}/schema.graphql`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe(committed);
    expect(committed).not.toMatch(/^(type|scalar|union) _|^ {2}_/m);
  });

  it.runIf(runsAll)('is served without a node, and only to GET and HEAD', async () => {
    const alone = await startStack(['http://127.0.0.1:1'], { server: { limits: everything } });
    try {
      expect((await alone.ask('{ _service { sdl } }')).body.data).toEqual({ _service: { sdl: committed } });
      expect(await (await fetch(`${alone.server.url}/schema.graphql`)).text()).toBe(committed);
      const head = await fetch(`${alone.server.url}/schema.graphql`, { method: 'HEAD' });
      expect(head.headers.get('content-length')).toBe(Buffer.byteLength(committed).toString());
      const post = await fetch(`${alone.server.url}/schema.graphql`, { method: 'POST', body: '' });
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    } finally {
      await alone.close();
    }
  });
});
