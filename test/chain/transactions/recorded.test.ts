import { afterAll, beforeAll, expect, it } from 'vitest';
import { isChainError } from '../../../src/chain/base/errors.ts';
import { type Client, createClient } from '../../../src/chain/client.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { type RpcRow, readRecording } from '../../recordings/recordings.ts';
import { createStubNode, StubError, type StubNode } from '../stubNode.ts';

let stub: StubNode;
let client: Client;

beforeAll(async () => {
  stub = await createStubNode({});
  stub.methods.tx = ({ hash }) => {
    throw new StubError(`tx (${Buffer.from(String(hash), 'base64').toString('hex').toUpperCase()}) not found`);
  };
  client = createClient({ transport: http(stub.url), broadcaster: { commitWait: 300, grace: 200 } });
  await client.head.ready();
});

afterAll(async () => {
  await client.close();
  await stub.close();
});

interface Call {
  readonly method: string;
  readonly params: { readonly tx: string };
}

/** The recorded calls of unordered transactions, in the form of rpc.json. */
const unordered = readRecording('unordered').rows.flatMap(({ name, request, response }): RpcRow[] => {
  const { method, params = {} } = request;
  if (method === undefined) return [];
  const body = 'error' in response ? response : { result: response };
  return [{ name: `unordered ${name}`, via: 'POST /', request: { method, params }, status: 200, headers: {}, response: body }];
});

/** Every recorded broadcast over POST with readable arguments: the call and its response. */
const rows = [...readRecording('rpc'), ...readRecording('limits'), ...unordered].flatMap((row) => {
  if ('frames' in row) return [];
  const { method, params } = callOf(row);
  return /^(broadcast_tx_(sync|async)|check_tx)$/.test(method) && !row.name.includes('not base64')
    ? [{ name: row.name, method, tx: Buffer.from(params.tx, 'base64'), response: row.response as JsonObject }]
    : [];
});

function callOf({ name, request }: RpcRow): Call {
  if (typeof request === 'object' && request !== null && 'method' in request) return request as unknown as Call;
  const large = name === 'broadcast_tx_sync 740,000 bytes' ? Buffer.alloc(740_000, 1).toString('base64') : '';
  return { method: large === '' ? '' : 'broadcast_tx_sync', params: { tx: large } };
}

it('there are recordings of each kind', () => {
  expect(new Set(rows.map(({ method }) => method)).size).toBe(3);
  expect(rows.length).toBeGreaterThan(25);
});

it.each(rows)('the recorded response is understood: $name', async ({ name, method, tx, response }) => {
  const { result, error } = response as { result?: Record<string, string | number>; error?: { data: string } };
  stub.methods[method] = () => {
    if (error !== undefined) throw new StubError(error.data);
    return result as JsonObject;
  };
  if (method === 'check_tx') {
    // A second check in the same block returns a cached result, so each check gets its own block.
    stub.commit();
    await client.head.waitFor(stub.height, { milliseconds: 30_000 });
    expect(await client.broadcaster.check(tx)).toMatchObject({
      code: result!.code,
      log: result!.log,
      codespace: result!.codespace,
      gasWanted: BigInt(result!.gas_wanted!),
      gasUsed: BigInt(result!.gas_used!),
    });
    return;
  }
  const isSync = method === 'broadcast_tx_sync';
  const outcome = await (isSync ? client.broadcaster.sync(tx) : client.broadcaster.async(tx)).catch(
    (reason: unknown) => reason,
  );
  expect(stub.calls(method).at(-1)!.params).toEqual({ tx: tx.toString('base64') });
  if (error === undefined) {
    const { code, log, codespace, hash } = result!;
    const checkTx = isSync ? { code, log, codespace } : null;
    const status = isSync ? (code === 0 ? 'ACCEPTED' : 'REJECTED') : 'SENT';
    expect(outcome).toMatchObject({ hash, status, checkTx, duplicate: false, attempts: [{ error: null }] });
  } else if (error.data === 'tx already exists in cache') {
    const known = { status: isSync ? 'ACCEPTED' : 'SENT', duplicate: true, attempts: [{ outcome: 'DUPLICATE', error: null }] };
    expect(outcome).toMatchObject(known);
  } else {
    if (!isChainError(outcome, 'MEMPOOL_REJECTED')) throw new Error(`${name} is no refusal of the mempool`);
    expect(outcome.message).toBe(error.data);
    expect(outcome.facts.reason).toBe(/full/.test(error.data) ? 'FULL' : 'TOO_LARGE');
  }
});
