import { print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokens } from '../../src/devnet/app/world/tokens.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { overEvents } from '../support/listeners.ts';
import { emptyFields, neverFilled, note } from '../support/pages.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { trade } from '../support/trades.ts';
import * as documents from './gen/operations.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  await stack.client.head.waitFor(await trade(chain), { milliseconds: 5000 });
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

describe('the pages of the past on the devnet have no field that is empty for everybody', () => {
  it('of transfers', async () => {
    const denoms = ['nhash', ...Object.values(tokens)].map((denom) => ({ denom }));
    expect(await emptyFields(stack, documents.TokenTransfersDocument, denoms)).toEqual([]);
  });

  it('of the live transfers of an account, and of one that is sent', async () => {
    const [from, to] = chain.accounts;
    const amount = [{ denom: 'nhash', amount: '7' }];
    const send = any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount });
    const tx = Buffer.from(chain.sign(from!, [send])).toString('base64');
    const height = chain.devnet.height;
    const watched = await overEvents(stack.server.url, print(documents.WatchTransfersDocument), {
      address: to!.address,
      after: `${height}`,
    });
    const sent = await overEvents(stack.server.url, print(documents.SendAndWatchDocument), { tx });
    await expect.poll(() => chain.node.mempool.txs.length).toBe(1);
    await chain.devnet.commit();
    await sent.ended;
    await watched.count(1);
    await watched.leave();
    const filled = new Map<string, boolean>();
    for (const { data, errors } of [...watched.answers, ...sent.answers]) {
      expect(errors).toBeUndefined();
      note(data, '', filled);
    }
    // Nothing went wrong on the way.
    const failures = ['attempt.error', 'checkTx.codespace', 'checkTx.log', 'transaction.codespace', 'transaction.log'];
    expect(neverFilled(filled).toSorted()).toEqual(failures.map((field) => `submitTx.${field}`).toSorted());
  });
});
