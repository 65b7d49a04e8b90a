import { afterAll, beforeAll, expect, it } from 'vitest';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { authenticatorOf, startIssuer } from '../support/issuer.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Stack, startStack } from '../support/stack.ts';

const secret = 'a secret of at least thirty-two characters';
const document = 'subscription { newBlock { height } }';

let chain: TestChain;
let stack: Stack;
let receiver: Receiver;

beforeAll(async () => {
  [chain, receiver] = await Promise.all([startChain(), startReceiver()]);
  stack = await startStack([chain.node.url], {
    archive: { records: true },
    server: { webhooks: { secret, networks: ['127.0.0.1'], schedule: [20] } },
  });
});

afterAll(async () => {
  await stack.close();
  await receiver.close();
  await chain.devnet.close();
});

/** A body of a response. Its members are compared. */
type Json = { readonly id: string; readonly secret?: string; readonly items?: unknown } & Readonly<Record<string, unknown>>;

async function send(method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }> {
  const response = await fetch(`${stack.server.url}/v1/webhooks${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  expect(response.headers.get('cache-control')).toBe('no-store');
  return { status: response.status, json: (await response.json()) as Json };
}

it('does over /v1 what GraphQL does: each operation, on the same webhooks', async () => {
  const after = chain.devnet.height;
  const { status, json: hook } = await send('POST', '', {
    url: `${receiver.url}/rest`,
    document,
    after: after.toString(),
    signing: 'HMAC',
    description: 'one',
  });
  expect([status, hook.state, hook.variables, hook.publicKey]).toEqual([201, 'ACTIVE', {}, null]);
  expect(hook.secret).toMatch(/^whsec_/);
  for (let block = 0; block < 3; block += 1) await chain.devnet.commit();
  await receiver.until((all) => all.length >= 3);
  const { id } = hook;
  await expect
    .poll(async () => (await send('GET', `/${id}/deliveries?status=DELIVERED&first=2`)).json.items)
    .toMatchObject([
      { sequence: '3', state: 'DELIVERED', responseStatus: 204, error: null },
      { sequence: '2', height: (after + 2n).toString() },
    ]);
  expect((await send('GET', `/${id}/deliveries?after=2`)).json.items).toMatchObject([{ sequence: '1' }]);
  await expect
    .poll(async () => (await send('GET', '')).json.items)
    .toMatchObject([{ id, sequence: '3', lag: '0', secret: null }]);
  expect((await send('GET', `/${id}`)).json).toMatchObject({ id, height: chain.devnet.height.toString() });
  expect((await send('PATCH', `/${id}`, { description: 'two' })).json).toMatchObject({ id, description: 'two', document });
  expect((await send('POST', `/${id}/pause`)).json).toMatchObject({ state: 'PAUSED', reason: 'OWNER' });
  expect((await send('POST', `/${id}/pause`, { paused: false })).json).toMatchObject({ state: 'ACTIVE', reason: null });
  const rotated = (await send('POST', `/${id}/rotateSecret`)).json;
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(hook.secret);
  expect((await send('POST', `/${id}/test`)).json).toMatchObject({ responseStatus: 204, error: null });
  expect(receiver.received.at(-1)!.body.test).toBe(true);
  await send('POST', `/${id}/redeliver`, { from: (after + 1n).toString(), to: (after + 2n).toString() });
  await receiver.until((all) => all.filter(({ body }) => body.redelivery === true).length === 2);
  const { body } = await stack.ask('{ webhooks { id description } }');
  expect(body.data).toEqual({ webhooks: [{ id, description: 'two' }] });
  expect((await send('DELETE', `/${id}`)).json).toEqual({ id });
  expect((await send('GET', `/${id}`)).json).toMatchObject({ code: 'NOT_FOUND', field: 'id' });
});

it('refuses what is wrong with the member, a status, and its bound', async () => {
  const url = `${receiver.url}/x`;
  const cases: readonly (readonly [string, string, unknown, number, object])[] = [
    ['POST', '', { document }, 400, { field: 'url' }],
    ['POST', '', { url, document, after: 1 }, 400, { field: 'after', bound: 'a JSON string' }],
    ['POST', '', { url, document, after: '2,5' }, 400, { field: 'after', value: '2,5', bound: 'a whole number, in decimal' }],
    ['POST', '', { url, document, variables: [] }, 400, { field: 'variables', bound: 'a JSON object' }],
    ['POST', '', { url, document: '{ head { height } }' }, 400, { field: 'document' }],
    ['POST', '', { url: 'http://10.0.0.1/', document }, 400, { field: 'url' }],
    ['POST', '', { url, document, signing: 'RSA' }, 400, { field: 'signing', bound: 'one of ED25519, HMAC' }],
    ['POST', '', [], 400, { field: 'body', bound: 'a JSON object' }],
    ['GET', '?first=1', undefined, 400, { field: 'first' }],
    ['GET', '/wh_absent', undefined, 404, { code: 'NOT_FOUND' }],
    ['DELETE', '/wh_absent', undefined, 404, { code: 'NOT_FOUND' }],
    ['GET', '/wh_absent/nothing', undefined, 404, {}],
    ['PUT', '', {}, 405, {}],
    ['GET', '/wh_absent/test', undefined, 405, {}],
  ];
  for (const [method, path, body, status, members] of cases) {
    const answer = await send(method, path, body);
    expect([method, path, answer.status]).toEqual([method, path, status]);
    expect(answer.json).toMatchObject({ code: expect.any(String), message: expect.any(String), ...members });
  }
  const { json } = await send('POST', '', { url, document });
  for (const query of ['first=0', 'first=101', 'first=x', 'status=LOST', 'after=-1', 'first=1&first=2'])
    expect((await send('GET', `/${json.id}/deliveries?${query}`)).status).toBe(400);
  await send('DELETE', `/${json.id}`);
});

it.runIf(runsAll)('is described, and a server without webhooks has neither the paths nor their description', async () => {
  const text = await (await fetch(`${stack.server.url}/openapi/application.json`)).text();
  const described = JSON.parse(text).paths as Record<string, Record<string, { operationId: string }>>;
  const operations = Object.entries(described).flatMap(([path, methods]) =>
    path.startsWith('/v1/webhooks') ? Object.values(methods).map(({ operationId }) => operationId) : [],
  );
  expect(operations.toSorted()).toEqual([
    'createWebhook',
    'deleteWebhook',
    'getWebhook',
    'getWebhookDeliveries',
    'getWebhooks',
    'pauseWebhook',
    'redeliver',
    'rotateWebhookSecret',
    'testWebhook',
    'updateWebhook',
  ]);
  const other = await startStack([chain.node.url]);
  expect((await fetch(`${other.server.url}/v1/webhooks`)).status).toBe(404);
  expect(await (await fetch(`${other.server.url}/openapi/application.json`)).text()).not.toContain('/v1/webhooks');
  await other.close();
});

it.runIf(runsAll)('needs the scope webhooks', async () => {
  const issuer = await startIssuer();
  const guarded = await startStack([chain.node.url], {
    archive: { records: true },
    server: { auth: authenticatorOf(issuer), webhooks: { secret, networks: [] } },
  });
  const ask = async (scope: string): Promise<number> =>
    (
      await fetch(`${guarded.server.url}/v1/webhooks`, {
        headers: { authorization: `Bearer ${await issuer.sign({ sub: 'somebody', scope })}` },
      })
    ).status;
  expect([await ask('read'), await ask('webhooks')]).toEqual([403, 200]);
  await guarded.close();
  await issuer.close();
});
