import { createHash } from 'node:crypto';
import { stringToPath } from '@cosmjs/crypto';
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing';
import { coins, SigningStargateClient } from '@cosmjs/stargate';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { createClient as createSocketClient, type Client as SocketClient } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Answer, type Stack, type StackOptions, startStack } from '../support/stack.ts';
import { SendAndForgetDocument, SendAndWaitDocument, SendDocument } from './gen/operations.ts';

let chain: TestChain;
let stack: Stack;
const closing: (() => Promise<void> | void)[] = [];

async function start(options: StackOptions = {}, chainOptions: Parameters<typeof startChain>[0] = {}): Promise<void> {
  chain = await startChain({ bare: true, ...chainOptions });
  stack = await startStack(
    chain.devnet.nodes.map(({ url }) => url),
    options,
  );
  closing.push(
    () => chain.devnet.close(),
    () => stack.close(),
  );
  await stack.client.head.ready();
}

beforeEach(() => start());

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const hashOf = (tx: Uint8Array): string => createHash('sha256').update(tx).digest('hex').toUpperCase();
const base64 = (tx: Uint8Array): string => Buffer.from(tx).toString('base64');

/** Signs a transfer without sending it. Distinct amounts make distinct transactions. */
function transfer(amount: number, from = 0, options: Parameters<TestChain['sign']>[2] = {}): Uint8Array {
  const [sender, recipient] = [chain.accounts[from]!, chain.accounts[9]!];
  const amounts = [{ denom: 'nhash', amount: `${amount}` }];
  const message = any(MsgSendSchema, { fromAddress: sender.address, toAddress: recipient.address, amount: amounts });
  return chain.sign(sender, [message], options);
}

function overSocket(): SocketClient {
  const client = createSocketClient({
    url: `${stack.server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
  });
  closing.push(() => client.dispose());
  return client;
}

/** Reads a subscription to its end, and calls `onEvent` for each event. */
async function follow<T>(
  query: string,
  variables: Record<string, unknown>,
  onEvent: (event: T) => unknown = () => 0,
): Promise<T[]> {
  const events: T[] = [];
  for await (const { data, errors } of overSocket().iterate<T>({ query, variables })) {
    expect(errors).toBeUndefined();
    events.push(data!);
    await onEvent(data!);
  }
  return events;
}

function good<T>({ body }: Answer<T>): T {
  expect(body.errors).toBeUndefined();
  return body.data!;
}

/** Commits a block as soon as a transaction is in the mempool. */
async function includeNext(): Promise<bigint> {
  await expect.poll(() => chain.node.mempool.txs.length, { interval: 2 }).toBeGreaterThan(0);
  return chain.devnet.commit();
}

describe('a transaction signed by CosmJS', () => {
  async function signed(amount: number): Promise<{ tx: Uint8Array; sender: string }> {
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic('test test test test test test test test test test test junk', {
      prefix: 'tp',
      hdPaths: [stringToPath("m/44'/1'/0'/0/8")],
    });
    const client = await SigningStargateClient.connectWithSigner(chain.node.url, wallet);
    closing.push(() => client.disconnect());
    const sender = (await wallet.getAccounts())[0]!.address;
    const fee = { amount: coins(1_000_000_000, 'nhash'), gas: '1000000' };
    const value = { fromAddress: sender, toAddress: chain.accounts[9]!.address, amount: coins(amount, 'nhash') };
    const raw = await client.sign(sender, [{ typeUrl: '/cosmos.bank.v1beta1.MsgSend', value }], fee, 'signed elsewhere');
    return { tx: TxRaw.encode(raw).finish(), sender };
  }

  it('sent with the mutation can be followed by submitTx and transactionResult, both read at the height of its block', async () => {
    const { tx, sender } = await signed(5);
    const hash = hashOf(tx);
    const sent = good(await stack.ask(SendDocument, { tx: base64(tx) })).broadcastTxSync!;
    expect(sent).toEqual({
      hash,
      status: 'ACCEPTED',
      duplicate: false,
      height: null,
      checkTx: { code: 0, codespace: '', log: '', gasWanted: '0', gasUsed: '0' },
      txResult: null,
      attempts: [{ node: 'node-1', height: '1', outcome: 'ACCEPTED', error: null }],
    });

    const spent = { before: '1000000000000000', after: '999998999999995' };
    const fields = 'hash height memo signers { address balance(denom: "nhash") { amount } } block { height }';
    interface Update {
      readonly submitTx: { readonly stage: string; readonly height: string; readonly final: boolean };
    }
    const submitted = follow<Update>(
      `subscription ($tx: String!) { submitTx(tx: $tx) { hash stage height final attempt { node outcome } transaction { ${fields} } } }`,
      { tx: base64(tx) },
      async ({ submitTx }) => {
        if (submitTx.stage !== 'PENDING') return;
        // Commit the block of the transaction, and one more transfer that the event must not reflect.
        await chain.devnet.commit();
        await chain.submit(
          chain.accounts[8]!,
          any(MsgSendSchema, {
            fromAddress: sender,
            toAddress: chain.accounts[9]!.address,
            amount: [{ denom: 'nhash', amount: '7' }],
          }),
        );
        await chain.devnet.commit();
      },
    );
    const resulted = follow(`subscription ($hash: Hex!) { transactionResult(hash: $hash) { ${fields} } }`, { hash });
    const signers = [{ address: sender, balance: { amount: spent.after } }];
    const included = { hash, height: '2', memo: 'signed elsewhere', signers, block: { height: '2' } };
    expect((await submitted).map(({ submitTx }) => submitTx)).toEqual([
      {
        hash,
        stage: 'PENDING',
        height: '1',
        final: false,
        attempt: { node: 'node-1', outcome: 'DUPLICATE' },
        transaction: null,
      },
      { hash, stage: 'INCLUDED', height: '2', final: true, attempt: null, transaction: included },
    ]);
    expect(await resulted).toEqual([{ transactionResult: included }]);
    const { account } = good(
      (await stack.ask('query ($address: String!) { account(address: $address) { balance(denom: "nhash") { amount } } }', {
        address: sender,
      })) as Answer<{ account: { balance: { amount: string } } }>,
    );
    expect(BigInt(account.balance.amount)).toBeLessThan(BigInt(spent.after) - 7n);
  });

  it('is awaited by broadcastTxCommit, and its fields are read at the height of its block', async () => {
    const { tx, sender } = await signed(6);
    const waiting = stack.ask(SendAndWaitDocument, { tx: `0x${Buffer.from(tx).toString('hex')}` });
    await includeNext();
    const answer = await waiting;
    expect(good(answer).broadcastTxCommit).toMatchObject({
      hash: hashOf(tx),
      status: 'COMMITTED',
      height: '2',
      txResult: { code: 0 },
      transaction: {
        hash: hashOf(tx),
        block: { height: '2' },
        signers: [{ address: sender, balance: { amount: '999998999999994' } }],
      },
    });
    expect(answer.body.extensions).toEqual({ height: '1', warnings: [expect.stringContaining('testing and development')] });
    expect(answer.height).toBe('1');
  });
});

describe('request methods and media types', () => {
  async function get(
    query: string,
    accept = 'application/json',
  ): Promise<{ status: number; allow: string | null; body: unknown }> {
    const url = `${stack.server.url}/graphql?query=${encodeURIComponent(query)}`;
    const response = await fetch(url, { headers: { accept } });
    const text = await response.text();
    // A stream that is rejected sends the error as an event.
    const json = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
    return { status: response.status, allow: response.headers.get('allow'), body: JSON.parse(json) };
  }

  it.each([
    ['a mutation', 'mutation { broadcastTxSync(tx: "TX") { hash } }', 'application/json'],
    ['submitTx', 'subscription { submitTx(tx: "TX") { hash } }', 'text/event-stream'],
    [
      'submitTx under another name, in a fragment',
      'subscription { ...S } fragment S on Subscription { a: submitTx(tx: "TX") { hash } }',
      'text/event-stream',
    ],
    ['checkTx', '{ checkTx(tx: "TX") { code } }', 'application/json'],
    [
      'checkTx in a fragment',
      '{ ...C } fragment C on Query { checkTx(tx: "TX") { code } }',
      'application/graphql-response+json',
    ],
  ])('GET rejects %s with 405, and sends nothing', async (_, query, accept) => {
    const tx = base64(transfer(1));
    chain.node.counters.reset();
    const answer = await get(query.replace('TX', tx), accept);
    expect(answer).toMatchObject({
      status: 405,
      allow: 'POST',
      body: { errors: [{ message: expect.stringMatching(/POST/), extensions: { code: 'BAD_USER_INPUT' } }] },
    });
    expect(chain.node.counters.log.filter(({ method }) => /tx/.test(method))).toEqual([]);
    expect(stack.masked).toEqual([]);
  });

  it('GET accepts other queries, and POST accepts checkTx', async () => {
    const { checkTx } = good(
      (await stack.ask('query ($tx: String!) { checkTx(tx: $tx) { code } }', { tx: base64(transfer(1)) })) as Answer<{
        checkTx: unknown;
      }>,
    );
    expect(checkTx).toEqual({ code: 0 });
    expect((await get('{ head { height } }')).body).toMatchObject({ data: { head: { height: '1' } } });
  });

  it('submitTx sends nothing if the client accepts no stream', async () => {
    const response = await fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        query: 'subscription ($tx: String!) { submitTx(tx: $tx) { hash } }',
        variables: { tx: base64(transfer(1)) },
      }),
    });
    expect(response.status).toBe(406);
    const another = transfer(2, 1);
    good(await stack.ask(SendDocument, { tx: base64(another) }));
    expect(chain.node.mempool.txs).toEqual([another]);
    expect(stack.server.subscriptions()).toMatchObject({ subscribers: 0, sources: 0 });
  });
});

describe('the response of the chain', () => {
  it('is data if CheckTx rejects the transaction, for sync and commit', async () => {
    const tx = base64(transfer(1, 0, { sequence: 9n }));
    const checkTx = { code: 32, codespace: 'sdk', log: expect.stringContaining('expected 0, got 9') };
    const attempts = [{ node: 'node-1', height: '1', outcome: 'REJECTED', error: null }];
    const sync = good(await stack.ask(SendDocument, { tx })).broadcastTxSync;
    expect(sync).toMatchObject({ status: 'REJECTED', checkTx, height: null, txResult: null, duplicate: false, attempts });
    const commit = good(await stack.ask(SendAndWaitDocument, { tx })).broadcastTxCommit;
    expect(commit).toMatchObject({ status: 'REJECTED', checkTx, transaction: null, attempts });
  });

  it('is data if the transaction fails in its block', async () => {
    const poor = transfer(2_000_000_000_000_000);
    const waiting = stack.ask(SendAndWaitDocument, { tx: base64(poor) });
    await includeNext();
    expect(good(await waiting).broadcastTxCommit).toMatchObject({
      status: 'EXECUTION_FAILED',
      checkTx: { code: 0 },
      txResult: { code: 5, codespace: 'sdk' },
      transaction: { hash: hashOf(poor) },
    });
  });

  it('is an error if the mempool is full, or no block is committed in time', async () => {
    await start(
      { client: { broadcaster: { commitWait: 100, grace: 50 } } },
      { mempoolLimits: { size: 1, bytes: 1_000_000, txBytes: 1_048_576, cache: 100 } },
    );
    const first = transfer(1);
    const timeout = await stack.ask(SendAndWaitDocument, { tx: base64(first) });
    expect(timeout.body).toMatchObject({
      data: { broadcastTxCommit: null },
      errors: [
        {
          path: ['broadcastTxCommit'],
          extensions: {
            code: 'COMMIT_TIMEOUT',
            hash: hashOf(first),
            checkTx: { code: 0, codespace: '', log: '', info: '', data: null, gasWanted: '0', gasUsed: '0', events: [] },
          },
        },
      ],
    });
    for (const document of [SendDocument, SendAndForgetDocument, SendAndWaitDocument]) {
      const second = transfer(2, 1);
      const full = await stack.ask(document as typeof SendDocument, { tx: base64(second) });
      expect(full.body.errors).toMatchObject([
        {
          message: expect.stringContaining('mempool is full: number of txs 1 (max: 1)'),
          extensions: { code: 'MEMPOOL_REJECTED', hash: hashOf(second), reason: 'FULL' },
        },
      ]);
    }
    expect(stack.masked).toEqual([]);
  });

  it.each(['0xZZ', 'abc', '', '""'])('is not requested for an invalid transaction: %j', async (tx) => {
    chain.node.counters.reset();
    const { body } = await stack.ask(SendDocument, { tx });
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'tx' } }]);
    expect(chain.node.counters.log.some(({ method }) => method.startsWith('broadcast'))).toBe(false);
  });

  it('is not requested for a transaction that is too large', async () => {
    chain.node.counters.reset();
    const { body } = await stack.ask(SendDocument, { tx: base64(new Uint8Array(1_048_577)) });
    expect(body.errors).toMatchObject([
      { message: 'Tx too large. Max size is 1048576, but got 1048577', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(chain.node.counters.log.some(({ method }) => method.startsWith('broadcast'))).toBe(false);
  });
});

describe('equal transactions', () => {
  it('are sent to the node once for concurrent requests, and again for later requests', async () => {
    const tx = base64(transfer(1));
    chain.node.faults.delay = 30;
    const answers = await Promise.all([1, 2, 3].map(() => stack.ask(SendDocument, { tx })));
    chain.node.faults.delay = 0;
    expect(new Set(answers.map((answer) => JSON.stringify(good(answer)))).size).toBe(1);
    const broadcasts = (): number => chain.node.counters.log.filter(({ method }) => method === 'broadcast_tx_sync').length;
    expect(broadcasts()).toBe(1);
    const again = good(await stack.ask(SendDocument, { tx })).broadcastTxSync;
    expect(again).toMatchObject({ status: 'ACCEPTED', duplicate: true, checkTx: null });
    expect(broadcasts()).toBe(2);
    await chain.devnet.commit();
    await stack.client.head.waitFor(2n, { milliseconds: 30_000 });
    const after = good(await stack.ask(SendDocument, { tx })).broadcastTxSync;
    expect(after).toMatchObject({ status: 'COMMITTED', duplicate: true, height: '2', txResult: { code: 0 } });
  });

  it('have status SENT each time with broadcastTxAsync', async () => {
    const tx = base64(transfer(1));
    const first = good(await stack.ask(SendAndForgetDocument, { tx })).broadcastTxAsync;
    expect(first).toMatchObject({ status: 'SENT', checkTx: null, duplicate: false, attempts: [{ outcome: 'ACCEPTED' }] });
    const second = good(await stack.ask(SendAndForgetDocument, { tx })).broadcastTxAsync;
    expect(second).toMatchObject({ status: 'SENT', checkTx: null, duplicate: true, attempts: [{ outcome: 'DUPLICATE' }] });
  });
});

describe('broadcastTxCommit', () => {
  it('can be disabled', async () => {
    await start({ server: { broadcastCommit: false } });
    const { body } = await stack.ask(SendAndWaitDocument, { tx: base64(transfer(1)) });
    expect(body).toMatchObject({ data: { broadcastTxCommit: null }, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    expect(body.extensions).toEqual({ height: '1' });
    expect(chain.node.mempool.txs).toEqual([]);
    expect(good(await stack.ask(SendDocument, { tx: base64(transfer(1)) })).broadcastTxSync!.status).toBe('ACCEPTED');
  });

  it('returns its warning over WebSocket too', async () => {
    const tx = base64(transfer(1));
    const results = overSocket().iterate({
      query: 'mutation ($tx: String!) { broadcastTxCommit(tx: $tx) { status } }',
      variables: { tx },
    });
    const next = results.next();
    await includeNext();
    const { value } = await next;
    expect(value).toMatchObject({
      data: { broadcastTxCommit: { status: 'COMMITTED' } },
      extensions: { warnings: [expect.any(String)] },
    });
  });
});

describe('evidence', () => {
  const document = 'mutation ($evidence: JSON!) { broadcastEvidence(evidence: $evidence) }';

  it('that the node rejects is an error with the message of the node', async () => {
    const evidence = { type: 'tendermint/DuplicateVoteEvidence', value: { vote_a: null } };
    const { body } = await stack.ask(document, { evidence });
    expect(body.errors).toMatchObject([{ message: expect.stringContaining('evidence'), extensions: { code: 'RPC_ERROR' } }]);
    expect(chain.node.counters.log.at(-1)).toMatchObject({ method: 'broadcast_evidence', params: { evidence } });
  });

  it.each([[[]], ['x'], [{}], [{ type: 1, value: {} }], [{ type: 'x' }]])(
    'that is malformed is not sent: %j',
    async (evidence) => {
      chain.node.counters.reset();
      const { body } = await stack.ask(document, { evidence });
      expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'evidence' } }]);
      expect(chain.node.counters.log.some(({ method }) => method === 'broadcast_evidence')).toBe(false);
    },
  );
});
