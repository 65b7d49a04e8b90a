import { AuthInfo, TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { readRecording } from '../../recordings/recordings.ts';
import { some } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Answer, type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

/** Three blocks of 3, 0 and 4 transfers, each with a different amount. */
const counts = [3, 0, 4];

beforeAll(async () => {
  chain = await startChain();
  const [from, to] = chain.accounts;
  let amount = 0;
  for (const count of counts) {
    for (let index = 0; index < count; index += 1) {
      amount += 1;
      const coins = [{ denom: 'nhash', amount: `${amount}` }];
      await chain.submit(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: coins }));
    }
    await chain.devnet.commit();
  }
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

interface Item {
  readonly hash: string;
  readonly height: string;
  readonly index: number;
}

interface Page {
  readonly totalCount: string;
  readonly nodes: readonly Item[];
  readonly edges: readonly { readonly cursor: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean; readonly endCursor: string | null };
}

const connection =
  '{ totalCount nodes { hash height index } edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor } }';
const toQuery = (): string => `transfer.recipient='${chain.accounts[1]!.address}'`;

function good<T>({ body }: Answer<unknown>): T {
  expect(body.errors).toBeUndefined();
  return body.data as T;
}

async function transfers(args: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Page> {
  const document = `query($query: String, $where: [EventCondition!], $first: Int, $after: String, $offset: Int, $reverse: Boolean) {
    transactions(query: $query, where: $where, first: $first, after: $after, offset: $offset, reverse: $reverse) ${connection} }`;
  return good<{ transactions: Page }>(await stack.ask(document, { query: toQuery(), first: 20, ...args }, headers))
    .transactions;
}

const places = ({ nodes }: Page): string[] => nodes.map(({ height, index }) => `${height}/${index}`);

describe('searches of transactions', () => {
  it('return all transactions in order, and in reverse', async () => {
    const all = await transfers({});
    expect(all.totalCount).toBe('7');
    expect(places(all)).toEqual(['2/0', '2/1', '2/2', '4/0', '4/1', '4/2', '4/3']);
    expect(places(await transfers({ reverse: true }))).toEqual(places(all).toReversed());
  });

  it.each(some([false, true], 2))(
    'can be paged to the end from any item, with any page size (reverse: %s)',
    async (reverse) => {
      const all = await transfers({ reverse });
      for (let first = 1; first <= 4; first += 1) {
        for (const [at, { cursor }] of all.edges.entries()) {
          const page = await transfers({ reverse, first, after: cursor });
          expect(places(page)).toEqual(places(all).slice(at + 1, at + 1 + first));
          expect(page.pageInfo.hasNextPage).toBe(at + 1 + first < 7);
          expect(page.totalCount).toBe('7');
        }
        for (let offset = 0; offset < 9; offset += 1) {
          const page = await transfers({ reverse, first, offset });
          expect(places(page)).toEqual(places(all).slice(offset, offset + first));
          expect(page.pageInfo.hasNextPage).toBe(offset + first < 7);
        }
      }
    },
  );

  it('return blocks up to the height of the operation, whatever heights the query allows', async () => {
    const at = (height: string): Record<string, string> => ({ 'x-cosmos-block-height': height });
    expect(places(await transfers({}, at('3')))).toEqual(['2/0', '2/1', '2/2']);
    expect(places(await transfers({ query: 'tx.height > 0 AND tx.height < 100' }, at('2')))).toEqual(['2/0', '2/1', '2/2']);
    expect((await transfers({ query: 'tx.height = 4' }, at('3'))).totalCount).toBe('0');
    const { hash } = (await transfers({ reverse: true, first: 1 })).nodes[0]!;
    expect((await transfers({ query: `tx.hash = '${hash}'` })).totalCount).toBe('1');
    expect((await transfers({ query: `tx.hash = '${hash}'` }, at('3'))).totalCount).toBe('0');
    expect((await transfers({ query: `tx.hash = '${hash}' AND tx.height < 4` })).totalCount).toBe('0');
  });

  it('accept `where`; with `query`, both must hold', async () => {
    const where = (key: string, op: string, value?: string): object[] => [{ key, op, ...(value && { value }) }];
    expect(
      (await transfers({ query: null, where: where('transfer.recipient', 'EQUAL', chain.accounts[1]!.address) })).totalCount,
    ).toBe('7');
    expect((await transfers({ where: where('tx.height', 'GREATER', '2') })).totalCount).toBe('4');
    expect((await transfers({ where: where('message.module', 'EXISTS') })).totalCount).toBe('0');
    const { body } = await stack.ask(`query($where: [EventCondition!]) { transactions(where: $where) { totalCount } }`, {
      where: where('a.b', 'EQUAL', "it's"),
    });
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'where' });
  });

  it('take one read for each page, and reject an invalid query without a read', async () => {
    chain.node.counters.reset();
    await transfers({ first: 2 });
    await transfers({ first: 2, reverse: true });
    expect(chain.node.counters.log.map(({ method }) => method).filter((method) => method === 'tx_search')).toHaveLength(2);
    chain.node.counters.reset();
    for (const query of ["tm.event='NewBlock' OR 1=1", `a.b='${'x'.repeat(520)}'`, "tx.height='x'"]) {
      const { body } = await stack.ask('query($query: String) { transactions(query: $query) { totalCount } }', { query });
      expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    }
    expect(chain.node.counters.log.some(({ method }) => method === 'tx_search')).toBe(false);
  });
});

describe('a transaction', () => {
  it('is decoded like an independent decoder does', async () => {
    const { hash } = (await transfers({ first: 1 })).nodes[0]!;
    const { transaction } = good<{ transaction: Record<string, never> }>(
      await stack.ask(
        `query($hash: Hex!) { transaction(hash: $hash) { tx memo timeoutHeight messages { type value } signers { address }
          fee { amount { denom amount } gasLimit payer { address } granter { address } } json height time block { height time } } }`,
        { hash },
      ),
    );
    const raw = TxRaw.decode(Buffer.from(transaction.tx!, 'base64'));
    const body = TxBody.decode(raw.bodyBytes);
    const { fee } = AuthInfo.decode(raw.authInfoBytes);
    const from = chain.accounts[0]!.address;
    expect(transaction).toMatchObject({
      memo: body.memo,
      timeoutHeight: null,
      messages: body.messages.map(({ typeUrl, value }) => ({ type: typeUrl, value: Buffer.from(value).toString('base64') })),
      signers: [{ address: from }],
      fee: {
        amount: fee!.amount.map(({ denom, amount }) => ({ denom, amount })),
        gasLimit: fee!.gasLimit.toString(),
        payer: { address: from },
        granter: null,
      },
      json: { body: { messages: [{ '@type': '/cosmos.bank.v1beta1.MsgSend', fromAddress: from }] } },
      block: { height: '2' },
    });
  });

  it('is the same in every field that returns it, and null above the height of the operation', async () => {
    const { hash } = (await transfers({ reverse: true, first: 1 })).nodes[0]!;
    const fields = '{ hash height index code gasUsed events { type msgIndex json } time }';
    const data = good<{ block: { transactions: { totalCount: string; nodes: unknown[] } }; transaction: unknown }>(
      await stack.ask(
        `query($hash: Hex!) { transaction(hash: $hash) ${fields} block(height: 4) { transactions(first: 1, reverse: true) { totalCount nodes ${fields} } } }`,
        { hash },
      ),
    );
    expect(data.block.transactions).toEqual({ totalCount: '4', nodes: [data.transaction] });
    const earlier = await stack.ask(
      'query($hash: Hex!) { transaction(hash: $hash) { hash } }',
      { hash },
      { 'x-cosmos-block-height': '3' },
    );
    expect(earlier.body).toMatchObject({ data: { transaction: null } });
    expect(earlier.body.errors).toBeUndefined();
  });

  it('needs no index if this server has seen its block', async () => {
    const [from, to] = chain.accounts;
    const coins = [{ denom: 'nhash', amount: '77' }];
    chain.node.faults.noIndex = true;
    await chain.submit(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: coins }));
    const { unconfirmedTransactions } = good<{ unconfirmedTransactions: { txs: { hash: string }[] } }>(
      await stack.ask('{ unconfirmedTransactions { txs { hash } } }'),
    );
    const height = await chain.devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    const [{ hash }] = unconfirmedTransactions.txs as [{ hash: string }];
    chain.node.counters.reset();
    const document = `query($hash: Hex!) { transaction(hash: $hash) { hash height } head { results { txsResults { code } } evidence { type } } }`;
    expect(good(await stack.ask(document, { hash }))).toEqual({
      transaction: { hash, height: `${height}` },
      head: { results: { txsResults: [{ code: 0 }] }, evidence: [] },
    });
    expect(chain.node.counters.log.filter(({ method }) => method !== 'status')).toEqual([]);
    const { body } = await stack.ask(document, { hash: '00'.repeat(32) });
    expect(body.errors?.[0]?.extensions.code).toBe('INDEX_UNAVAILABLE');
    chain.node.heal();
  });

  it('names its timeout and that it is unordered', async () => {
    const { rows } = readRecording('unordered');
    const txs = ['1 first unordered', '15 ordered with a timeout_timestamp', '11 no timeout'].map(
      (name) => rows.find((row) => row.name === name)!.request.params!.tx!,
    );
    chain.node.faults.forge = ({ method }, result) =>
      method === 'unconfirmed_txs' ? { n_txs: '3', total: '3', total_bytes: '1', txs } : result;
    const document = '{ unconfirmedTransactions { txs { timeoutTimestamp unordered timeoutHeight } } }';
    expect(good(await stack.ask(document))).toEqual({
      unconfirmedTransactions: {
        txs: [
          // 1795420262787000000 in the node's text about it.
          { timeoutTimestamp: '2026-11-23T07:51:02.787Z', unordered: true, timeoutHeight: null },
          { timeoutTimestamp: '2026-11-23T07:51:05.822Z', unordered: false, timeoutHeight: null },
          { timeoutTimestamp: null, unordered: true, timeoutHeight: null },
        ],
      },
    });
    chain.node.heal();
  });

  it('is decoded in the mempool too', async () => {
    const [from, to] = chain.accounts;
    const coins = [{ denom: 'nhash', amount: '9' }];
    await chain.submit(to!, any(MsgSendSchema, { fromAddress: to!.address, toAddress: from!.address, amount: coins }));
    const { unconfirmedTransactions } = good<{ unconfirmedTransactions: { txs: { signers: unknown[] }[] } }>(
      await stack.ask('{ unconfirmedTransactions { nTxs txs { hash signers { address } messages { type } } } }'),
    );
    expect(unconfirmedTransactions.txs.at(-1)?.signers).toEqual([{ address: to!.address }]);
  });
});
