import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuth } from '../../../src/http/authSetup.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { readExamples } from '../../support/readExamples.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  let url = '';
  const { auth, issuer, devnetToken } = await createAuth(
    { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 },
    { address: () => url, report: console.error },
  );
  stack = await startStack([chain.node.url], { auth, issuer, playgroundToken: devnetToken });
  url = stack.server.url;
  const [from, to] = chain.accounts;
  const amount = [{ denom: 'nhash', amount: '1' }];
  await chain.run(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount }));
  await chain.devnet.commit();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

interface Script {
  readonly listen: string;
  readonly script: { readonly exec: readonly string[] };
}

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly event?: readonly Script[];
  readonly request?: {
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly url: { readonly raw: string };
    readonly body?: { readonly raw: string };
  };
}

interface Collection extends Item {
  readonly info: { readonly schema: string };
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly event: readonly Script[];
}

interface Sent {
  readonly name: string;
  readonly url: string;
  readonly status: number;
}

/** Runs a collection as its programs do: variables, the scripts before and after, each request in turn. */
async function run(collection: Collection): Promise<readonly Sent[]> {
  const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
  const replace = (text: string): string => {
    const replaced = text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables.get(name)!);
    return replaced === text ? text : replace(replaced);
  };
  const sent: Sent[] = [];

  async function runScripts(scripts: readonly Script[] | undefined, listen: string, body?: string): Promise<void> {
    const pending: Promise<void>[] = [];
    type Asked = { url: string; method: string; header: Record<string, string>; body: { raw: string } };
    const sendRequest = (asked: Asked, done: (error: unknown, response?: object) => void): void => {
      const {
        url,
        method,
        header: headers,
        body: { raw },
      } = asked;
      pending.push(
        fetch(url, { method, headers, body: raw }).then(async (response) => {
          const grant = (await response.json()) as unknown;
          done(null, { code: response.status, json: () => grant });
        }),
      );
    };
    const collectionVariables = {
      get: (name: string) => variables.get(name),
      set: (name: string, value: string) => variables.set(name, value),
      replaceIn: replace,
    };
    const pm = { collectionVariables, sendRequest, response: { json: () => JSON.parse(body ?? '') as unknown } };
    for (const { script } of (scripts ?? []).filter((each) => each.listen === listen)) {
      runInNewContext(script.exec.join('\n'), { pm });
      await Promise.all(pending);
    }
  }

  async function runItem({ name, item, event, request }: Item): Promise<void> {
    for (const inner of item ?? []) await runItem(inner);
    if (request === undefined) return;
    await runScripts(collection.event, 'prerequest');
    const url = replace(request.url.raw);
    const own = request.header.map(({ key, value }) => [key, replace(value)] as const);
    const headers = { ...Object.fromEntries(own), authorization: replace('Bearer {{token}}') };
    const body = request.body === undefined ? null : replace(request.body.raw);
    const response = await fetch(url, { method: request.method, headers, body });
    const text = await response.text();
    sent.push({ name, url, status: response.status });
    await runScripts(event, 'test', text);
  }

  await runItem(collection);
  return sent;
}

it('runs as it is: gets its token, and every request has an answer', async () => {
  const response = await fetch(`${stack.server.url}/collection.json`);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename=".+\.json"$/);
  const collection = (await response.json()) as Collection;
  expect(collection.info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json');
  const sent = await run(collection);
  expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
  const examples = await readExamples();
  const asked = Object.keys({ ...examples.node, ...examples.application }).filter((path) => !path.includes('/broadcast_'));
  // And the query of the graph, and the transaction.
  expect(sent.length).toBe(asked.length + 2);
});

it('takes its address from the request, and nothing else', async () => {
  const address = async (headers: Record<string, string>): Promise<string | undefined> => {
    const response = await fetch(`${stack.server.url}/collection.json`, { headers });
    const { variable } = (await response.json()) as Collection;
    return variable.find(({ key }) => key === 'baseUrl')?.value;
  };
  expect(await address({})).toBe(stack.server.url);
  expect(await address({ 'x-forwarded-proto': 'https' })).toBe(stack.server.url.replace('http:', 'https:'));
});

it('has examples that the server still answers with', async () => {
  const read = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../../src/http/openapi/examples/${name}.json`, import.meta.url), 'utf8'));
  expect({ node: read('node'), application: read('application') }).toEqual(await readExamples());
});
