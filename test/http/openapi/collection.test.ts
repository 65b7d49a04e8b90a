import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { createAuth } from '../../../src/start/authSetup.ts';
import { runsAll } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { readExamples } from '../../support/readExamples.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type Collection, requestsOf, runCollection } from './runCollection.ts';

let chain: TestChain;
let stack: Stack;
let examples: Awaited<ReturnType<typeof readExamples>>;

beforeAll(async () => {
  chain = await startChain();
  let url = '';
  const { auth, issuer, devnetToken } = await createAuth(
    { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 },
    { address: () => url, report: console.error },
  );
  stack = await startStack([chain.node.url], {
    server: { auth, issuer, playgroundToken: devnetToken, trustedProxies: ['127.0.0.1'] },
    archive: { records: true },
  });
  url = stack.server.url;
  const [from, to] = chain.accounts;
  const amount = [{ denom: 'nhash', amount: '1' }];
  await chain.run(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount }));
  await chain.devnet.commit();
  if (runsAll) examples = await readExamples();
}, 120_000);

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

it.runIf(runsAll)('runs unchanged: it obtains its token, and every request succeeds', { timeout: 120_000 }, async () => {
  const asked = Object.keys({ ...examples.node, ...examples.application }).filter((path) => !path.includes('/broadcast_'));
  const get = (): Promise<Response> => fetch(`${stack.server.url}/collection.json`);
  // In addition, the GraphQL query and the broadcast.
  await expect.poll(async () => requestsOf((await (await get()).json()) as Collection)).toBe(asked.length + 2);
  const response = await get();
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename=".+\.json"$/);
  const collection = (await response.json()) as Collection;
  expect(collection.info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json');
  const sent = await runCollection(collection);
  expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
  expect(sent.length).toBe(asked.length + 2);
});

it.runIf(runsAll)('is named with the origin of the request, also in the description of the application', async () => {
  const response = await fetch(`${stack.server.url}/openapi/application.json`);
  const { info } = (await response.json()) as { info: { description: string } };
  expect(info.description).toContain(`openapi-typescript ${stack.server.url}/openapi/application.json`);
  expect(info.description).not.toMatch(/localhost:4000|%stele/);
});

it('contains the origin of the request, as a trusted proxy names it', async () => {
  const address = async (headers: Record<string, string>): Promise<string | undefined> => {
    const response = await fetch(`${stack.server.url}/collection.json`, { headers });
    const { variable } = (await response.json()) as Collection;
    return variable.find(({ key }) => key === 'baseUrl')?.value;
  };
  expect(await address({})).toBe(stack.server.url);
  expect(await address({ 'x-forwarded-proto': 'https' })).toBe(stack.server.url.replace('http:', 'https:'));
  const example = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example' };
  expect(await address(example)).toBe('https://api.example');
  expect(await address({ forwarded: 'for=192.0.2.1;proto=https;host=api.example' })).toBe('https://api.example');
  // The nearest proxy counts, and two headers that differ count for nothing.
  expect(await address({ ...example, 'x-forwarded-host': 'evil.example, api.example' })).toBe('https://api.example');
  expect(await address({ ...example, forwarded: 'proto=https;host=evil.example' })).toBe(
    stack.server.url.replace('http:', 'https:'),
  );
  for (const host of ['api.example/path', 'user@api.example', 'api.example"'])
    expect(await address({ 'x-forwarded-host': host })).toBe(stack.server.url);
  const other = await startStack([chain.node.url], { server: { trustedProxies: ['192.0.2.1'] } });
  const untrusted = await fetch(`${other.server.url}/collection.json`, { headers: example });
  expect(await untrusted.text()).not.toContain('api.example');
  await other.close();
});

it.runIf(runsAll)('has the examples that the server returns', async () => {
  const read = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../../data/openapi/${name}.json`, import.meta.url), 'utf8'));
  expect({ node: read('node'), application: read('application') }).toEqual(examples);
});
