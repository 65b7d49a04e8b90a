import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { QueryBalanceRequestSchema } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { converse } from '../../devnet/node/conversation.ts';
import { commitKnown, stateReads } from '../../support/knownRoots.ts';
import { base64, hex, type RpcChain, startRpcChain, transfer } from './rpcChain.ts';

let rpc: RpcChain;

beforeAll(async () => {
  rpc = await startRpcChain();
});

afterAll(async () => {
  expect(rpc.stack.masked).toEqual([]);
  await rpc.close();
});

beforeEach(async () => {
  rpc.chain.node.heal();
  await commitKnown(rpc.chain, rpc.stack);
});

interface Query {
  readonly path: string;
  readonly data: Uint8Array;
  readonly prove?: boolean;
}

/** The response of a query over one transport. */
type Ask = (query: Query) => Promise<JsonObject>;

const responseIn = (json: unknown): JsonObject => (json as { result: { response: JsonObject } }).result.response;
const paramsOf = ({ path, data, prove = false }: Query) => ({
  path,
  data: Buffer.from(data).toString('hex'),
  height: '0',
  prove,
});

const byUri =
  (base: string): Ask =>
  async ({ path, data, prove = false }) =>
    responseIn((await rpc.get(`${base}/abci_query?path="${path}"&data=${hex(data)}&prove=${prove}`)).json);
const byPost =
  (path: string): Ask =>
  async (query) =>
    responseIn((await rpc.call(path, 'abci_query', paramsOf(query))).json);
const inBatch =
  (path: string): Ask =>
  async (query) => {
    const call = { jsonrpc: '2.0', method: 'abci_query', params: paramsOf(query) };
    const { json } = await rpc.post(
      path,
      JSON.stringify([
        { ...call, id: 1 },
        { ...call, id: 2 },
      ]),
    );
    const [one, two] = json as unknown as JsonObject[];
    expect(responseIn(one)).toEqual(responseIn(two));
    return responseIn(one);
  };
const overSocket =
  (base: string): Ask =>
  async (query) => {
    const { send, next, socket } = await converse(`${rpc.url}${base}`);
    send({ id: 1, method: 'abci_query', params: paramsOf(query) });
    const message = await next(({ id }) => id === 1);
    socket.terminate();
    return responseIn(message);
  };

const balanceOf = (address: string): Query => ({
  path: '/cosmos.bank.v1beta1.Query/Balance',
  data: toBinary(QueryBalanceRequestSchema, create(QueryBalanceRequestSchema, { address, denom: 'nhash' })),
});

/** The key of a balance of the bank: the prefix, the address with its length, the denomination. */
const storedBalance = (): Query => ({ path: '/store/group/key', data: Uint8Array.of(0x00) });

describe.each([
  ['by URI', byUri('')],
  ['by URI of /comet', byUri('/comet')],
  ['by POST', byPost('/')],
  ['by POST to /comet', byPost('/comet')],
  ['in a batch', inBatch('/')],
  ['in a batch of /comet', inBatch('/comet')],
  ['over WebSocket', overSocket('')],
  ['over WebSocket of /comet', overSocket('/comet')],
])('abci_query %s', (_, ask) => {
  it('of a query service and of a key needs no read while the roots stand still, and has the height of the request', async () => {
    for (const query of [balanceOf(rpc.chain.accounts[0]!.address), storedBalance()]) {
      const first = await ask(query);
      const height = await commitKnown(rpc.chain, rpc.stack);
      rpc.chain.node.counters.reset();
      const carried = await ask(query);
      expect(stateReads(rpc.chain)).toEqual([]);
      expect(carried).toEqual({ ...first, height: String(height) });
      // The node's own response is the same.
      const own = await fetch(rpc.chain.node.url, {
        method: 'POST',
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'abci_query',
          params: { ...paramsOf(query), height: String(height) },
        }),
      });
      expect(carried).toMatchObject({ value: responseIn(await own.json()).value, code: 0, height: String(height) });
    }
  });

  it('reads again after a change', async () => {
    const { address } = rpc.chain.accounts[9]!;
    const before = await ask(balanceOf(address));
    await rpc.call('/', 'broadcast_tx_sync', { tx: base64(transfer(rpc.chain, 5)) });
    await rpc.commitNext();
    const height = await commitKnown(rpc.chain, rpc.stack);
    const after = await ask(balanceOf(address));
    expect(after).toMatchObject({ code: 0, height: String(height) });
    expect(after.value).not.toBe(before.value);
  });

  it('with a proof, of a prefix, and a refusal are read at each height', async () => {
    const refused: Query = { path: '/cosmos.group.v1.Query/GroupInfo', data: Uint8Array.of(0x08, 0x63) };
    const proven: Query = { ...storedBalance(), prove: true };
    const prefix: Query = { path: '/store/group/subspace', data: Uint8Array.of(0x00) };
    for (let block = 0; block < 2; block += 1) {
      const height = await commitKnown(rpc.chain, rpc.stack);
      rpc.chain.node.counters.reset();
      const responses = [await ask(refused), await ask(proven), await ask(prefix)];
      expect(responses.map((response) => response.height)).toEqual([String(height), String(height), String(height)]);
      expect(responses[0]).toMatchObject({ code: 22 });
      expect(responses[1]).toMatchObject({ proofOps: { ops: expect.anything() } });
      const paths = stateReads(rpc.chain);
      expect([paths.includes(refused.path), paths.includes(prefix.path)]).toEqual([true, true]);
      const proofs = rpc.chain.node.counters.log.filter(({ params }) => (params as { data?: string }).data === '00');
      expect(proofs.length).toBeGreaterThan(0);
    }
  });
});
