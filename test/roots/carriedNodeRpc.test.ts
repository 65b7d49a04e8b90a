import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/chain/wire/json.ts';
import { QueryBalanceRequestSchema } from '../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { PairsSchema } from '../../src/proto/cosmos/store/internal/kv/v1beta1/kv_pb.js';
import { converse } from '../devnet/node/conversation.ts';
import { base64, hex, type RpcChain, startRpcChain, transfer } from '../http/nodeRpc/rpcChain.ts';
import { takeTurns } from '../support/atRandom.ts';
import { createGroup } from '../support/groups.ts';
import { commitKnown, stateReads } from './knownRoots.ts';

let rpc: RpcChain;

beforeAll(async () => {
  rpc = await startRpcChain();
  const [one, two] = rpc.chain.accounts;
  await createGroup(rpc.chain, [
    [one!, '1'],
    [two!, '1'],
  ]);
  await rpc.commit();
  for (let prefix = 0; storedKey === undefined && prefix < 256; prefix += 1) {
    const { value } = await byPost('/comet')({ path: '/store/group/subspace', data: Uint8Array.of(prefix) });
    const { pairs } = fromBinary(PairsSchema, bytesOf(value, 'base64') ?? new Uint8Array());
    storedKey = pairs.find((pair) => pair.value.length > 0)?.key;
  }
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

/** A key of a store that has a value. */
let storedKey: Uint8Array | undefined;
const keyQuery = (): Query => ({ path: '/store/group/key', data: storedKey! });

/** The bytes of a value, which is empty in one dialect if there is none. Null if there is none. */
function bytesOf(value: unknown, encoding: 'hex' | 'base64'): Buffer | null {
  return typeof value === 'string' && value !== '' ? Buffer.from(value, encoding) : null;
}

const ways = [
  ['by URI', byUri(''), 'hex'],
  ['by URI of /comet', byUri('/comet'), 'base64'],
  ['by POST', byPost('/'), 'hex'],
  ['by POST to /comet', byPost('/comet'), 'base64'],
  ['in a batch', inBatch('/'), 'hex'],
  ['in a batch of /comet', inBatch('/comet'), 'base64'],
  ['over WebSocket', overSocket(''), 'hex'],
  ['over WebSocket of /comet', overSocket('/comet'), 'base64'],
] as const;

describe.each(ways)('abci_query %s', (name, ask, encoding) => {
  const turn = takeTurns(
    ways.map(([each]) => each),
    name,
  );

  it.runIf(turn())(
    'of a query service and of a key needs no read while the roots stand still, and has the height of the request',
    async () => {
      for (const query of [balanceOf(rpc.chain.accounts[0]!.address), keyQuery()]) {
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
        const { value } = responseIn(await own.json());
        expect(bytesOf(carried.value, encoding)).toEqual(bytesOf(value, 'base64'));
        expect(bytesOf(value, 'base64')).not.toBeNull();
      }
    },
  );

  it.runIf(turn())('reads again after a change', async () => {
    const { address } = rpc.chain.accounts[9]!;
    const before = await ask(balanceOf(address));
    await rpc.call('/', 'broadcast_tx_sync', { tx: base64(transfer(rpc.chain, 5)) });
    await rpc.commitNext();
    const height = await commitKnown(rpc.chain, rpc.stack);
    const after = await ask(balanceOf(address));
    expect([Number(after.code), after.height]).toEqual([0, String(height)]);
    expect(after.value).not.toBe(before.value);
  });

  it.runIf(turn())('with a proof, of a prefix, and a refusal are read at each height', async () => {
    const refused: Query = { path: '/cosmos.group.v1.Query/GroupInfo', data: Uint8Array.of(0x08, 0x63) };
    const proven: Query = { ...keyQuery(), prove: true };
    const prefix: Query = { path: '/store/group/subspace', data: Uint8Array.of(0x00) };
    for (let block = 0; block < 2; block += 1) {
      const height = await commitKnown(rpc.chain, rpc.stack);
      rpc.chain.node.counters.reset();
      const responses = [await ask(refused), await ask(proven), await ask(prefix)];
      expect(responses.map((response) => response.height)).toEqual([String(height), String(height), String(height)]);
      expect(Number(responses[0]!.code)).toBeGreaterThan(0);
      expect(responses[1]!.proof ?? responses[1]!.proofOps).toBeTruthy();
      const paths = stateReads(rpc.chain);
      expect([paths.includes(refused.path), paths.includes(prefix.path)]).toEqual([true, true]);
      const proofs = rpc.chain.node.counters.log.filter(
        ({ params }) => (params as { data?: string }).data === Buffer.from(storedKey!).toString('hex'),
      );
      expect(proofs.length).toBeGreaterThan(0);
    }
  });
});
