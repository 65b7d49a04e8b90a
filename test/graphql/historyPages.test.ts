import { print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopeAddresses } from '../../packages/devnet/src/app/world/scopes.ts';
import { tokens } from '../../packages/devnet/src/app/world/tokens.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgVoteSchema } from '../../src/proto/cosmos/group/v1/tx_pb.js';
import { VoteOption } from '../../src/proto/cosmos/group/v1/types_pb.js';
import { runsAll } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Listener, overEvents } from '../support/listeners.ts';
import { emptyFields, neverFilled, note } from '../support/pages.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { makeTransfersAndPrices } from '../support/transfersAndPrices.ts';
import * as documents from './gen/operations.ts';

let chain: TestChain;
let stack: Stack;

const nhash = (amount: string) => ({ denom: 'nhash', amount });

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  await makeTransfersAndPrices(chain);
  const [poor, rich] = chain.accounts;
  const amount = [{ denom: tokens.gold, amount: '999999999' }];
  // A transaction that fails, with a memo.
  const message = any(MsgSendSchema, { fromAddress: poor!.address, toAddress: rich!.address, amount });
  const failing = chain.sign(poor!, [message], { memo: 'too much', timeoutHeight: 1000n });
  await stack.ask(documents.SendDocument, { tx: Buffer.from(failing).toString('base64') });
  // A second transaction in the block, so that its proof has a path.
  await chain.submit(rich!, any(MsgSendSchema, { fromAddress: rich!.address, toAddress: poor!.address, amount: [nhash('2')] }));
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Returns the fields that were empty in all events of these listeners. Fails if an event has errors. */
async function emptyLive(listeners: readonly Listener[]): Promise<string[]> {
  const filled = new Map<string, boolean>();
  for (const { answers } of listeners) {
    for (const { data, errors } of answers) {
      expect(errors).toBeUndefined();
      note(data, '', filled);
    }
  }
  return neverFilled(filled).toSorted();
}

const allAddresses = () => chain.accounts.map(({ address }) => address);

describe('each field of a history document has a value for at least one object of the devnet', () => {
  it.runIf(runsAll)('the transfers page has a value in each field', async () => {
    const denoms = ['nhash', ...Object.values(tokens)].map((denom) => ({ denom }));
    expect(await emptyFields(stack, documents.TokenTransfersDocument, denoms)).toEqual([]);
    const { body } = await stack.ask('{ transfers(denom: "nhash", kinds: [OTHER]) { nodes { recipient { address } } } }');
    const { transfers } = body.data as { transfers: { nodes: { recipient: { address: string } }[] } };
    const modules = transfers.nodes.map(({ recipient }) => recipient.address);
    const addresses = [...allAddresses(), ...modules].map((address) => ({ address }));
    // Only the failed transaction has a memo. It transferred only its fee, which this page excludes.
    const memo = ['account.transfers.nodes.transaction.memo'];
    expect(await emptyFields(stack, documents.AccountTransfersDocument, addresses)).toEqual(memo);
  });

  it('prices and scopes', async () => {
    expect(await emptyFields(stack, documents.PriceChartDocument, [{ denom: tokens.gold }])).toEqual([]);
    const scopes = scopeAddresses.map((id) => ({ id }));
    // Scope specifications of the devnet have no icon.
    expect(await emptyFields(stack, documents.ScopePageDocument, scopes)).toEqual(['scope.specification.iconUrl']);
  });

  it('blocks and transactions', async () => {
    const last = chain.devnet.height;
    const heights = Array.from({ length: Number(last) }, (_, index) => ({ height: `${index + 1}` }));
    // The devnet's only validator never changes and never misbehaves. Its block events belong to no message and have no JSON.
    const never = [
      'results.finalizeBlockEvents.msgIndex',
      'results.finalizeBlockEvents.json',
      'results.validatorUpdates',
      'evidence',
    ];
    expect((await emptyFields(stack, documents.BlockPageDocument, heights)).toSorted()).toEqual(
      never.map((field) => `block.${field}`).toSorted(),
    );
    const { body } = await stack.ask('{ transactions(query: "tx.height > 0") { nodes { hash } } }');
    const { transactions } = body.data as { transactions: { nodes: { hash: string }[] } };
    // No transaction here uses a fee grant or a timeout by time, and the chain leaves `info` empty.
    const unset = ['transaction.info', 'transaction.timeoutTimestamp', 'transaction.fee.granter'];
    expect(await emptyFields(stack, documents.TransactionPageDocument, transactions.nodes)).toEqual(unset);
    const where = [{ key: 'message.module', op: 'EQUAL' as const, value: 'bank' }];
    expect(await emptyFields(stack, documents.SearchTransactionsDocument, [{ where }])).toEqual([]);
  });

  it.runIf(runsAll)('proposals, their summaries, and live updates for a member', async () => {
    const me = chain.accounts[0]!;
    const document = '{ account(address: "ADDRESS") { groupProposals(awaitingVote: true, first: 1) { nodes { id } } } }';
    const { body } = await stack.ask(document.replace('ADDRESS', me.address));
    const { account } = body.data as { account: { groupProposals: { nodes: { id: string }[] } } };
    const proposalId = BigInt(account.groupProposals.nodes[0]!.id);
    const watching = { me: me.address, after: `${chain.devnet.height}` };
    const watched = await overEvents(stack.server.url, print(documents.MyProposalsLiveDocument), watching);
    await chain.run(me, any(MsgVoteSchema, { proposalId, voter: me.address, option: VoteOption.YES, metadata: 'well said' }));
    await watched.count(1);
    await watched.leave();
    expect(await emptyLive([watched])).toEqual([]);

    const members = allAddresses().map((address) => ({ me: address }));
    expect(await emptyFields(stack, documents.MyOpenProposalsDocument, members)).toEqual([]);
    const ids = Array.from({ length: 32 }, (_, index) => ({ id: `${index + 1}` }));
    expect(await emptyFields(stack, documents.ProposalPageDocument, ids)).toEqual([]);
  });

  it('peers and the mempool', async () => {
    const [, from, to] = chain.accounts;
    const amount = [nhash('3')];
    await chain.submit(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount }));
    const empty = await emptyFields(stack, documents.OpsPeersAndMempoolDocument, [{}]);
    await chain.devnet.commit();
    // Blocks are committed at once, so consensus fields may be empty. The nodes of the devnet are not peers of each other.
    expect(empty.filter((path) => !/^(dumpC|c)onsensusState\./.test(path))).toEqual(['netInfo.peers']);
  });

  it('live transfers of an account, and a transaction that is sent', async () => {
    const [from, to] = chain.accounts;
    const amount = [nhash('7')];
    const send = any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount });
    const tx = Buffer.from(chain.sign(from!, [send])).toString('base64');
    const after = `${chain.devnet.height}`;
    const watching = { address: to!.address, after };
    const watched = await overEvents(stack.server.url, print(documents.WatchTransfersDocument), watching);
    const sent = await overEvents(stack.server.url, print(documents.SendAndWatchDocument), { tx });
    await expect.poll(() => chain.node.mempool.txs.length).toBe(1);
    await chain.devnet.commit();
    await sent.ended;
    await watched.count(1);
    await watched.leave();
    // The transaction succeeds, so its error fields are empty.
    const failures = ['attempt.error', 'checkTx.codespace', 'checkTx.log', 'transaction.codespace', 'transaction.log'];
    expect(await emptyLive([watched, sent])).toEqual(failures.map((field) => `submitTx.${field}`).toSorted());
  });
});
