import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { Kind, type OperationDefinitionNode } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { devnetModules } from '../../src/config/devnetModules.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import * as documents from '../graphql/gen/operations.ts';
import { runsAll } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;
let address: string;

beforeAll(async () => {
  chain = await startChain({ without: devnetModules });
  stack = await startStack([chain.node.url]);
  address = chain.accounts[0]!.address;
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

/** The documents that only read, with values for their variables. */
function queries(): [name: string, document: TypedDocumentNode, variables: Record<string, unknown>][] {
  const named = { me: address, address, policy: address, voter: address, account: address, to: address };
  const values: Readonly<Record<string, unknown>> = {
    ...named,
    ...{
      denom: 'nhash',
      height: '1',
      hash: '00'.repeat(32),
      tx: '0x00',
      id: '1',
      query: 'block.height = 1',
      group: '1',
      proposal: '1',
    },
  };
  return Object.entries(documents).flatMap(([name, document]) => {
    if (!name.endsWith('Document')) return [];
    const typed = document as TypedDocumentNode;
    const operation = typed.definitions.find(
      (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
    )!;
    if (operation.operation !== 'query') return [];
    const variables = (operation.variableDefinitions ?? []).map(({ variable, type }) => {
      const { value } = variable.name;
      return [value, values[value] ?? (type.kind === Kind.NON_NULL_TYPE ? 'x' : undefined)] as const;
    });
    return [[name.slice(0, -'Document'.length), typed, Object.fromEntries(variables)]];
  });
}

/** The calls of the application that a node received for modules that it does not have. */
function absentCalls(): string[] {
  return chain.node.counters.log
    .flatMap(({ params }) => (typeof params === 'object' && params !== null && 'path' in params ? [String(params.path)] : []))
    .filter((path) => devnetModules.some((module) => path.split('.')[1] === module));
}

describe('a chain without the modules of Provenance', () => {
  it('every operation that reads fails only where it asks for an absent module, and nothing is an internal error', async () => {
    const failures: string[] = [];
    for (const [name, document, variables] of queries()) {
      const { body, status } = await stack.ask(document, variables);
      expect([name, status]).toEqual([name, 200]);
      for (const { path, extensions } of body.errors ?? []) {
        // The other errors are those of the values above.
        if (extensions.code !== 'MODULE_ABSENT')
          expect([name, extensions.code]).toEqual([name, expect.stringMatching(/^(BAD_USER_INPUT|ABCI_QUERY_FAILED)$/)]);
        else failures.push(`${name} ${path!.join('.')} ${extensions.module}`);
      }
    }
    expect(failures.toSorted()).toMatchInlineSnapshot(`
      [
        "Application scopeSpecification provenance.metadata.v1",
        "AttributeLookups accountData provenance.attribute.v1",
        "AttributeLookups attribute provenance.attribute.v1",
        "AttributeLookups attributeAccounts provenance.attribute.v1",
        "AttributeLookups attributeScan provenance.attribute.v1",
        "AttributeLookups attributes provenance.attribute.v1",
        "AttributeLookups feeGrant cosmos.feegrant.v1beta1",
        "AttributeLookups name provenance.name.v1",
        "Board proposalsByGroupPolicy cosmos.group.v1",
        "BoardAt at.proposalsByGroupPolicy cosmos.group.v1",
        "ByAccount groupPoliciesByAdmin cosmos.group.v1",
        "ByAccount groupsByAdmin cosmos.group.v1",
        "ByAccount groupsByMember cosmos.group.v1",
        "ByAccount votesByVoter cosmos.group.v1",
        "ByGroup groupMembers cosmos.group.v1",
        "ByGroup groupPoliciesByGroup cosmos.group.v1",
        "ByGroup groupPolicy cosmos.group.v1",
        "ByGroup groups cosmos.group.v1",
        "ByGroup tallyResult cosmos.group.v1",
        "ByGroup voteByProposalVoter cosmos.group.v1",
        "ByGroup votesByProposal cosmos.group.v1",
        "GroupPage group cosmos.group.v1",
        "PriceChart marker provenance.marker.v1",
        "ProposalPage proposal cosmos.group.v1",
        "TokenAndScopeLists markers provenance.marker.v1",
        "TokenAndScopeLists scopes provenance.metadata.v1",
        "TokenPage marker provenance.marker.v1",
      ]
    `);
  });

  it('an account has no contract, which is asked once, and a contract is MODULE_ABSENT', async () => {
    const account = (of: string) => stack.ask(`{ account(address: "${of}") { address contract { label } } }`);
    for (const each of chain.accounts.slice(0, 2)) {
      const { body } = await account(each.address);
      expect(body).toMatchObject({ data: { account: { address: each.address, contract: null } } });
      expect(body.errors).toBeUndefined();
    }
    const { body } = await stack.ask(`{ contract(address: "${address}") { label } contractCode(id: "1") { id } }`);
    expect(body.data).toEqual({ contract: null, contractCode: null });
    const absence = { code: 'MODULE_ABSENT', module: 'cosmwasm.wasm.v1' };
    expect(body.errors!.map(({ extensions }) => extensions)).toMatchObject([absence, absence]);
    expect(absentCalls().filter((path) => path.includes('wasm'))).toEqual(['/cosmwasm.wasm.v1.Query/ContractInfo']);
  });

  it('a field that an absent module adds to an object is null without an error, and the rest is read', async () => {
    const { body } = await stack.ask(documents.AccountPageDocument, { address });
    expect(body.errors).toBeUndefined();
    expect(body.data?.account).toMatchObject({
      ...{
        kind: 'BASE',
        accountNumber: '0',
        accountData: null,
        names: null,
        holds: null,
        attributes: null,
        groupPolicy: null,
        marker: null,
      },
      balances: {
        totalCount: '4',
        nodes: [
          { denom: 'fundshare', display: { symbol: 'HLF1' }, value: null, marker: null, scope: null },
          { denom: 'gramgold', value: null, marker: null },
          { denom: 'microusd', value: null, marker: null },
          { denom: 'nhash', display: { symbol: 'HASH' }, value: null, marker: null },
        ],
      },
    });
  });

  it.runIf(runsAll)('asks a node once for each absent service, however many operations and heights there are', async () => {
    const own = await startStack([chain.node.url], { server: { typed: 'none' } });
    try {
      await own.ask('{ modules { name } }');
      chain.node.counters.reset();
      for (let times = 0; times < 10; times += 1) {
        const answers = await Promise.all([
          own.ask(documents.AccountPageDocument, { address }),
          own.ask(documents.AccountHoldingsDocument, { address }),
          own.ask('{ groups { nodes { id } } marker(denom: "nhash") { denom } }'),
        ]);
        expect(answers.map(({ body }) => body.errors?.length)).toEqual([undefined, undefined, 2]);
        const height = await chain.devnet.commit();
        await vi.waitFor(() => expect(own.client.head.current()?.height).toBe(height));
      }
      const services = absentCalls().map((path) => path.split('/')[1]!);
      expect(services.toSorted()).toEqual([...new Set(services)].toSorted());
      expect(services.length).toBeGreaterThan(4);
    } finally {
      await own.close();
    }
  });

  it('has blocks and transactions with their fees, transfers and words', async () => {
    const [from, to] = chain.accounts;
    const amount = [{ denom: 'gramgold', amount: '1500' }];
    await chain.run(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount }));
    await vi.waitFor(() => expect(stack.client.head.current()?.height).toBe(chain.devnet.height));
    const { body } = await stack.ask(
      `{ head { transactions { nodes { code fee { amount { denom amount } } transfers { amount { denom amount value { amount } } } messages { inWords } } } } }`,
    );
    expect(body.errors).toBeUndefined();
    expect(body.data).toMatchObject({
      head: {
        transactions: {
          nodes: [
            {
              code: 0,
              transfers: [{ amount: [{ denom: 'nhash' }] }, { amount: [{ denom: 'gramgold', amount: '1500', value: null }] }],
              messages: [{ inWords: expect.stringContaining('1.5 GOLD') }],
            },
          ],
        },
      },
    });
  });

  it('names the module in the error, also under `at`', async () => {
    const { body } = await stack.ask('{ at(height: 1) { group(id: 1) { id } marker(denom: "nhash") { denom } } }');
    expect(body.data).toEqual({ at: { group: null, marker: null } });
    expect(body.errors?.map(({ path, extensions }) => [path, extensions])).toEqual([
      [['at', 'group'], { code: 'MODULE_ABSENT', module: 'cosmos.group.v1' }],
      [['at', 'marker'], { code: 'MODULE_ABSENT', module: 'provenance.marker.v1' }],
    ]);
  });
});

describe('/v1 on a chain without the modules of Provenance', () => {
  async function get(path: string) {
    const response = await fetch(`${stack.server.url}${path}`);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it('has accounts, balances, denoms, holders and transfers without what absent modules add', async () => {
    expect(await get(`/v1/accounts/${address}`)).toMatchObject({
      status: 200,
      body: { item: { kind: 'BASE', names: [], hasMoreNames: false, accountData: '', denom: null } },
    });
    expect(await get(`/v1/balances/${address}`)).toMatchObject({
      status: 200,
      body: {
        items: [{ denom: 'fundshare', amount: '5000', held: '0', spendable: '5000', price: null, value: null }, {}, {}, {}],
      },
    });
    expect(await get('/v1/metadata/gramgold')).toMatchObject({
      status: 200,
      body: { item: { symbol: 'GOLD', marker: null, price: null, supply: { amount: '100000' } } },
    });
    expect(await get('/v1/holders/gramgold')).toMatchObject({ status: 200, body: { price: null } });
    expect(await get(`/v1/transfers/${address}`)).toMatchObject({
      status: 200,
      body: { items: [{ kind: 'SEND', amounts: [{ denom: 'gramgold', display: { amount: '1.5' } }] }, {}] },
    });
  });

  it.each([
    ['/v1/netAssetValues/nhash', 'provenance.marker.v1'],
    ['/v1/scopes/33333333-2222-4333-8444-555555555555', 'provenance.metadata.v1'],
  ])('%s is an error that names the module', async (path, module) => {
    expect(await get(path)).toMatchObject({ status: 400, body: { code: 'MODULE_ABSENT', module } });
  });
});

describe('streams on a chain without groups', () => {
  /** Subscribes over server-sent events, and returns everything that arrives until the stream ends. Blocks are committed meanwhile. */
  async function streamed(query: string): Promise<string> {
    const response = await fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    });
    let ended = false;
    const text = response.text().finally(() => {
      ended = true;
    });
    for (let block = 0; block < 3 && !ended; block += 1) await chain.devnet.commit();
    return text;
  }

  it.each([
    '{ proposalUpdated { height } }',
    '{ proposalUpdated(id: 1) { height } }',
    '{ proposalUpdated(groupId: 1) { height } }',
    '{ proposalUpdated(groupPolicyAddress: "ADDRESS") { height } }',
    '{ proposalUpdated(member: "ADDRESS") { height } }',
    '{ tallyUpdated(proposalId: 1) { height } }',
    '{ reminders(before: ["1h"]) { height } }',
    '{ reminders(member: "ADDRESS", before: ["1h"]) { height } }',
    '{ proposalUpdated(after: 0) { height } }',
  ])('subscription %s ends with the error', async (selection) => {
    const text = await streamed(`subscription ${selection.replace('ADDRESS', address)}`);
    expect(text).toContain('"code":"MODULE_ABSENT","module":"cosmos.group.v1"');
    expect(text).toContain('event: complete');
  });
});

describe('the descriptions of a chain without the modules of Provenance', () => {
  it.runIf(runsAll)('list the paths that the chain serves, with examples, and nothing of absent modules', async () => {
    const text = await (await fetch(`${stack.server.url}/openapi/application.json`)).text();
    const { paths } = JSON.parse(text) as { paths: Record<string, unknown> };
    const names = Object.keys(paths);
    expect(names.filter((path) => path.startsWith('/v1/')).toSorted()).toEqual([
      '/v1/accounts/{address}',
      '/v1/accounts/{address}/statement',
      '/v1/balances/{address}',
      '/v1/holders/{denom}',
      '/v1/metadata/{denom}',
      '/v1/proofs/{height}',
      '/v1/transfers',
      '/v1/transfers/{address}',
    ]);
    expect(names.filter((path) => /group|marker|metadata\/v1|attribute|flatfees|hold\/|feegrant|authz/.test(path))).toEqual([]);
    expect(names).toContain('/cosmos/bank/v1beta1/balances/{address}');
    const collection = await (await fetch(`${stack.server.url}/collection.json`)).text();
    expect(collection).not.toMatch(/cosmos\/group|provenance\//);
    expect((await fetch(`${stack.server.url}/openapi/node.json`)).status).toBe(200);
  });
});
