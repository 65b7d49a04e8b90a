import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { emptyFields } from '../support/pages.ts';
import { type Stack, startStack } from '../support/stack.ts';
import * as documents from './gen/operations.ts';

let chain: TestChain;
let stack: Stack;
/** The accounts of the devnet at genesis: users, group policies, markers and modules. */
let addresses: string[];
let denoms: string[];

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  const { body } = await stack.ask(`{
    markers(first: 100) { nodes { denom account { address } } }
    groups { nodes { policies { nodes { address } } } }
  }`);
  const data = body.data as {
    markers: { nodes: { denom: string; account: { address: string } }[] };
    groups: { nodes: { policies: { nodes: { address: string }[] } }[] };
  };
  denoms = data.markers.nodes.map(({ denom }) => denom);
  const [from, to] = chain.accounts;
  const coins = [{ denom: 'nhash', amount: '1' }];
  await chain.run(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: coins }));
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
  const gov = await stack.ask('{ module(method: "cosmos.auth.v1beta1.Query/ModuleAccountByName", request: { name: "gov" }) }');
  const { account } = (gov.body.data as { module: { account: { baseAccount: { address: string } } } }).module;
  addresses = [
    account.baseAccount.address,
    ...chain.accounts.map(({ address }) => address),
    ...data.markers.nodes.map(({ account }) => account.address),
    ...data.groups.nodes.flatMap(({ policies }) => policies.nodes.map(({ address }) => address)),
  ];
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

describe('each field of a page document has a value for at least one object of the devnet', () => {
  it('the account page has a value in each field', async () => {
    const accounts = addresses.map((address) => ({ address }));
    expect(await emptyFields(stack, documents.AccountPageDocument, accounts)).toEqual([]);
    // No grant of the devnet has an expiration.
    const empty = await emptyFields(stack, documents.AccountHoldingsDocument, accounts);
    expect(empty.filter((path) => !path.endsWith('.expiration'))).toEqual([]);
  });

  it('the token page has a value in each field', async () => {
    const all = denoms.map((denom) => ({ denom }));
    // The denom metadata of the devnet has no URI and no aliases.
    const unset = ['marker.metadata.uri', 'marker.metadata.uriHash', 'marker.metadata.denomUnits.aliases'];
    expect(await emptyFields(stack, documents.TokenPageDocument, all)).toEqual(unset);
    expect(await emptyFields(stack, documents.BareDenomDocument, all)).toEqual([]);
    expect(await emptyFields(stack, documents.TokenAndScopeListsDocument, [{}])).toEqual([]);
  });

  it.runIf(runsAll)('the attributes page has a value in each field', async () => {
    const names = new Set<string>();
    for (const account of addresses) {
      const { body } = await stack.ask(
        'query ($account: String!) { attributes(account: $account, first: 100) { nodes { name } } }',
        { account },
      );
      for (const { name } of (body.data as { attributes: { nodes: { name: string }[] } }).attributes.nodes) names.add(name);
    }
    const lookups = addresses.flatMap((account) =>
      [...names].map((name) => ({ account, name, suffix: name.split('.').at(-1)! })),
    );
    // The document looks up a grant from an account to itself, which cannot exist.
    expect(await emptyFields(stack, documents.AttributeLookupsDocument, lookups)).toEqual(['feeGrant']);
  });

  it('the explorer page has a value in each field', async () => {
    const height = chain.devnet.height;
    expect(await emptyFields(stack, documents.ExplorerHomeDocument, [{}])).toEqual([]);
    expect(await emptyFields(stack, documents.ValidatorsPageDocument, [{}])).toEqual([]);
    const { header } = await stack.client.block(height - 1n);
    const { blockId } = await stack.client.block(height - 1n);
    const routes = { height: header.height.toString(), hash: blockId.hash, address: header.proposerAddress };
    // Successful transactions have no log.
    expect(await emptyFields(stack, documents.NodeRoutesDocument, [routes])).toEqual(['blockResults.txsResults.log']);
  });

  it('the signing page has a value in each field', async () => {
    const signing = addresses.map((me) => ({ me, type: '/cosmos.bank.v1beta1.MsgSend' }));
    expect(await emptyFields(stack, documents.BeforeSigningDocument, signing)).toEqual([]);
    const [from, to] = chain.accounts;
    const send = any(MsgSendSchema, {
      fromAddress: from!.address,
      toAddress: to!.address,
      amount: [{ denom: 'nhash', amount: '1' }],
    });
    const tx = Buffer.from(chain.sign(from!, [send])).toString('base64');
    expect(await emptyFields(stack, documents.FeesOfDocument, [{ tx }])).toEqual([]);
  });

  it('generic module queries', async () => {
    const call = { method: 'provenance.marker.v1.Query/Params', request: {} };
    // The store of the development chain has no value at that key, and reports no error.
    const nothing = ['codespace', 'log', 'info', 'value'].map((field) => `abciQuery.${field}`);
    expect(await emptyFields(stack, documents.ApplicationDocument, [call])).toEqual(nothing);
  });
});
