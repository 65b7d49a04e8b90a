import { readFileSync } from 'node:fs';
import { type ExecutionResult, execute, type GraphQLSchema, isObjectType, parse, validate } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll, some } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { labelOf, type Notes, startNotes } from '../../support/notes.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { composers, type Service } from '../../support/supergraph.ts';

/** A cost limit that allows these tests to read the whole chain. */
const everything = { 'graphql.cost': 1_000_000_000 };

let chain: TestChain;
let stack: Stack;
let notes: Notes;
/** The schema as composers read it, with types of the chain. */
let sdl: string;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], {
    server: { limits: everything, typed: ['cosmos.group'] },
    client: { learnsRoots: false },
  });
  const { body } = await stack.ask('{ _service { sdl } }');
  ({ sdl } = (body.data as { _service: { sdl: string } })._service);
  notes = await startNotes(readFileSync(new URL('../../../examples/supergraph/notes.graphql', import.meta.url), 'utf8'));
});

afterAll(async () => {
  await notes.close();
  await stack.close();
  await chain.devnet.close();
});

beforeEach(async () => {
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
  chain.node.counters.reset();
  notes.requests.length = 0;
});

const services = (): readonly Service[] => [
  { name: 'stele', url: `${stack.server.url}/graphql`, sdl },
  { name: 'notes', url: notes.url, sdl: notes.typeDefs },
];

describe.each(some(Object.entries(composers), 2))('the supergraph of %s', (_, compose) => {
  let supergraph: GraphQLSchema;
  beforeAll(() => {
    supergraph = compose(services());
  });

  async function ask(document: string, headers: Record<string, string> = {}): Promise<ExecutionResult> {
    return execute({ schema: supergraph, document: parse(document), contextValue: { headers } });
  }

  it('has the fields of both subgraphs, but not `at` and Snapshot, which read at another height', () => {
    const [proposal, account] = [supergraph.getType('Proposal'), supergraph.getType('Account')];
    if (!isObjectType(proposal) || !isObjectType(account)) throw new Error('Proposal and Account must be object types');
    expect(Object.keys(proposal.getFields())).toEqual(expect.arrayContaining(['comments', 'title', 'votes']));
    expect(Object.keys(account.getFields())).toEqual(expect.arrayContaining(['label', 'balances']));
    const root = Object.keys(supergraph.getQueryType()!.getFields());
    expect(root).toEqual(expect.arrayContaining(['comments', 'proposal', 'block']));
    expect(root).not.toContain('at');
    expect(supergraph.getType('Snapshot')).toBeUndefined();
    expect(Object.keys(proposal.getFields())).toContain('asOfHeight');
  });

  it('does not pass `@live` on to Stele: the directive is unknown there, or has no effect', async () => {
    const document = 'query @live { head { height } }';
    const errors = validate(supergraph, parse(document)).map(({ message }) => message);
    // Apollo keeps a directive of operations only if every subgraph defines it.
    const isKept = supergraph.getDirective('live') !== undefined;
    expect(errors).toEqual(isKept ? [] : ['Unknown directive "@live".']);
    expect(await ask(document)).toEqual({ data: { head: { height: chain.devnet.height.toString() } } });
  });

  it('answers queries across both subgraphs, and resolves references in one round', async () => {
    const proposals = Array.from({ length: 25 }, (_, index) => `${index + 1}`);
    notes.comments = proposals.map((id, index) => ({
      id: `${index}`,
      text: `of ${id}`,
      author: chain.accounts[index % 3]!.address,
      proposal: id,
    }));
    // The expected values, queried from Stele directly.
    const { body } = await stack.ask(
      '{ groups { nodes { policies { nodes { proposals(first: 100) { nodes { id title proposers { address } } } } } } } }',
    );
    interface Stored {
      readonly id: string;
      readonly title: string;
      readonly proposers: { address: string }[];
    }
    const data = body.data as { groups: { nodes: { policies: { nodes: { proposals: { nodes: Stored[] } }[] } }[] } };
    const stored = new Map(
      data.groups.nodes
        .flatMap(({ policies }) => policies.nodes.flatMap((policy) => policy.proposals.nodes))
        .map((proposal) => [proposal.id, proposal]),
    );
    expect(proposals.filter((id) => stored.has(id)).length).toBeGreaterThan(15);
    expect(proposals.every((id) => stored.has(id))).toBe(false);

    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    chain.node.counters.reset();
    const answer = await ask(
      '{ comments(first: 25) { text author { label accountNumber } proposal { id title proposers { address label } comments { text } } } }',
    );
    // The router cannot tell that a referenced proposal was deleted, so its non-null title is an error.
    const gone = proposals.flatMap((id, index) => (stored.has(id) ? [] : [index]));
    expect(answer.errors?.map(({ path }) => path)).toEqual(gone.map((index) => ['comments', index, 'proposal', 'title']));
    expect(answer.data?.comments).toEqual(
      notes.comments.map(({ text, author, proposal }) => {
        const known = stored.get(proposal);
        return {
          text,
          author: { label: labelOf(author), accountNumber: expect.stringMatching(/^\d+$/) },
          proposal:
            known === undefined
              ? null
              : {
                  id: proposal,
                  title: known.title,
                  proposers: known.proposers.map(({ address }) => ({ address, label: labelOf(address) })),
                  comments: [{ text }],
                },
        };
      }),
    );
    // 25 proposals and three accounts, each read once, in as few batches of at most ten calls as possible for each type.
    const reads = chain.node.counters.log.filter(({ method }) => method === 'abci_query');
    expect(reads).toHaveLength(28);
    expect(new Set(reads.map(({ batch }) => batch)).size).toBeLessThanOrEqual(4);
    // The other subgraph resolves all labels and comments in one request, after the request for the list.
    expect(notes.requests).toHaveLength(2);
  });

  it('answers queries of the types of the chain beside those of the other subgraph', async () => {
    notes.comments = [];
    const { body } = await stack.ask('{ groups { nodes { id metadata policies(first: 2) { nodes { address } } } } }');
    interface TestGroup {
      readonly id: string;
      readonly metadata: string;
      readonly policies: { readonly nodes: readonly { readonly address: string }[] };
    }
    const { nodes } = (body.data as { groups: { nodes: readonly TestGroup[] } }).groups;
    const { id, metadata, policies } = nodes.find((group) => group.policies.nodes.length === 2)!;
    const document = `{ comments { id } cosmos { group { v1 {
      groupInfo(groupId: "${id}") { info { metadata } }
      groupPoliciesByGroup(groupId: "${id}", first: 1) { groupPolicies { address } pageInfo { hasNextPage } }
    } } } }`;
    expect(validate(supergraph, parse(document))).toEqual([]);
    expect(await ask(document)).toEqual({
      data: {
        comments: [],
        cosmos: {
          group: {
            v1: {
              groupInfo: { info: { metadata } },
              groupPoliciesByGroup: { groupPolicies: [policies.nodes[0]], pageInfo: { hasNextPage: true } },
            },
          },
        },
      },
    });
  });

  it.runIf(runsAll)('splits more references than one request may have into several requests', async () => {
    const address = chain.accounts[0]!.address;
    notes.comments = Array.from({ length: 300 }, (_, index) => ({
      id: `${index}`,
      text: '',
      author: address,
      proposal: `${index + 1}`,
    }));
    const { data, errors } = await ask('{ comments(first: 300) { proposal { groupPolicy { address } } } }');
    expect(errors).toBeUndefined();
    const found = (data as { comments: { proposal: { groupPolicy: object | null } }[] }).comments;
    expect(found).toHaveLength(300);
    expect(found.filter(({ proposal }) => proposal.groupPolicy !== null).length).toBeGreaterThan(20);
  });

  it('reads everything at the height of the header', async () => {
    const [from, to] = chain.accounts;
    notes.comments = [{ id: '1', text: '', author: from!.address, proposal: '1' }];
    const document = '{ head { height } comments { author { sequence } } }';
    const old = chain.devnet.height.toString();
    const amount = [{ denom: 'nhash', amount: '1' }];
    await chain.run(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount }));
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const [now, then] = [await ask(document), await ask(document, { 'x-cosmos-block-height': old })];
    const [
      {
        author: { sequence },
      },
    ] = (now.data as { comments: [{ author: { sequence: string } }] }).comments;
    expect(now.data).toEqual({ head: { height: chain.devnet.height.toString() }, comments: [{ author: { sequence } }] });
    expect(then.data).toEqual({ head: { height: old }, comments: [{ author: { sequence: `${BigInt(sequence) - 1n}` } }] });
  });

  it('returns null with an error only for the invalid reference', async () => {
    const good = chain.accounts[0]!.address;
    notes.comments = [good, 'nobody', good].map((author, index) => ({ id: `${index}`, text: '', author, proposal: '1' }));
    const { data, errors } = await ask('{ comments { author { label kind } } }');
    const account = (address: string, kind: string | null): object => ({ author: { label: labelOf(address), kind } });
    expect(data).toEqual({ comments: [account(good, 'BASE'), account('nobody', null), account(good, 'BASE')] });
    expect(errors).toMatchObject([
      {
        path: ['comments', 1, 'author', 'kind'],
        message: '`address` must be a bech32 address.',
        extensions: { code: 'BAD_USER_INPUT', argument: 'address', value: 'nobody' },
      },
    ]);
  });
});
