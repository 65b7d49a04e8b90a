import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import * as groups from '../support/groups.ts';
import { type Received, type Receiver, type Respond, startReceiver } from '../support/receiver.ts';
import { type Stack, type StackOptions, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;
let receiver: Receiver;
let respond: Respond;

const secret = 'a secret of at least thirty-two characters';
const newBlocks = 'subscription { newBlock { height } }';
/** Short waits, so that tests of retries end. */
const schedule = [20, 20, 20];

function open(...options: readonly StackOptions[]): Promise<Stack> {
  return startStack(
    [chain.node.url],
    { archive: { records: true }, server: { webhooks: { secret, networks: ['127.0.0.0/8'], schedule } } },
    ...options,
  );
}

beforeEach(async () => {
  respond = () => 204;
  chain = await startChain();
  receiver = await startReceiver((...args) => respond(...args));
  stack = await open();
});

afterEach(async () => {
  await stack.close();
  await receiver.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

interface Hook {
  readonly id: string;
  readonly secret: string | null;
  readonly publicKey: string | null;
  readonly state: string;
  readonly reason: string | null;
  readonly sequence: string;
  readonly height: string;
  readonly tries: number;
}
const hookFields = 'id secret publicKey state reason sequence height tries';

async function mutate(field: string, args: string, variables: object = {}): Promise<{ webhook: Hook; errors?: unknown }> {
  const { body } = await stack.ask(
    `mutation($input: CreateWebhookInput) { ${field}(${args}) { webhook { ${hookFields} } } }`.replace(
      '($input: CreateWebhookInput)',
      'input' in variables ? '($input: CreateWebhookInput!)' : '',
    ),
    variables as Record<string, unknown>,
  );
  if (body.errors !== undefined) return { webhook: undefined as never, errors: body.errors };
  return (body.data as Record<string, { webhook: Hook }>)[field]!;
}

async function create(input: object = {}): Promise<Hook> {
  const { webhook, errors } = await mutate('createWebhook', 'input: $input', {
    input: { url: `${receiver.url}/hook`, document: newBlocks, ...input },
  });
  expect(errors).toBeUndefined();
  return webhook;
}

async function find(id: string): Promise<Hook | null> {
  const { body } = await stack.ask(`{ webhook(id: "${id}") { ${hookFields} } }`);
  return (body.data as { webhook: Hook | null }).webhook;
}

const heights = (received: readonly Received[]): string[] => received.map(({ body }) => body.height);

describe('webhooks', () => {
  it('deliver each event of a subscription once, in order, with ids that lead from one to the next', async () => {
    const after = chain.devnet.height;
    const hook = await create();
    for (let block = 0; block < 5; block += 1) await chain.devnet.commit();
    await receiver.until((all) => all.length >= 5);
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies.map(({ height }) => BigInt(height) - after)).toEqual([1n, 2n, 3n, 4n, 5n]);
    expect(bodies.map(({ sequence }) => sequence)).toEqual(['1', '2', '3', '4', '5']);
    expect(bodies.map(({ previous }) => previous)).toEqual([null, ...bodies.slice(0, -1).map(({ id }) => id)]);
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(5);
    expect(bodies[0]).toMatchObject({ webhook: hook.id, data: { newBlock: { height: bodies[0]!.height } } });
    expect(Date.parse(bodies[0]!.time)).toBeGreaterThan(0);
    for (const { headers, body } of receiver.received) expect(headers['webhook-id']).toBe(body.id);
  });

  it('begin with history after a height', async () => {
    for (let block = 0; block < 5; block += 1) await chain.devnet.commit();
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 10_000 });
    await create({ after: (chain.devnet.height - 3n).toString() });
    await receiver.until((all) => all.length >= 3);
    expect(heights(receiver.received)).toEqual([2n, 1n, 0n].map((back) => String(chain.devnet.height - back)));
  });

  it('sign with Ed25519, or with HMAC as the library verifies, and with both keys during a rotation', async () => {
    const one = await create();
    const two = await create({ signing: 'HMAC', url: `${receiver.url}/hmac` });
    expect([one.secret, two.publicKey]).toEqual([null, null]);
    await chain.devnet.commit();
    await receiver.until((all) => all.length >= 2);
    const of = (path: string): Received => receiver.received.findLast((each) => each.path === path)!;
    const [ed, hmac] = [of('/hook'), of('/hmac')];
    const key = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(one.publicKey!.slice(5), 'base64')]),
      format: 'der',
      type: 'spki',
    });
    const isValid = ({ headers, text }: Received): boolean => {
      const signature = String(headers['webhook-signature']).replace('v1a,', '');
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
      return verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'));
    };
    expect(isValid(ed)).toBe(true);
    expect(isValid({ ...ed, text: `${ed.text} ` })).toBe(false);
    const verifier = new Webhook(two.secret!);
    const headersOf = ({ headers }: Received) => headers as Record<string, string>;
    expect(verifier.verify(hmac.text, headersOf(hmac))).toMatchObject({ webhook: two.id });
    expect(() => verifier.verify(`${hmac.text} `, headersOf(hmac))).toThrow('No matching signature');
    expect(() => verifier.verify(hmac.text, { ...headersOf(hmac), 'webhook-timestamp': '1700000000' })).toThrow('too old');
    expect(() => new Webhook(Buffer.from('another').toString('base64')).verify(hmac.text, headersOf(hmac))).toThrow();

    const { webhook: next } = await mutate('rotateWebhookSecret', `id: "${two.id}"`);
    expect(next.secret).not.toBe(two.secret);
    // The queue reads the new key beside the blocks, so the first delivery after the mutation may have the old one.
    const hasBoth = ({ path, headers }: Received): boolean =>
      path === '/hmac' && String(headers['webhook-signature']).includes(' ');
    for (let count = of('/hmac').body.sequence; !receiver.received.some(hasBoth); count = of('/hmac').body.sequence) {
      await chain.devnet.commit();
      await receiver.until(() => of('/hmac').body.sequence !== count);
    }
    for (const each of [two.secret!, next.secret!])
      expect(new Webhook(each).verify(of('/hmac').text, headersOf(of('/hmac')))).toBeDefined();
    expect(await find(two.id)).toMatchObject({ secret: null });
  });

  it('try again with the same id, hold back their own queue only, and pause after the last try', async () => {
    let failures = 2;
    respond = ({ path }) => {
      if (path === '/dead') return 500;
      if (path === '/slow' && failures > 0) {
        failures -= 1;
        return 503;
      }
      return 204;
    };
    const [slow, dead] = [await create({ url: `${receiver.url}/slow` }), await create({ url: `${receiver.url}/dead` })];
    await create();
    await chain.devnet.commit();
    await chain.devnet.commit();
    const at = (path: string) => receiver.received.filter((each) => each.path === path).map(({ body }) => body);
    await receiver.until(() => at('/slow').length >= 4 && at('/dead').length >= 4 && at('/hook').length >= 2);
    expect(at('/slow').map(({ sequence }) => sequence)).toEqual(['1', '1', '1', '2']);
    expect(new Set(at('/slow').map(({ id }) => id)).size).toBe(2);
    expect(at('/dead').map(({ sequence }) => sequence)).toEqual(['1', '1', '1', '1']);
    await expect.poll(() => find(dead.id)).toMatchObject({ state: 'PAUSED', reason: 'RECEIVER_FAILED', sequence: '0' });
    const { body } = await stack.ask(`{ webhookDeliveries(webhook: "${dead.id}") { state tries responseStatus } }`);
    expect(body.data).toEqual({ webhookDeliveries: [{ state: 'FAILED', tries: 4, responseStatus: 500 }] });
    // It continues where it stopped.
    respond = () => 204;
    await mutate('pauseWebhook', `id: "${dead.id}", paused: false`);
    await receiver.until(() => at('/dead').length >= 6);
    expect(at('/dead').map(({ sequence }) => sequence)).toEqual(['1', '1', '1', '1', '1', '2']);
    await expect.poll(() => find(slow.id)).toMatchObject({ state: 'ACTIVE', sequence: '2' });
  });

  it.runIf(runsAll)('are disabled by 410, and follow no redirect', async () => {
    respond = ({ path }, _request, response) => {
      if (path === '/gone') return 410;
      if (path !== '/moved') return 204;
      response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
      return undefined;
    };
    const gone = await create({ url: `${receiver.url}/gone` });
    const moved = await create({ url: `${receiver.url}/moved` });
    await chain.devnet.commit();
    await expect.poll(() => find(gone.id), { timeout: 5_000 }).toMatchObject({ state: 'DISABLED', reason: 'RECEIVER_GONE' });
    await expect.poll(() => find(moved.id), { timeout: 5_000 }).toMatchObject({ state: 'PAUSED', reason: 'RECEIVER_FAILED' });
    expect(receiver.received.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it.runIf(runsAll)('deliver what changes in a live query, also from a height in the past', async () => {
    const [owner] = chain.accounts;
    const group = await groups.createGroup(chain, [[owner!, '1']]);
    const start = chain.devnet.height;
    const document = 'query($id: ID!) @live { group(id: $id) { metadata } }';
    const describe = (text: string) => chain.run(owner!, groups.describeGroup(owner!, group, text));
    await describe('one');
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 10_000 });
    await create({ document, variables: { id: group.id.toString() }, after: start.toString() });
    await receiver.until((all) => all.length >= 1);
    await chain.devnet.commit();
    await describe('two');
    await receiver.until((all) => all.length >= 2);
    expect(receiver.received.map(({ body }) => [BigInt(body.height) - start, body.data])).toEqual([
      [1n, { group: { metadata: 'one' } }],
      [3n, { group: { metadata: 'two' } }],
    ]);
  });

  it.runIf(runsAll)('redeliver the events of some heights with their ids', async () => {
    const hook = await create();
    for (let block = 0; block < 4; block += 1) await chain.devnet.commit();
    await receiver.until((all) => all.length >= 4);
    const first = receiver.received.map(({ body }) => body);
    await expect.poll(() => find(hook.id)).toMatchObject({ sequence: '4' });
    await expect.poll(async () => Number((await find(hook.id))!.height) >= Number(first[2]!.height)).toBe(true);
    const { errors } = await mutate(
      'redeliver',
      `webhook: "${hook.id}", from: "${first[1]!.height}", to: "${first[2]!.height}"`,
    );
    expect(errors).toBeUndefined();
    await receiver.until((all) => all.length >= 6);
    await chain.devnet.commit();
    await receiver.until((all) => all.length >= 7);
    const again = receiver.received.slice(4).map(({ body }) => body);
    expect(again.map(({ id, sequence, redelivery }) => [id, sequence, redelivery])).toEqual([
      [first[1]!.id, '2', true],
      [first[2]!.id, '3', true],
      [again[2]!.id, '5', undefined],
    ]);
  });

  it.runIf(runsAll)('redeliver an event that is no longer kept without a sequence', async () => {
    await stack.close();
    stack = await open({ server: { limits: { 'webhooks.deliveries': 1 } } });
    const hook = await create();
    for (let block = 0; block < 16; block += 1) await chain.devnet.commit();
    await receiver.until((all) => all.length >= 16);
    const first = receiver.received[0]!.body;
    await expect.poll(() => find(hook.id)).toMatchObject({ sequence: '16' });
    await mutate('redeliver', `webhook: "${hook.id}", from: "${first.height}", to: "${first.height}"`);
    await receiver.until((all) => all.length >= 17);
    expect(receiver.received[16]!.body).toMatchObject({ id: first.id, sequence: null, previous: null, redelivery: true });
  });

  it('send a test, and stop when they are paused or deleted', async () => {
    const hook = await create();
    const { body } = await stack.ask(`mutation { testWebhook(id: "${hook.id}") { responseStatus error } }`);
    expect(body.data).toEqual({ testWebhook: { responseStatus: 204, error: null } });
    expect(receiver.received[0]!.body).toMatchObject({ test: true, webhook: hook.id, data: null });
    await mutate('pauseWebhook', `id: "${hook.id}"`);
    expect(await find(hook.id)).toMatchObject({ state: 'PAUSED', reason: 'OWNER' });
    await stack.ask(`mutation { deleteWebhook(id: "${hook.id}") { id } }`);
    expect(await find(hook.id)).toBeNull();
  });

  it.runIf(runsAll)('continue after a restart of the server', async () => {
    await stack.close();
    const { mkdtempSync } = await import('node:fs');
    const path = mkdtempSync('/tmp/stele-webhooks-');
    const kept: StackOptions = { archive: { records: { kind: 'directory', path } } };
    stack = await open(kept);
    await create();
    await chain.devnet.commit();
    await receiver.until((all) => all.length >= 1);
    await stack.close();
    await chain.devnet.commit();
    await chain.devnet.commit();
    stack = await open(kept);
    await receiver.until((all) => all.length >= 3);
    expect(receiver.received.map(({ body }) => body.sequence)).toEqual(['1', '2', '3']);
  });

  it('refuse what cannot be delivered, with the argument', async () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ document: '{{{' }, 'document'],
      [{ document: '{ latestBlock { header { height } } }' }, 'document'],
      [{ document: 'subscription { nothing }' }, 'document'],
      [{ document: 'query @live { nodes { moniker } }' }, 'document'],
      [{ url: 'http://10.0.0.1/' }, 'url'],
      [{ url: 'https://a:b@example.org/' }, 'url'],
      [{ after: '999999' }, 'after'],
      [{ variables: [1] }, 'variables'],
    ];
    for (const [input, argument] of cases) {
      const { errors } = await mutate('createWebhook', 'input: $input', {
        input: { url: receiver.url, document: newBlocks, ...input },
      });
      expect(errors, JSON.stringify(input)).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument } }]);
    }
  });
});
