import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { get } from './rest.ts';

let chain: TestChain;
let issuer: TestIssuer;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  issuer = await startIssuer();
  stack = await startStack([chain.node.url], {
    server: { auth: authenticatorOf(issuer), limits: { 'rate.failedAuthentications': 0 } },
  });
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
});

afterEach(() => {
  expect(stack.masked).toEqual([]);
  chain.node.heal();
});

afterAll(async () => {
  await stack.close();
  await issuer.close();
  await chain.devnet.close();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const path = '/cosmos/group/v1/groups';
const bases = ['', '/rest'];

describe('a token', () => {
  it.each(bases)('%s: is required, even for unknown paths, and the error has the format of grpc-gateway', async (base) => {
    for (const [headers, challenge] of [
      [{}, 'Bearer'],
      [bearer('nonsense'), 'Bearer error="invalid_token"'],
    ] as const) {
      for (const each of [path, '/cosmos/nothing']) {
        const { status, body, headers: responseHeaders } = await get(stack.server, base + each, headers);
        expect([status, body.code, responseHeaders.get('www-authenticate')]).toEqual([401, 16, challenge]);
        const info = expect.objectContaining({ reason: 'UNAUTHENTICATED', domain: 'stele' });
        expect(body.details).toEqual(base === '' ? [info] : []);
      }
    }
  });

  it.each(bases)('%s: without the scope `read` is 403, with it 200', async (base) => {
    const { status, body } = await get(stack.server, base + path, bearer(await issuer.sign({ scope: 'broadcast' })));
    expect([status, body.code]).toEqual([403, 7]);
    expect((await get(stack.server, base + path, bearer(await issuer.sign({ scope: 'read' })))).status).toBe(200);
  });
});

describe('BroadcastTx at /rest', () => {
  const sending = '/rest/cosmos/tx/v1beta1/txs';

  async function send(body: object, scope = 'read broadcast') {
    const headers = { 'content-type': 'application/json', ...bearer(await issuer.sign({ scope })) };
    return get(stack.server, sending, headers, { method: 'POST', body: JSON.stringify(body) });
  }

  function signed(amount: string, options = {}): string {
    const [from, to] = chain.accounts;
    const message = any(MsgSendSchema, {
      fromAddress: from!.address,
      toAddress: to!.address,
      amount: [{ denom: 'nhash', amount }],
    });
    return Buffer.from(chain.sign(from!, [message], options)).toString('base64');
  }

  const hashOf = (tx: string) => createHash('sha256').update(Buffer.from(tx, 'base64')).digest('hex').toUpperCase();

  it('sends a transaction, which the next block includes; a repetition is reported as a duplicate', async () => {
    const tx = signed('1');
    const { status, body } = await send({ tx_bytes: tx, mode: 'BROADCAST_MODE_SYNC' });
    expect(status).toBe(200);
    expect(body.tx_response).toMatchObject({ code: 0, codespace: '', txhash: hashOf(tx), height: '0', events: [], tx: null });
    expect((await send({ tx_bytes: tx, mode: 'BROADCAST_MODE_SYNC' })).body.tx_response).toMatchObject({
      code: 19,
      codespace: 'sdk',
    });
    const height = await chain.devnet.commit();
    const block = await stack.client.call('block', { height: height.toString() }, { height });
    expect(JSON.stringify(block)).toContain(tx);
  });

  it('sends without waiting, and accepts the camelCase names of the fields', async () => {
    const tx = signed('2');
    const { body } = await send({ txBytes: tx, mode: 3 });
    expect(body.tx_response).toMatchObject({ code: 0, txhash: hashOf(tx) });
    await chain.devnet.commit();
  });

  it('a rejection by CheckTx is data', async () => {
    const { status, body } = await send({ tx_bytes: 'AQID', mode: 'BROADCAST_MODE_SYNC' });
    expect([status, body.tx_response.code, body.tx_response.codespace]).toEqual([200, 2, 'sdk']);
    expect(body.tx_response.raw_log).not.toBe('');
  });

  it('a mempool error has the code of the SDK', async () => {
    chain.node.faults.call = ({ method }) =>
      method.startsWith('broadcast')
        ? {
            rpc: {
              code: -32603,
              message: 'Internal error',
              data: 'mempool is full: number of txs 1 (max: 1), total txs bytes 1 (max: 1)',
            },
          }
        : undefined;
    const { status, body } = await send({ tx_bytes: signed('3'), mode: 'BROADCAST_MODE_SYNC' });
    expect([status, body.tx_response.code]).toEqual([200, 20]);
  });

  it('rejects requests without the scope and invalid transactions, and sends nothing', async () => {
    chain.node.counters.reset();
    const tx = signed('4');
    expect((await send({ tx_bytes: tx, mode: 'BROADCAST_MODE_SYNC' }, 'read')).status).toBe(403);
    const noMode = 'unsupported return type unspecified; supported types: sync, async';
    const cases: readonly (readonly [body: object, status: number, code: number, message: string])[] = [
      [{}, 400, 3, 'invalid empty tx'],
      [{ tx_bytes: '', mode: 2 }, 400, 3, 'invalid empty tx'],
      [{ tx_bytes: '!', mode: 2 }, 400, 3, 'illegal base64 data at input byte 0'],
      [{ tx_bytes: 'AQI', mode: 2 }, 400, 3, 'illegal base64 data at input byte 0'],
      [{ tx_bytes: 7, mode: 2 }, 400, 3, 'json: cannot unmarshal number into Go value of type []uint8'],
      [{ tx_bytes: tx, mode: 'SYNC' }, 400, 3, 'unknown value "SYNC" for enum cosmos.tx.v1beta1.BroadcastMode'],
      [{ tx_bytes: tx }, 500, 2, noMode],
      [{ tx_bytes: tx, mode: 9 }, 500, 2, noMode],
      [{ tx_bytes: tx, mode: 'BROADCAST_MODE_BLOCK' }, 500, 2, noMode],
    ];
    for (const [body, status, code, message] of cases) {
      const answer = await send(body);
      expect([answer.status, answer.body]).toEqual([status, { code, message, details: [] }]);
    }
    expect(Object.keys(chain.node.counters.byMethod).filter((method) => method.startsWith('broadcast'))).toEqual([]);
  });

  it('does not exist in the documented dialect', async () => {
    const headers = { 'content-type': 'application/json', ...bearer(await issuer.sign()) };
    const { status } = await get(stack.server, '/cosmos/tx/v1beta1/txs', headers, { method: 'POST', body: '{}' });
    expect([404, 405]).toContain(status);
  });
});
