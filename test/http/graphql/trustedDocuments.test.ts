import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from '@graphql-codegen/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createTrustedDocuments } from '../../../src/graphql/documents/requestParams.ts';
import { knownScopes, type Scope } from '../../../src/reads/viewer.ts';
import { addClient } from '../../../src/server/issuer/clients.ts';
import { createAuth } from '../../../src/start/authSetup.ts';
import type { ServerOptions } from '../../../src/start/server.ts';
import { followTrustedFile } from '../../../src/surfaces/graphql/trustedFile.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { startProcess } from '../../support/process.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type SentHeaders, send, type WireAnswer } from '../../support/wire.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-trusted-'));
const clientsFile = join(directory, 'clients.json');

const head = 'query Head { head { height } }';
const manifest = {
  head,
  groups: 'query Groups($first: Int) { groups(first: $first) { nodes { id } } }',
  blocks: 'subscription Blocks { newBlock(after: "0") { height } }',
  send: 'mutation Send { broadcastTxSync(tx: "AAAA") { hash } }',
  nodes: 'query Nodes { nodes { alias } }',
  wrong: 'query Wrong { block(height: "99") { height } }',
};
const builtIn = { dashboard: 'query Dashboard { head { height hash } }' };
const other = 'query Other { head { time } }';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let chain: TestChain;
let issuerOptions: Pick<ServerOptions, 'issuer'> & { readonly auth: Exclude<ServerOptions['auth'], 'open'> };
const tokens: Record<'read' | 'all', string> = { read: '', all: '' };

beforeAll(async () => {
  chain = await startChain({ bare: true });
  for (let height = 2; height <= 3; height += 1) await chain.devnet.commit();
  await addClient(clientsFile, 'any', ['read']);
  const config = { kind: 'embedded', audience: 'https://a', clientsFile, keysFile: undefined, lifetime: 600 } as const;
  const { auth, issuer } = await createAuth(config, { address: () => '', report: console.error });
  issuerOptions = { auth, issuer };
  const sign = (scopes: readonly Scope[]): Promise<string> =>
    issuer!.sign({ clientId: scopes.join(' '), scopes, isPublic: false });
  tokens.read = await sign(['broadcast', 'read']);
  tokens.all = await sign(knownScopes);
});

afterAll(async () => {
  await chain.devnet.close();
  rmSync(directory, { recursive: true });
});

type Flags = Pick<ServerOptions, 'trustedDocuments' | 'onlyTrustedDocuments' | 'allowSharedCaches'>;

/** Runs `use` with a server that trusts the documents of the manifest and of `builtIn`. */
async function withServer(
  flags: Flags,
  use: (requests: ReturnType<typeof requestsTo>, stack: Stack) => Promise<void>,
): Promise<void> {
  const trustedDocuments = createTrustedDocuments(builtIn);
  trustedDocuments.replace(manifest);
  const stack = await startStack([chain.node.url], { server: { trustedDocuments, ...issuerOptions, ...flags } });
  try {
    await expect.poll(() => stack.client.head.current()?.height).toBe(3n);
    await use(requestsTo(stack.server.url), stack);
    expect(stack.masked).toEqual([]);
  } finally {
    await stack.close();
  }
}

function requestsTo(url: string) {
  const headersOf = (token: string, more: SentHeaders): SentHeaders => ({
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    ...more,
  });
  return {
    post: (body: object, token = tokens.read, more: SentHeaders = {}): Promise<WireAnswer> => {
      const headers = headersOf(token, { 'content-type': 'application/json', ...more });
      return send(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
    },
    get: (parameters: Record<string, string>, token = tokens.read, more: SentHeaders = {}): Promise<WireAnswer> =>
      send(`${url}/graphql?${new URLSearchParams(parameters)}`, { headers: headersOf(token, more) }),
    /** Sends the payload of an operation on a new socket. Returns the first message for it. */
    async say(payload: object, token = tokens.read): Promise<unknown> {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      await once(socket, 'open');
      const next = async (): Promise<unknown> => JSON.parse(String((await once(socket, 'message'))[0]));
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
      await next();
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
      const message = await next();
      socket.terminate();
      return message;
    },
    /** Opens an event stream. Returns the status and the beginning of its body. */
    async events(body: object, token = tokens.read): Promise<readonly [status: number, begin: string]> {
      const stop = new AbortController();
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        signal: stop.signal,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify(body),
      });
      const begin = await response.body!.getReader().read();
      stop.abort();
      return [response.status, Buffer.from(begin.value ?? []).toString()];
    },
  };
}

const codeOf = ({ status, body }: WireAnswer): unknown => [status, JSON.parse(body).errors?.[0].extensions.code];
const byHash = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(text) } });

describe('a request that names a trusted document', () => {
  it('is answered over POST, GET, WebSocket and as an event stream, with its variables', () =>
    withServer({}, async ({ post, get, say, events }) => {
      const data = { data: { head: { height: '3' } } };
      const persisted = byHash(head);
      for (const answer of [
        await post({ documentId: 'head' }),
        await post({ documentId: sha256(head) }),
        await post({ documentId: `sha256:${sha256(head)}` }),
        await post({ extensions: persisted }),
        await get({ documentId: 'head' }),
        await get({ extensions: JSON.stringify(persisted) }),
      ])
        expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, data]);
      expect(await say({ query: '', documentId: 'head' })).toMatchObject({ type: 'next', payload: data });
      expect(await say({ query: '', extensions: persisted })).toMatchObject({ type: 'next', payload: data });
      expect(await say({ query: '', documentId: 'blocks' })).toMatchObject({
        payload: { data: { newBlock: { height: '1' } } },
      });
      const [status, begin] = await events({ documentId: 'blocks' });
      expect([status, begin]).toEqual([200, expect.stringContaining('event: next')]);
      const bad = await post({ documentId: 'groups', variables: { first: 'x' } });
      expect(bad.body).toContain('BAD_USER_INPUT');
      const groups = await post({ documentId: 'groups', variables: { first: 1 }, operationName: 'Groups' });
      expect(JSON.parse(groups.body)).toMatchObject({ data: { groups: { nodes: [] } } });
      expect((await get({ documentId: 'send' })).status).toBe(405);
    }));

  it('is refused for an unknown id, with a document beside the id, and for an id that is no text', () =>
    withServer({}, async ({ post, get, say }) => {
      expect(codeOf(await post({ documentId: 'nothing' }))).toEqual([400, 'PERSISTED_QUERY_NOT_FOUND']);
      expect(codeOf(await get({ documentId: 'constructor' }))).toEqual([400, 'PERSISTED_QUERY_NOT_FOUND']);
      expect(codeOf(await post({ documentId: 'head', query: head }))).toEqual([400, 'BAD_USER_INPUT']);
      expect(codeOf(await post({ documentId: 5 }))).toEqual([400, 'BAD_USER_INPUT']);
      expect(await say({ query: '', documentId: 'nothing' })).toMatchObject({
        type: 'error',
        payload: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
      });
      // A document that a client has sent is no trusted document.
      expect((await post({ query: other, extensions: byHash(other) })).status).toBe(200);
      expect(codeOf(await post({ documentId: sha256(other) }))).toEqual([400, 'PERSISTED_QUERY_NOT_FOUND']);
    }));

  it.runIf(runsAll)('has the ids that the client preset of GraphQL Code Generator writes', async () => {
    const documents = [head, manifest.blocks];
    const files = await generate(
      {
        schema: 'schema/schema.graphql',
        documents,
        silent: true,
        generates: { 'gen/': { preset: 'client', presetConfig: { persistedDocuments: { hashAlgorithm: 'sha256' } } } },
      },
      false,
    );
    const text = files.find(({ filename }: { readonly filename: string }) =>
      filename.endsWith('persisted-documents.json'),
    )!.content;
    const file = join(directory, 'generated.json');
    writeFileSync(file, text);
    const trustedDocuments = createTrustedDocuments();
    const stop = await followTrustedFile(file, trustedDocuments, console.error);
    const ids = Object.entries(JSON.parse(text) as Record<string, string>);
    await withServer({ trustedDocuments, onlyTrustedDocuments: true }, async ({ post }) => {
      const [id] = ids.find(([, document]) => document.startsWith('query'))!;
      expect(JSON.parse((await post({ documentId: id })).body)).toMatchObject({ data: { head: { height: '3' } } });
    });
    stop();
  });
});

describe('a GET that names a trusted document', () => {
  const lasting = 'immutable, max-age=31536000';
  const named = { documentId: 'head', height: '2' };
  const height = 'x-cosmos-block-height';

  it('is read at the height in its URL, which must be that of the header if there is one', () =>
    withServer({}, async ({ get, post }) => {
      for (const at of ['1', '2', '3']) {
        const answer = await get({ documentId: 'head', height: at });
        expect([answer.headers[height], JSON.parse(answer.body).data]).toEqual([at, { head: { height: at } }]);
      }
      expect((await get({ query: head, height: '1' })).headers[height]).toBe('1');
      expect((await get(named, tokens.read, { [height]: '2' })).headers[height]).toBe('2');
      expect((await get({ ...named, height: '0' })).headers[height]).toBe('3');
      expect(codeOf(await get(named, tokens.read, { [height]: '1' }))).toEqual([200, 'BAD_USER_INPUT']);
      expect(codeOf(await get({ ...named, height: 'x' }))).toEqual([200, 'BAD_USER_INPUT']);
      expect(codeOf(await get({ ...named, height: '99' }))).toEqual([200, 'HEIGHT_NOT_YET_AVAILABLE']);
      // A URL of POST names no height.
      expect((await post({ documentId: 'head' })).headers[height]).toBe('3');
    }));

  it.each([false, true])('can be kept for ever, by shared caches only with the flag (%s)', (allowSharedCaches) =>
    withServer({ allowSharedCaches }, async ({ get, post }) => {
      const control = `${allowSharedCaches ? 'public' : 'private'}, ${lasting}`;
      const varyOfAll = 'Accept, Accept-Encoding, Origin, accept-proof, trusted-validators, accept-quorum';
      const vary = allowSharedCaches ? varyOfAll : `Authorization, ${varyOfAll}`;
      const first = await get(named);
      const again = await get(named);
      expect([first, again].map(({ headers }) => headers['cache-status'])).toEqual([
        'stele; fwd=miss',
        expect.stringContaining('hit'),
      ]);
      for (const { headers } of [first, again, await get({ extensions: JSON.stringify(byHash(head)), height: '2' })])
        expect([headers['cache-control'], headers.vary]).toEqual([control, vary]);
      await post({ query: other, extensions: byHash(other) });
      const changing = [
        await get({ documentId: 'head' }),
        await get({ documentId: 'head' }, tokens.read, { [height]: '2' }),
        await get({ query: head, height: '2' }),
        await get({ extensions: JSON.stringify(byHash(other)), height: '2' }),
        await get({ ...named, extensions: '{"cost":true}' }),
        await get({ ...named, height: '99' }),
        await get({ ...named, documentId: 'nodes' }),
        await get({ ...named, documentId: 'wrong' }),
        await get({ ...named, documentId: 'nothing' }),
        await get({ ...named, documentId: 'send' }),
        await get({ ...named, documentId: 'groups', variables: '{"first":"x"}' }),
        await get(named, 'wrong'),
        await post({ documentId: 'head' }, tokens.read, { [height]: '2' }),
      ];
      expect(changing.map(({ headers }) => headers['cache-control'])).toEqual(changing.map(() => 'no-store'));
    }),
  );
});

describe('with --only-trusted-documents', () => {
  const refused = [403, 'DOCUMENT_NOT_TRUSTED'];

  it('every other document is refused, over each transport', () =>
    withServer({ onlyTrustedDocuments: true }, async ({ post, get, say, events }) => {
      for (const answer of [
        await post({ query: other }),
        await post({ query: 'mutation { broadcastTxSync(tx: "AAAA") { hash } }' }),
        await post({ query: `${head} ` }),
        await post({ query: other, extensions: byHash(other) }),
        await post({ extensions: byHash(other) }),
        await post({ documentId: 'nothing' }),
        await post({ query: other }, tokens.read, { accept: 'application/graphql-response+json' }),
        await get({ query: other }),
        await get({ 'documen%74Id': 'head', query: other }),
      ])
        expect(codeOf(answer)).toEqual(refused);
      for (const query of [other, 'subscription { newBlock { height } }', 'query @live { head { height } }']) {
        expect(await say({ query })).toMatchObject({
          type: 'error',
          payload: [{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }],
        });
        const [status, body] = await events({ query });
        expect([status, body]).toEqual([403, expect.stringContaining('DOCUMENT_NOT_TRUSTED')]);
      }
    }));

  it('trusted documents are answered, by id, by hash and as text, and so are the built-in ones', () =>
    withServer({ onlyTrustedDocuments: true }, async ({ post, get, say }) => {
      for (const answer of [
        await post({ documentId: 'head' }),
        await post({ query: head }),
        await post({ query: head, extensions: byHash(head) }),
        await post({ extensions: byHash(head) }),
        await get({ query: head }),
        await post({ documentId: 'dashboard' }),
        await post({ query: builtIn.dashboard }),
      ])
        expect(JSON.parse(answer.body)).toMatchObject({ data: { head: { height: '3' } } });
      expect(await say({ query: '', documentId: 'blocks' })).toMatchObject({ type: 'next' });
    }));

  it('a token with the scope `introspect` may send any document, and teaches the server no document for others', () =>
    withServer({ onlyTrustedDocuments: true }, async ({ post, say }) => {
      expect((await post({ query: other, extensions: byHash(other) }, tokens.all)).status).toBe(200);
      expect((await post({ extensions: byHash(other) }, tokens.all)).status).toBe(200);
      expect(codeOf(await post({ documentId: 'nothing' }, tokens.all))).toEqual([400, 'PERSISTED_QUERY_NOT_FOUND']);
      expect(await say({ query: 'subscription { newBlock(after: "0") { height } }' }, tokens.all)).toMatchObject({
        type: 'next',
      });
      // The answers of these documents are cached by now.
      for (const body of [{ query: other, extensions: byHash(other) }, { extensions: byHash(other) }, { query: other }])
        expect(codeOf(await post(body))).toEqual(refused);
    }));

  it('a request without a document, or with JSON that is not valid, has the error that it has without the flag', async () => {
    const answers: string[][] = [];
    for (const onlyTrustedDocuments of [false, true])
      await withServer({ onlyTrustedDocuments }, async ({ post, get }, { server }) => {
        const headers = { authorization: `Bearer ${tokens.read}`, 'content-type': 'application/json' };
        const broken = await send(`${server.url}/graphql`, { method: 'POST', headers, body: '{' });
        const all = [broken, await post({}), await get({}), await post({ query: 5 }), await post({ extensions: 5 })];
        answers.push(all.map(({ status, body }) => `${status} ${body}`));
      });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]!.every((answer) => answer.startsWith('4'))).toBe(true);
  });
});

const longPoll = { timeout: 10_000 };

describe('the file of trusted documents', () => {
  it('is read again when it changes: new, changed and removed documents; a broken file changes nothing', async () => {
    const file = join(directory, 'documents.json');
    const write = (documents: object | string): void =>
      writeFileSync(file, typeof documents === 'string' ? documents : JSON.stringify(documents));
    const reported: unknown[] = [];
    const trustedDocuments = createTrustedDocuments(builtIn);
    write({ head, groups: manifest.groups });
    const stop = await followTrustedFile(file, trustedDocuments, (error) => reported.push(error), 20);
    await withServer({ trustedDocuments, onlyTrustedDocuments: true }, async ({ get, post }) => {
      const at = { documentId: 'head', height: '2' };
      const data = async (): Promise<unknown> => JSON.parse((await get(at)).body).data;
      expect(await data()).toEqual({ head: { height: '2' } });
      // Neither the id nor a cached answer may outlive the document. No document may take the id of a built-in one.
      write({ head: 'query Head { head { asOfHeight } }', added: other, dashboard: other });
      await expect.poll(data, longPoll).toEqual({ head: { asOfHeight: '2' } });
      expect((await post({ documentId: 'added' })).status).toBe(200);
      expect(codeOf(await post({ documentId: 'groups' }))).toEqual([403, 'DOCUMENT_NOT_TRUSTED']);
      expect(codeOf(await post({ query: head }))).toEqual([403, 'DOCUMENT_NOT_TRUSTED']);
      expect(JSON.parse((await post({ documentId: 'dashboard' })).body).data.head).toHaveProperty('hash');
      write('[]');
      await expect.poll(() => reported).toHaveLength(1);
      expect((await post({ documentId: 'added' })).status).toBe(200);
      expect(String(reported[0])).toContain('documents.json is not a JSON object of documents by id');
      rmSync(file);
      await expect.poll(() => String(reported.at(-1)), longPoll).toContain('does not exist');
      write({ head });
      await expect.poll(data, longPoll).toEqual({ head: { height: '2' } });
    });
    stop();
  });

  it.runIf(runsAll)('stops the start with one line if it is missing', async () => {
    const flags = ['--port', '0', '--dev', '--node', chain.node.url];
    const child = await startProcess([...flags, '--trusted-documents', join(directory, 'missing.json')]);
    let text = '';
    child.stderr!.on('data', (data) => (text += String(data)));
    const [code] = await once(child, 'close');
    expect([code, text]).toEqual([
      1,
      `stele: --trusted-documents (STELE_TRUSTED_DOCUMENTS): ${join(directory, 'missing.json')} does not exist\n`,
    ]);
  });
});
