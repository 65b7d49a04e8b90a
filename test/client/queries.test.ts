import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { createClient, SteleError, type SteleErrorCode } from '../../packages/client/src/index.ts';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { TypedDocumentString } from './typedDocument.ts';

let issuer: TestIssuer;
let chain: TestChain;
let stack: Stack;
let url: string;

beforeAll(async () => {
  issuer = await startIssuer();
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url], { server: { auth: authenticatorOf(issuer) } });
  url = `${stack.server.url}/graphql`;
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
  await issuer.close();
});

interface Head {
  readonly head: { readonly height: string };
}
const head = new TypedDocumentString<Head, Record<string, never>>('{ head { height } }');
const groupOf = new TypedDocumentString<{ readonly group: { readonly id: string } | null }, { readonly id: string }>(
  'query ($id: ID!) { group(id: $id) { id } }',
);
const fresh = () => createClient({ url, token: () => issuer.sign() });

/** The code, the path and the facts of the error that a promise rejects with. */
async function failure(promise: Promise<unknown>): Promise<[SteleErrorCode, readonly unknown[], Record<string, unknown>]> {
  const error = await promise.catch((reason: unknown) => reason);
  if (!(error instanceof SteleError)) throw new Error(`not a SteleError: ${error}`);
  return [error.code, error.path, error.facts];
}

describe('query', () => {
  it('returns the data of a typed document, and the height that it was read at', async () => {
    const height = chain.devnet.height.toString();
    const answer = await fresh().query(head);
    expect(answer).toEqual({ data: { head: { height } }, errors: undefined, height });
    expectTypeOf(answer.data).toEqualTypeOf<Head>();
    expect(await fresh().query<Head>('{ head { height } }')).toEqual(answer);
  });

  it('reads at a height, and at a time: a Date or a text', async () => {
    const client = fresh();
    const { time } = (await stack.client.block(1n)).header;
    for (const place of [{ height: 1 }, { time }]) {
      const answer = await client.at(place).query(head);
      expect(answer).toEqual({ data: { head: { height: '1' } }, errors: undefined, height: '1' });
      expect(await client.query(head, {}, place)).toEqual(answer);
    }
    // A date has milliseconds only, so it may be before the block whose time it is from.
    const date = new Date(stack.client.head.current()!.time);
    expect(await client.at({ time: date }).query(head)).toEqual(await client.at({ time: date.toISOString() }).query(head));
    const late = await client.at({ time: '2100-01-01T00:00:00Z' }).query(head);
    expect(late.errors?.map(({ code }) => code)).toEqual(['HEIGHT_NOT_YET_AVAILABLE']);
  });

  it('checks the types of the variables, and requires them if one of them is required', async () => {
    const client = fresh();
    const { data } = await client.query(groupOf, { id: '999' });
    expect(data).toEqual({ group: null });
    // @ts-expect-error: `id` is required.
    const missing = client.query(groupOf);
    expect(await failure(missing)).toMatchObject(['BAD_USER_INPUT', [], {}]);
    // @ts-expect-error: `id` is a string.
    await client.query(groupOf, { id: 999 });
  });

  it('reads at a height, and waits for a height', async () => {
    const client = fresh();
    expect(await client.query(head, {}, { height: 1n })).toMatchObject({ data: { head: { height: '1' } }, height: '1' });
    const next = chain.devnet.height + 1n;
    const waiting = client.query(head, {}, { minHeight: next });
    expect((await client.query(head)).height).toBe(String(next - 1n));
    await chain.devnet.commit();
    expect((await waiting).height).toBe(String(next));
  });

  it('is sent again after `retryAfter` if it meets RATE_LIMITED; a mutation is not', async () => {
    const asked: number[] = [];
    const limited = (retryAfter: number | undefined) => [{ message: 'wait', extensions: { code: 'RATE_LIMITED', retryAfter } }];
    const answers = [
      { errors: limited(0.2) },
      { data: { head: null } },
      { errors: limited(0.2) },
      { errors: limited(undefined) },
    ];
    const server = createServer((_, response) => {
      asked.push(performance.now());
      response.end(JSON.stringify(answers.shift()));
    }).listen(0);
    const client = createClient({ url: `http://localhost:${(server.address() as AddressInfo).port}/graphql` });
    expect(await client.query(head)).toMatchObject({ data: { head: null } });
    expect(asked[1]! - asked[0]!).toBeGreaterThanOrEqual(200);
    expect(await failure(client.query('mutation { a }'))).toEqual(['RATE_LIMITED', [], { retryAfter: 0.2 }]);
    expect(await failure(client.query(head))).toEqual(['RATE_LIMITED', [], {}]);
    expect(asked).toHaveLength(4);
    server.close();
  });

  it('fails with one class of errors, with the code, the path and the facts', async () => {
    const client = fresh();
    expect(await failure(client.query('{ nothing }'))).toEqual(['GRAPHQL_VALIDATION_FAILED', [], {}]);
    const future = await client.query(head, {}, { height: 999 });
    expect(future.errors![0]).toBeInstanceOf(SteleError);
    expect(future).toMatchObject({ data: { head: null }, errors: [{ code: 'HEIGHT_NOT_YET_AVAILABLE', path: ['head'] }] });
    expect(future.errors![0]!.facts).toEqual({ height: '999', latestHeight: chain.devnet.height.toString() });
    const mute = createClient({ url, token: () => issuer.sign({ scope: 'read' }) });
    expect(await failure(mute.query('mutation { broadcastTxSync(tx: "0x00") { hash } }'))).toMatchObject([
      'FORBIDDEN',
      [],
      { scope: 'broadcast' },
    ]);
    const signal = AbortSignal.abort(new Error('left'));
    await expect(client.query(head, {}, { signal })).rejects.toThrow('left');
  });

  it('fails with CONNECTION_FAILED if no server answers, or something that is not GraphQL', async () => {
    const other = createServer((_, response) => response.writeHead(502).end('<html>Bad Gateway</html>')).listen(0);
    const { port } = other.address() as AddressInfo;
    const proxied = createClient({ url: `http://127.0.0.1:${port}/graphql` });
    expect(await failure(proxied.query(head))).toEqual(['CONNECTION_FAILED', [], { status: 502 }]);
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
    expect(await failure(proxied.query(head))).toEqual(['CONNECTION_FAILED', [], {}]);
  });

  it('accepts only valid URLs', () => {
    expect(() => createClient({ url: '/graphql' })).toThrow(TypeError);
  });
});

describe('the token', () => {
  it.runIf(runsAll)('is requested once for all who wait, and again shortly before it expires', async () => {
    /** When each token was requested, in ms, and when it expires. */
    const asked: { readonly at: number; readonly until: number }[] = [];
    const client = createClient({
      url,
      async token() {
        const exp = Math.floor(Date.now() / 1_000) + 3;
        asked.push({ at: Date.now(), until: exp * 1_000 });
        return issuer.sign({ exp });
      },
    });
    await Promise.all([client.query(head), client.query(head)]);
    expect(asked).toHaveLength(1);
    await expect.poll(() => client.query(head).then(() => asked.length), { interval: 20 }).toBe(2);
    const [first, second] = asked;
    expect(first!.until - second!.at).toBeGreaterThan(0);
    expect(first!.until - second!.at).toBeLessThan(1_000);
  });

  it('is requested again if the server refuses it, once', async () => {
    const tokens = [await issuer.sign(), await issuer.sign({ aud: 'another' })];
    const asked: string[] = [];
    const client = createClient({ url, token: () => asked[asked.push(tokens.pop()!) - 1]! });
    expect((await client.query(head)).errors).toBeUndefined();
    expect(asked).toHaveLength(2);
    const refused = createClient({ url, token: () => issuer.sign({ aud: 'another' }) });
    expect(await failure(refused.query(head))).toMatchObject(['UNAUTHENTICATED', [], {}]);
  });

  it('that is a text is used as it is', async () => {
    const client = createClient({ url, token: await issuer.sign() });
    expect((await client.query(head)).errors).toBeUndefined();
    const old = createClient({ url, token: await issuer.sign({ exp: 1 }) });
    expect(await failure(old.query(head))).toMatchObject(['UNAUTHENTICATED', [], {}]);
  });

  it('that cannot be requested is an error', async () => {
    const client = createClient({ url, token: () => Promise.reject(new Error('no session')) });
    const error = await client.query(head).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'TOKEN_FAILED',
      message: 'The token request failed: no session',
      cause: expect.any(Error),
    });
  });
});
