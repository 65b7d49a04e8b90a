import { print } from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { IncludedDocument, type IncludedSubscription } from '../../graphql/gen/operations.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { any, startChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** Fee of a transaction of the development chain's wallet, in nhash. */
const fee = 1_000_000_000n;

const document =
  'query ($address: String!, $denom: String!) { account(address: $address) { balance(denom: $denom) { denom amount } } }';

describe('Account.balance over recorded responses', () => {
  let node: ReplayNode;
  let stack: Stack;

  beforeAll(async () => {
    node = await createReplayNode({});
    stack = await startStack([node.url]);
  });
  afterAll(async () => {
    await stack.close();
    await node.close();
  });

  const rows = readRecording('queries').filter(({ path }) => path === '/cosmos.bank.v1beta1.Query/Balance');

  it.each(rows.map((row) => [row.name, row] as const))('%s', async (_, { requestJson, decoded, height }) => {
    const { body } = await stack.ask(document, requestJson as Record<string, unknown>, { 'x-cosmos-block-height': height });
    expect(body.errors).toBeUndefined();
    expect(body.data).toEqual({ account: decoded });
  });

  it('the recordings have a balance and an empty balance', () => {
    expect(rows.map(({ name }) => name)).toEqual(['Balance', 'Balance none']);
  });

  it.each(['', 'x', '1hash', 'n hash', 'nhash\n', `n${'h'.repeat(128)}`])(
    'refuses the denom %j without a read',
    async (denom) => {
      const { address } = rows[0]!.requestJson as { address: string };
      const { body } = await stack.ask(document, { address, denom });
      expect(body.errors?.[0]).toMatchObject({
        path: ['account', 'balance'],
        extensions: { code: 'BAD_USER_INPUT', argument: 'denom' },
      });
    },
  );
});

describe('Account.balance in a subscription event', () => {
  it('is the balance of the sender after that block, although the chain has newer blocks', async () => {
    const chain = await startChain({ bare: true });
    const stack = await startStack([chain.node.url]);
    const socket = createClient({ url: `${stack.server.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
    try {
      const [from, to] = chain.accounts;
      const pay = async (amount: string): Promise<string> => {
        const coins = [{ denom: 'nhash', amount }];
        const hash = await chain.submit(
          from!,
          any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: coins }),
        );
        await chain.devnet.commit();
        return hash;
      };
      const hashes = [await pay('100'), await pay('20'), await pay('3')];
      await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
      const held: bigint[] = [];
      for (const hash of hashes) {
        const events = socket.iterate<IncludedSubscription>({ query: print(IncludedDocument), variables: { hash } });
        for await (const { data, errors } of events) {
          expect(errors).toBeUndefined();
          held.push(BigInt(data!.transactionResult.signers![0]!.balance!.amount));
        }
      }
      // Two successive balances differ by the amount and the fee of a transfer.
      const [first, second, third] = held;
      expect([first! - second!, second! - third!]).toEqual([20n + fee, 3n + fee]);
    } finally {
      await socket.dispose();
      await stack.close();
      await chain.devnet.close();
    }
  });
});
