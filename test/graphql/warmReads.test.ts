import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type ExecutionResult, execute } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/chain/client.ts';
import { Dependencies } from '../../src/chain/state/state.ts';
import { http } from '../../src/chain/transports/http.ts';
import { createLimits } from '../../src/config/limits/limits.ts';
import { schema } from '../../src/graphql/schema.ts';
import { createPin, pinned } from '../../src/reads/pin.ts';
import { openSession } from '../../src/reads/viewer.ts';
import { some } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import * as documents from './gen/operations.ts';

let chain: TestChain;
let warm: Client;
const clients: Client[] = [];

/** Makes a client with empty caches. It knows the newest block, and has the types of the chain. */
async function freshClient(): Promise<Client> {
  const client = createClient({ transport: http(chain.node.url) });
  clients.push(client);
  await client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  await client.descriptors.pool();
  return client;
}

/** How many signals were made for executions. */
let signals = 0;

/** Executes a document at the newest height. */
function run<T, V extends Readonly<Record<string, unknown>>>(
  client: Client,
  document: TypedDocumentNode<T, V>,
  variables: V,
  dependencies: Dependencies = new Dependencies(),
): ExecutionResult | Promise<ExecutionResult> {
  const signal = {
    aborted: false,
    get signal() {
      signals += 1;
      return new AbortController().signal;
    },
  };
  return execute({
    schema,
    document,
    variableValues: variables,
    rootValue: pinned(createPin(client, chain.devnet.height, { signal, dependencies }), {}),
    contextValue: {
      viewer: openSession.viewer,
      broadcastCommit: false,
      limits: createLimits(),
      warnings: new Set(),
      outcome: { immutable: true },
    },
  });
}

/** The documents that are answered from memory, with their variables. */
const pages: [string, (client: Client, dependencies?: Dependencies) => ExecutionResult | Promise<ExecutionResult>][] = [];

function page<T, V extends Readonly<Record<string, unknown>>>(
  name: string,
  document: TypedDocumentNode<T, V>,
  variables: () => V,
): void {
  pages.push([name, (client, dependencies) => run(client, document, variables(), dependencies)]);
}

let me: string;
let group: string;
let policy: string;
let proposal: string;
page('AwaitingMyVote', documents.AwaitingMyVoteDocument, () => ({ me }));
page('Board', documents.BoardDocument, () => ({ policy }));
page('MyOpenProposals', documents.MyOpenProposalsDocument, () => ({ me }));
page('ProposalPage', documents.ProposalPageDocument, () => ({ id: proposal }));
page('GroupPage', documents.GroupPageDocument, () => ({ id: group }));
page('ByAccount', documents.ByAccountDocument, () => ({ address: me }));
page('ByGroup', documents.ByGroupDocument, () => ({ group, policy, proposal, voter: me }));
page('AccountPage', documents.AccountPageDocument, () => ({ address: me }));
page('AccountHoldings', documents.AccountHoldingsDocument, () => ({ address: me }));
page('AttributeLookups', documents.AttributeLookupsDocument, () => ({ account: me, name: 'kyc.pb', suffix: 'pb' }));
page('TokenPage', documents.TokenPageDocument, () => ({ denom: 'nhash' }));
page('BareDenom', documents.BareDenomDocument, () => ({ denom: 'nhash' }));
page('TokenAndScopeLists', documents.TokenAndScopeListsDocument, () => ({}));
page('BeforeSigning', documents.BeforeSigningDocument, () => ({ me, type: '/cosmos.bank.v1beta1.MsgSend' }));

beforeAll(async () => {
  chain = await startChain();
  await chain.devnet.commit();
  warm = await freshClient();
  me = chain.accounts[0]!.address;
  const mine = await run(warm, documents.ByAccountDocument, { address: me });
  const { groupsByMember } = mine.data as documents.ByAccountQuery;
  group = groupsByMember!.nodes[0]!.id;
  const { data } = await run(warm, documents.GroupPageDocument, { id: group });
  const { policies, proposals } = (data as documents.GroupPageQuery).group!;
  policy = policies!.nodes[0]!.address;
  proposal = proposals!.nodes[0]!.id;
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await chain.devnet.close();
});

describe('a page whose reads are in memory', () => {
  it.each(some(pages, 3))(
    '%s: is executed without a promise and without a call, and equals a page that is read',
    async (_, load) => {
      const [cold, again] = [new Dependencies(), new Dependencies()];
      const read = await load(await freshClient(), cold);
      expect(read.errors).toBeUndefined();
      await load(warm);
      // Learning the roots of the newest block takes calls too.
      chain.node.counters.reset();
      const before = signals;
      expect(before).toBeGreaterThan(0);
      const kept = load(warm, again);
      expect(kept).not.toBeInstanceOf(Promise);
      expect(signals).toBe(before);
      expect(await kept).toEqual(read);
      // Keys of reads that are followed may be proven at the same time.
      expect(chain.node.counters.log.filter(({ params }) => !String(Object(params).path).startsWith('/store/'))).toEqual([]);
      // It depends on the same stores, as many times.
      const [one, other] = [again, cold].map((each) => ({ ...each.carried(), named: new Set(each.carried()?.named) }));
      expect(one).toEqual(other);
    },
  );
});
