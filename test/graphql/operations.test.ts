import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';
import * as documents from './gen/operations.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Runs a document, and fails on any error. */
async function run<T, V>(document: TypedDocumentNode<T, V>, variables: V): Promise<T> {
  const { body } = await stack.ask(document, variables);
  expect(body.errors).toBeUndefined();
  return body.data!;
}

describe('the documents of schema/operations.graphql', () => {
  it('run on the devnet without errors, and return data for each governance page', async () => {
    const [me] = chain.accounts;
    const { account } = await run(documents.AwaitingMyVoteDocument, { me: me!.address });
    expect(Number(account!.groupProposals!.totalCount)).toBeGreaterThan(0);

    const { groupsByMember } = await run(documents.ByAccountDocument, { address: me!.address });
    const group = groupsByMember!.nodes[0]!.id;
    const page = await run(documents.GroupPageDocument, { id: group });
    const policies = page.group!.policies!.nodes;
    expect(page.group!.members!.nodes.length).toBe(Number(page.group!.members!.totalCount));

    const boards = await Promise.all(policies.map(({ address }) => run(documents.BoardDocument, { policy: address })));
    const proposals = boards.flatMap((board) => board.proposalsByGroupPolicy!.nodes);
    expect(proposals.length).toBeGreaterThan(0);
    const voted = proposals.find(({ votes }) => votes!.nodes.length > 0)!;
    const vote = voted.votes!.nodes[0]!;

    const named = await run(documents.ByGroupDocument, {
      group,
      policy: voted.groupPolicy!.address,
      proposal: voted.id,
      voter: vote.voter.address,
    });
    expect(named.voteByProposalVoter).toEqual({ option: vote.option });
    expect(named.tallyResult).toEqual(voted.tally);
    expect(named.votesByProposal!.edges.map(({ node }) => node)).toEqual(
      voted.votes!.nodes.map(({ option, voter }) => ({ option, voter })),
    );

    const at = await run(documents.BoardAtDocument, { height: '1', policy: voted.groupPolicy!.address });
    expect(at.at!.head!.height).toBe('1');
    expect(at.at!.proposalsByGroupPolicy!.nodes.length).toBeGreaterThan(0);
  });

  it('search by words', async () => {
    const { search } = await run(documents.SearchDocument, { text: 'assem' });
    expect(search.isComplete).toBe(true);
    expect(search.nodes[0]).toMatchObject({ __typename: 'Group', id: '1' });
  });

  it('read from the node', async () => {
    const { blockSearch } = await run(documents.SearchBlocksDocument, { query: 'block.height = 1' });
    expect(blockSearch).toMatchObject({ totalCount: '1', nodes: [{ height: '1' }] });
    const { checkTx } = await run(documents.CheckDocument, { tx: '0x0011' });
    expect(checkTx).toMatchObject({ code: 2, events: [] });
    const { limits, nodes } = await run(documents.OpsDocument, {});
    expect(nodes.map(({ health }) => health)).toEqual(['HEALTHY']);
    expect(limits.find(({ name }) => name === 'graphql.depth')).toMatchObject({ value: '20', unit: 'COUNT' });
  });

  it('send transactions, and return the included transaction', async () => {
    const [from, to] = chain.accounts;
    const pay = (amount: string, sequence: bigint): string => {
      const coins = [{ denom: 'nhash', amount }];
      const send = any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: coins });
      return Buffer.from(chain.sign(from!, [send], { sequence })).toString('base64');
    };
    const { broadcastTxSync } = await run(documents.SendDocument, { tx: pay('1', 0n) });
    expect(broadcastTxSync).toMatchObject({ status: 'ACCEPTED', checkTx: { code: 0 }, attempts: [{ outcome: 'ACCEPTED' }] });
    const { broadcastTxAsync } = await run(documents.SendAndForgetDocument, { tx: pay('2', 1n) });
    expect(broadcastTxAsync).toMatchObject({ status: 'SENT', checkTx: null });
    const waiting = run(documents.SendAndWaitDocument, { tx: pay('3', 2n) });
    await expect.poll(() => chain.node.mempool.txs.length).toBe(3);
    const height = await chain.devnet.commit();
    expect((await waiting).broadcastTxCommit).toMatchObject({
      status: 'COMMITTED',
      height: `${height}`,
      transaction: {
        block: { height: `${height}` },
        signers: [{ address: from!.address, balance: { amount: expect.stringMatching(/^\d+$/) } }],
      },
    });
    // The development chain rejects all evidence.
    const { body } = await stack.ask(documents.EvidenceDocument, { evidence: { type: 'a', value: {} } });
    expect(body.errors).toMatchObject([{ path: ['broadcastEvidence'], extensions: { code: 'RPC_ERROR' } }]);
  });

  it('each have a generated typed document', () => {
    const names = Object.keys(documents).filter((name) => name.endsWith('Document'));
    expect(names.toSorted()).toEqual(
      [
        'AccountHoldings',
        'AccountPage',
        'AccountTransfers',
        'Application',
        'AttributeLookups',
        'AwaitingMyVote',
        'BareDenom',
        'BeforeSigning',
        'BlockPage',
        'Board',
        'BoardAt',
        'ByAccount',
        'ByGroup',
        'Check',
        'Evidence',
        'ExplorerHome',
        'ExplorerLive',
        'FeesOf',
        'GroupPage',
        'Included',
        'MyOpenProposals',
        'MyProposalsLive',
        'NodeRoutes',
        'OpsPeersAndMempool',
        'Ops',
        'PriceChart',
        'ProposalPage',
        'ScopePage',
        'Search',
        'SearchBlocks',
        'SearchTransactions',
        'Send',
        'SendAndForget',
        'SendAndWait',
        'SendAndWatch',
        'Supply',
        'TallyLive',
        'TokenAndScopeLists',
        'TokenLive',
        'TokenPage',
        'TokenTransfers',
        'TransactionPage',
        'ValidatorsPage',
        'WatchQuery',
        'WatchTransfers',
      ]
        .map((name) => `${name}Document`)
        .toSorted(),
    );
  });
});
