import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { get as ask, type RestReply } from '../http/rest/rest.ts';
import { readRecording } from '../recordings/recordings.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { shapeOf } from './node/shape.ts';
import { executeRecordedChain, type RecordedChain } from './recordedChain.ts';

let chain: RecordedChain;
let stack: Stack;

beforeAll(async () => {
  chain = await executeRecordedChain();
  stack = await startStack([chain.url]);
  await stack.client.head.ready();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const get = (path: string): Promise<RestReply> => ask(stack.server, path);

/** The devnet estimates the gas used, and the total depends on the height of the chain. */
function comparable(body: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(body), (key, value) => (key === 'gas_used' || key === 'total' ? '' : value)) as JsonValue;
}

/** The transaction of the recorded block 25. */
async function voteRow(): Promise<JsonObject> {
  return (await get(`/rest${rows[0]!.url}`)).body.tx;
}

const rows = readRecording('rest').filter(({ url }) => url.startsWith('/cosmos/tx/'));

describe("transactions by the SDK's own service, over the devnet", () => {
  it.each(rows.map((row) => [row.name, row] as const))('%s, as recorded over REST', async (_, row) => {
    const { status, body } = await get(`/rest${row.url}`);
    expect([status, comparable(body)]).toEqual([row.status, comparable(row.body)]);
  });

  it('there are three rows, and the pages of a search are in the requested order', async () => {
    expect(rows).toHaveLength(3);
    const query = encodeURIComponent("message.action='/cosmos.group.v1.MsgVote'");
    const hashes = async (rest: string): Promise<readonly string[]> => {
      const { body } = await get(`/rest/cosmos/tx/v1beta1/txs?query=${query}&${rest}`);
      expect(Number(body.total)).toBeGreaterThan(20);
      return body.tx_responses.map(({ txhash }: { txhash: string }) => txhash);
    };
    const all = await hashes('limit=100');
    expect(await hashes('page=2&limit=5')).toEqual(all.slice(5, 10));
    expect(await hashes('page=1&limit=3&order_by=ORDER_BY_DESC')).toEqual(all.toReversed().slice(0, 3));
    expect(await hashes('')).toEqual(all);
  });

  it.each([
    ['txs/zz', "encoding/hex: invalid byte: U+007A 'z'"],
    ['txs/abc', 'encoding/hex: odd length hex string'],
    ['txs', 'query cannot be empty'],
    ['txs?query=tx.height%3D1%20OR%20a', 'offset 12: got tag, want 6'],
    ['txs?query=tx.height%3E0&page=99', /^page should be within \[1, \d+\] range, given 99$/],
  ])("%s is rejected with the node's error", async (path, message) => {
    const { status, body } = await get(`/rest/cosmos/tx/v1beta1/${path}`);
    const expectedMessage = message instanceof RegExp ? expect.stringMatching(message) : message;
    expect([status, body]).toEqual([500, { code: 2, message: expectedMessage, details: [] }]);
  });

  it('are in the response for their block, page by page', async () => {
    const { txs, block, pagination } = (await get('/rest/cosmos/tx/v1beta1/txs/block/25')).body;
    expect(block.header.height).toBe('25');
    expect([txs.length, pagination]).toEqual([block.data.txs.length, { next_key: null, total: String(block.data.txs.length) }]);
    expect(txs[0].signatures).toEqual((await voteRow()).signatures);
    const behind = await get(`/rest/cosmos/tx/v1beta1/txs/block/25?pagination.offset=${txs.length}`);
    expect(behind.body.txs).toEqual([]);
    const above = await get('/rest/cosmos/tx/v1beta1/txs/block/9999');
    const words = `requested height 9999 but height must not be less than 1 or greater than the current height ${chain.devnet.height}`;
    expect([above.status, above.body]).toEqual([400, { code: 3, message: words, details: [] }]);
  });

  it('are not found by a node without an index', async () => {
    const [found] = rows;
    chain.devnet.nodes[0]!.faults.noIndex = true;
    const { body } = await get(`/rest${found!.url}`);
    chain.devnet.nodes[0]!.faults.noIndex = false;
    expect(body).toEqual({ code: 2, message: 'transaction indexing is disabled', details: [] });
  });
});

describe("the node's own service, over the devnet", () => {
  const service = '/rest/cosmos/base/tendermint/v1beta1';

  it.each(
    readRecording('rest')
      .filter(({ url }) => url.startsWith('/cosmos/base/'))
      .map((row) => [row.name, row] as const),
  )('%s has the shape of what a real node said over REST', async (_, row) => {
    const { status, body } = await get(`/rest${row.url}`);
    // The build information is not compared, and the block was empty.
    const shown = (text: JsonValue): JsonValue =>
      JSON.parse(JSON.stringify(text), (key, value) => (['build_deps', 'txs'].includes(key) ? [] : value)) as JsonValue;
    expect([status, shapeOf(shown(body))]).toEqual([row.status, shapeOf(shown(row.body))]);
  });

  it("returns each block with the data of the node's RPC", async () => {
    const { body } = await get(`${service}/blocks/25`);
    const { result } = await chain.call('block', { height: '25' });
    const own = (result as { block_id: { hash: string }; block: { data: JsonObject } }).block_id.hash;
    expect(body.block_id.hash).toBe(Buffer.from(own, 'hex').toString('base64'));
    expect(body.block.data).toEqual((result as { block: { data: JsonObject } }).block.data);
    const above = await get(`${service}/blocks/9999`);
    const words = 'requested block height is bigger then the chain length';
    expect([above.status, above.body]).toEqual([400, { code: 3, message: words, details: [] }]);
  });

  it('returns the validators at a height, and of the next block', async () => {
    const set = async (height: string): Promise<JsonObject> => (await get(`${service}/validatorsets/${height}`)).body;
    const { block_height: latest, validators } = await set('latest');
    expect(latest).toBe(String(chain.devnet.height + 1n));
    expect(validators).toEqual([
      {
        address: expect.stringMatching(/^tpvalcons1/),
        pub_key: { '@type': '/cosmos.crypto.ed25519.PubKey', key: expect.any(String) },
        voting_power: expect.stringMatching(/^\d+$/),
        proposer_priority: '0',
      },
    ]);
    expect(await set('25')).toEqual({ block_height: '25', validators, pagination: { next_key: null, total: '1' } });
  });
});
