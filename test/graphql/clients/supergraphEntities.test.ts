import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execute, type GraphQLSchema, parse } from 'graphql';
import { createSchema, createYoga } from 'graphql-yoga';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallsNode, createCallsNode } from '../../replay/recordedCalls.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { composers } from '../../support/supergraph.ts';

/** A subgraph that references entities of Stele and gives each a label. */
const keys: Readonly<Record<string, string>> = {
  ...{ GovProposal: 'id', GovProposalRecord: 'id', Validator: 'address', Contract: 'address', ContractCode: 'id' },
  ...{ ScopeSpecification: 'id', Account: 'address' },
};
const typeDefs = `
  type Query { watched(type: String!, key: String!): Entity }
  union Entity = ${Object.keys(keys).join(' | ')}
  ${Object.entries(keys)
    .map(
      ([type, key]) =>
        `type ${type} @key(fields: "${key}") { ${key}: ${key === 'id' ? 'ID' : 'String'}! label${type}: String! }`,
    )
    .join('\n')}
`;
const sdl = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key"]) ${typeDefs}`;

/** Starts that subgraph on a free port. */
async function startLabels() {
  const yoga = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: [
        typeDefs,
        `directive @key(fields: String!) repeatable on OBJECT scalar _Any union _Entity = ${Object.keys(keys).join(' | ')}
         extend type Query { _entities(representations: [_Any!]!): [_Entity]! }`,
      ],
      resolvers: {
        Query: {
          watched: (_: unknown, { type, key }: { type: string; key: string }) => ({ __typename: type, [keys[type]!]: key }),
          _entities: (_: unknown, { representations }: { representations: object[] }) => representations,
        },
        ...Object.fromEntries(
          Object.entries(keys).map(([type, key]) => [
            type,
            { [`label${type}`]: (entity: Record<string, string>) => `${type} ${entity[key]}` },
          ]),
        ),
      },
    }),
  });
  const server = createServer(yoga);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` };
}

let chain: TestChain;
let contracts: CallsNode;
/** Over the development chain with an archive, and over a recorded chain with contracts. */
let [stack, contractStack]: Stack[] = [];
let labels: Awaited<ReturnType<typeof startLabels>>;

beforeAll(async () => {
  chain = await startChain();
  contracts = await createCallsNode('contracts');
  stack = await startStack([chain.node.url], { archive: { records: true } });
  contractStack = await startStack([contracts.url]);
  await contractStack.client.head.ready({ milliseconds: 10_000 });
  labels = await startLabels();
});
afterAll(async () => {
  labels.server.closeAllConnections();
  await new Promise((resolve) => labels.server.close(resolve));
  for (const each of [stack, contractStack]) {
    await each?.close();
    expect(each?.masked).toEqual([]);
  }
  await contracts.close();
  await chain.devnet.close();
});

async function direct(of: Stack, document: string): Promise<Readonly<Record<string, object>>> {
  const { body } = await of.ask(document);
  expect(body.errors).toBeUndefined();
  return body.data as Record<string, object>;
}

describe.each(some(Object.entries(composers), 2))('through a gateway over the supergraph of %s', (_, compose) => {
  const gateways = new Map<Stack, Promise<GraphQLSchema>>();

  async function gatewayTo(of: Stack): Promise<GraphQLSchema> {
    const { body } = await of.ask('{ _service { sdl } }');
    const { _service } = body.data as { _service: { sdl: string } };
    return compose([
      { name: 'stele', url: `${of.server.url}/graphql`, sdl: _service.sdl },
      { name: 'labels', url: labels.url, sdl },
    ]);
  }

  /** Reads an entity that the other subgraph references, with fields of both subgraphs. */
  async function watched(of: Stack, type: string, key: string, fields: string) {
    const gateway = gateways.get(of) ?? gatewayTo(of);
    gateways.set(of, gateway);
    const schema = await gateway;
    const document = `{ watched(type: "${type}", key: "${key}") { ... on ${type} { label${type} ${fields} } } }`;
    const { data, errors } = await execute({ schema, document: parse(document), contextValue: {} });
    expect(errors).toBeUndefined();
    return (data as { watched: unknown }).watched;
  }

  it.runIf(runsAll)(
    'a proposal of the governance module and its record are those of Stele, with labels of the other subgraph',
    async () => {
      const fields = `id title tally { yesCount noCount } outcome { passes reason } votes { totalCount }
      pendingValidators { moniker } record { id title votes { totalCount } }`;
      const open = await direct(stack!, '{ govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD) { nodes { id } } }');
      const { id } = (open as unknown as { govProposals: { nodes: { id: string }[] } }).govProposals.nodes[0]!;
      const { govProposal } = await direct(stack!, `{ govProposal(id: "${id}") { ${fields} } }`);
      expect(govProposal).toMatchObject({ id, record: { id } });
      expect(await watched(stack!, 'GovProposal', id, fields)).toEqual({
        labelGovProposal: `GovProposal ${id}`,
        ...govProposal,
      });
      const { govProposalRecord } = await direct(
        stack!,
        `{ govProposalRecord(id: "${id}") { title status votes { totalCount } } }`,
      );
      expect(await watched(stack!, 'GovProposalRecord', id, 'title status votes { totalCount }')).toEqual({
        labelGovProposalRecord: `GovProposalRecord ${id}`,
        ...govProposalRecord,
      });
    },
  );

  it('a validator and the stake of an account are those of Stele', async () => {
    const fields = `moniker tokens { denom amount } commissionPercent signingInfo { missedBlocks window }
      delegations(first: 2) { totalCount nodes { balance { amount } } } operator { address }`;
    const set = await direct(stack!, '{ validators(first: 1) { nodes { address } } }');
    const { address } = (set as unknown as { validators: { nodes: { address: string }[] } }).validators.nodes[0]!;
    const { validator } = await direct(stack!, `{ validator(address: "${address}") { ${fields} } }`);
    expect(await watched(stack!, 'Validator', address, fields)).toEqual({
      labelValidator: `Validator ${address}`,
      ...validator,
    });
    const delegator = chain.accounts[0]!.address;
    const stake = `staking { total { amount } delegations { nodes { validator { labelValidator moniker } balance { amount } } } rewards { amount } }
      govVotes { nodes { proposalId proposal { labelGovProposal title } } }`;
    const own = stake.replace(/label\w+/g, '');
    const { account } = await direct(stack!, `{ account(address: "${delegator}") { ${own} } }`);
    const shown = await watched(stack!, 'Account', delegator, stake);
    expect(JSON.parse(JSON.stringify(shown), (name, value) => (name.startsWith('label') ? undefined : value))).toEqual(account);
    expect(JSON.stringify(shown)).toContain('"labelGovProposal":"GovProposal ');
    expect(JSON.stringify(shown)).toContain('"labelValidator":"Validator ');
  });

  it.runIf(runsAll)('a contract and its code are those of Stele', async () => {
    const address = 'wasm14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9s0phg4d';
    const ofContract = 'label codeId creator { address } admin { address }';
    const { contract } = await direct(contractStack!, `{ contract(address: "${address}") { ${ofContract} } }`);
    expect(await watched(contractStack!, 'Contract', address, ofContract)).toEqual({
      labelContract: `Contract ${address}`,
      ...contract,
    });
    const { contractCode } = await direct(contractStack!, '{ contractCode(id: "1") { checksum access creator { address } } }');
    expect(await watched(contractStack!, 'ContractCode', '1', 'checksum access creator { address }')).toEqual({
      labelContractCode: 'ContractCode 1',
      ...contractCode,
    });
  });

  it('the specification of a scope is that of Stele', async () => {
    const scopes = await direct(stack!, '{ scopes(first: 20) { nodes { specification { id } } } }');
    const { nodes } = (scopes as unknown as { scopes: { nodes: { specification: { id: string } | null }[] } }).scopes;
    const id = nodes.flatMap(({ specification }) => specification?.id ?? [])[0]!;
    const { scopeSpecification } = await direct(stack!, `{ scopeSpecification(id: "${id}") { uuid name owners { address } } }`);
    expect(await watched(stack!, 'ScopeSpecification', id, 'uuid name owners { address }')).toEqual({
      labelScopeSpecification: `ScopeSpecification ${id}`,
      ...scopeSpecification,
    });
  });

  it('a reference to nothing has its label, and no fields of Stele', async () => {
    for (const [type, key, fields] of [
      ['GovProposal', '999999', { tally: '{ yesCount }', outcome: '{ passes }' }],
      ['Validator', '00'.repeat(20), { moniker: '', tokens: '{ amount }' }],
    ] as const) {
      const selection = Object.entries(fields).flat().join(' ');
      expect(await watched(stack!, type, key, selection)).toEqual({
        [`label${type}`]: `${type} ${key}`,
        ...Object.fromEntries(Object.keys(fields).map((name) => [name, null])),
      });
    }
  });
});
