import { mkdtempSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DocumentNode, getOperationAST } from 'graphql';
import { afterEach, expect, it } from 'vitest';
import { type EnginePlugin, loadPlugins } from '../../src/graphql/engine/plugins.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { overWebSocket } from '../support/listeners.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain | undefined;
let stack: Stack | undefined;

afterEach(async () => {
  await stack?.close();
  await chain?.devnet.close();
});

const settings = { host: '127.0.0.1', port: 4321, chainId: 'testing', dataDir: '/tmp', limits: {}, logLevel: 'info' } as const;
const folder = 'examples/plugins';
const server = `${hostname()}:4321`;

async function start(plugins: readonly EnginePlugin[]): Promise<Stack> {
  chain = await startChain();
  stack = await startStack([chain.node.url], { server: { plugins } });
  await stack.client.head.ready();
  return stack;
}

const load = (...names: readonly string[]) =>
  loadPlugins(
    names.map((name) => join(folder, name)),
    settings,
  );

/** The text of a response to an operation over HTTP. A stream is read up to its first event. */
async function post(url: string, query: string, accept: string): Promise<{ readonly status: number; readonly text: string }> {
  const stopping = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    signal: stopping.signal,
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query }),
  });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (/"(data|errors)"|payload/.test(text)) break;
  }
  stopping.abort();
  return { status: response.status, text };
}

it('the plugin serverName adds an extension to results over HTTP, server-sent events and WebSocket', async () => {
  const { server: running } = await start(await load('serverName.js'));
  const query = '{ head { height } }';
  for (const accept of ['application/json', 'text/event-stream']) {
    const { text } = await post(running.url, query, accept);
    const json = JSON.parse(text.slice(text.indexOf('{')).split('\n', 1)[0] ?? '');
    expect(json).toEqual({ data: { head: { height: '1' } }, extensions: { server, height: '1' } });
  }
  const socket = await overWebSocket(running.url, query);
  await socket.count(1);
  expect(socket.answers).toEqual([{ data: { head: { height: '1' } }, extensions: { server, height: '1' } }]);
  await socket.leave();
});

it('the plugin namedOperations refuses operations over HTTP, server-sent events and WebSocket', async () => {
  const { server: running } = await start(await load('namedOperations.js'));
  const refusal = { message: 'Give the operation a name.', extensions: { code: 'OPERATION_WITHOUT_NAME' } };
  const http = await post(running.url, '{ head { height } }', 'application/graphql-response+json');
  expect([http.status, JSON.parse(http.text)]).toMatchObject([400, { errors: [refusal] }]);
  const events = await post(running.url, 'subscription { newBlock { height } }', 'text/event-stream');
  expect(events.text).toContain('OPERATION_WITHOUT_NAME');
  const socket = await overWebSocket(running.url, 'subscription { newBlock { height } }');
  expect(await socket.ended).toMatchObject({ errors: [refusal] });
  // A document that is known to be valid is refused too, and one with a name is executed.
  expect((await post(running.url, '{ head { height } }', 'application/json')).text).toContain('OPERATION_WITHOUT_NAME');
  expect((await post(running.url, 'query Head { head { height } }', 'application/json')).text).toContain('"height":"1"');
});

it('every operation of every kind over every transport goes through the pipeline', async () => {
  const executed: string[] = [];
  const count = ({ args }: { readonly args: { readonly document: DocumentNode } }): void => {
    executed.push(String(getOperationAST(args.document)?.name?.value));
  };
  const counter: EnginePlugin = { onExecute: count, onSubscribe: count };
  const { server: running } = await start([counter]);
  const sent: string[] = [];
  const named = (kind: string, rest: string): string => {
    sent.push(`Operation${sent.length}`);
    return `${kind} ${sent.at(-1)} ${rest}`;
  };
  const kinds = [
    ['query', '{ head { height } }'],
    ['query', '@live { groups { totalCount } }'],
    ['subscription', '{ newBlock { height } }'],
    ['mutation', '{ broadcastTxSync(tx: "AAAA") { hash } }'],
  ] as const;
  const accepts = ['application/json', 'text/event-stream', 'multipart/mixed;subscriptionSpec=1.0, application/json'];
  for (const [kind, rest] of kinds) {
    for (const accept of accepts) {
      const query = named(kind, rest);
      const headers = { 'content-type': 'application/json', accept };
      const response = await fetch(`${running.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
      await response.body?.cancel();
    }
    const socket = await overWebSocket(running.url, named(kind, rest));
    await expect.poll(() => executed.length).toBe(sent.length);
    await socket.leave();
  }
  await fetch(`${running.url}/graphql?${new URLSearchParams({ query: named('query', '{ head { height } }') })}`);
  expect(executed).toEqual(sent);
});

it('a plugin that throws at load is named in the error', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'stele-plugins-'));
  const file = join(directory, 'broken.js');
  writeFileSync(file, 'throw new Error("no settings");');
  await expect(loadPlugins([file], settings)).rejects.toThrow(`the plugin ${file} cannot be loaded: no settings`);
  const empty = join(directory, 'empty.mjs');
  writeFileSync(empty, 'export const nothing = 1;');
  await expect(loadPlugins([empty], settings)).rejects.toThrow(/empty\.mjs cannot be loaded: its default export/);
});

it('a kept answer does not run plugins, unless one declares that it runs for every request', async () => {
  for (const everyRequest of [false, true]) {
    let runs = 0;
    const onExecute = (): void => {
      runs += 1;
    };
    const { ask } = await start([{ everyRequest, onExecute }]);
    for (let request = 0; request < 3; request += 1) await ask('{ head { chainId } }');
    expect([everyRequest, runs]).toEqual([everyRequest, everyRequest ? 3 : 1]);
    await stack?.close();
    await chain?.devnet.close();
  }
});

it('the failure of a plugin is masked, and its errors with a code are shown', async () => {
  let failure: Error = new Error('secret');
  const { ask, masked } = await start([
    {
      onExecute() {
        throw failure;
      },
    },
  ]);
  expect((await ask('{ head { height } }')).body.errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
  expect(masked).toEqual([failure]);
  // Another copy of the library has another class.
  failure = Object.assign(new Error('Ask for less.'), { name: 'GraphQLError', extensions: { code: 'ASK_FOR_LESS', most: 3 } });
  expect((await ask('{ head { time } }')).body.errors).toEqual([
    { message: 'Ask for less.', extensions: { code: 'ASK_FOR_LESS', most: 3 } },
  ]);
});

it('docs/plugins.md shows the examples', async () => {
  const page = await readFile('docs/plugins.md', 'utf8');
  for (const name of ['serverName.js', 'namedOperations.js'])
    expect(page).toContain((await readFile(join(folder, name), 'utf8')).trim());
});
