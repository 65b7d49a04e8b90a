import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { runsAll } from '../../support/atRandom.ts';
import { usedMemory } from '../../support/memory.ts';
import { post, send, sendWritten } from '../../support/wire.ts';
import { open as openConnection, startTarget, type Target } from './setup.ts';

let target: Target;
let limited: Target;

beforeAll(async () => {
  // The share of documents is then 5 MiB.
  target = await startTarget({ server: { limits: { 'cache.bytes': 64 * 2 ** 20 } } });
  limited = await startTarget({ server: { limits: { 'graphql.bytes': 200 } } });
});

afterAll(async () => {
  await target.isWell();
  await target.close();
  await limited.close();
});

/** Returns by how much memory use grows, in MiB, after this many distinct documents, eight at a time. */
async function growth(count: number, document: (index: number) => string): Promise<number> {
  const sendAll = async (from: number, to: number): Promise<void> => {
    let next = from;
    const sender = async (): Promise<void> => {
      while (next < to) {
        next += 1;
        await (await target.post(document(next))).text();
      }
    };
    await Promise.all(Array.from({ length: 8 }, sender));
  };
  await sendAll(0, 8);
  const before = await usedMemory();
  await sendAll(8, count);
  return Math.round(((await usedMemory()) - before) / 2 ** 20);
}

describe('distinct documents', { timeout: 120_000 }, () => {
  it.runIf(runsAll)('with a comment of 1.4 MB each use no memory', async () => {
    expect(await growth(20, (index) => `{ head { height } } # ${index} ${'x'.repeat(1_400_000)}`)).toBeLessThan(10);
  });

  it.runIf(runsAll)('of 12 kB each use at most the memory of the cache, valid or not', async () => {
    const numbers = `[${'12345 '.repeat(225)}] `.repeat(8);
    const list = `module(method: "cosmos.bank.v1beta1.Query/Params", request: [${numbers}])`;
    expect(await growth(80, (index) => `query Q${index} { ${list} }`)).toBeLessThan(14);
    expect(await growth(40, (index) => `query Q${index} { nope ${list} }`)).toBeLessThan(5);
    expect(await growth(40, (index) => `query Q${index} { ${list}`)).toBeLessThan(5);
  });
});

describe('subscriptions', () => {
  it.runIf(runsAll)('keep no memory of the request that opened them', async () => {
    const { url } = target.stack.server;
    const openStream = async (index: number): Promise<() => void> => {
      const query = `subscription { a${index}: newBlock { height } }`;
      const junk = 'x'.repeat(700_000);
      const body = JSON.stringify({ query, variables: { junk }, extensions: { junk } });
      const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: text/event-stream\r\n`;
      const socket = await openConnection(url);
      socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
      const [first]: Buffer[] = await once(socket, 'data');
      expect(String(first)).toContain('200 OK');
      return () => void socket.destroy();
    };
    (await openStream(1_000))();
    const before = await usedMemory();
    const leave: (() => void)[] = [];
    for (let index = 0; index < 20; index += 1) leave.push(await openStream(index));
    expect(Math.round(((await usedMemory()) - before) / 2 ** 20)).toBeLessThan(8);
    for (const end of leave) end();
  });
});

describe('graphql.bytes', () => {
  const [short, long] = [100, 200].map((size) => `{ head { height } } #${'x'.repeat(size)}`);
  const tooLong = {
    message: 'At most 200 bytes are allowed (graphql.bytes); this document has 221.',
    extensions: { code: 'OPERATION_TOO_COMPLEX', limit: 'graphql.bytes', value: '221', max: 200 },
  };
  const json = { 'content-type': 'application/json' };

  it('limits the size of a document by POST and by GET', async () => {
    const { url } = limited.stack.server;
    expect(JSON.parse((await post(url, short!)).body)).toMatchObject({ data: { head: {} } });
    expect(JSON.parse((await post(url, long!)).body).errors).toEqual([tooLong]);
    const get = (query: string) =>
      send(`${url}/graphql?query=${encodeURIComponent(query)}`, { headers: { accept: 'application/graphql-response+json' } });
    expect((await get(short!)).status).toBe(200);
    const refused = await get(long!);
    expect([refused.status, JSON.parse(refused.body).errors]).toEqual([400, [tooLong]]);
    // A form is not a GraphQL request.
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = `query=${encodeURIComponent(long!)}`;
    expect((await send(`${url}/graphql`, { method: 'POST', headers: form, body })).status).toBe(415);
  });

  it('applies to server-sent events and WebSockets', async () => {
    const { url } = limited.stack.server;
    const stream = (size: number) => `subscription { newBlock { height } } #${'x'.repeat(size)}`;
    const headers = { ...json, accept: 'text/event-stream' };
    const answer = await send(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: stream(300) }) });
    expect(answer.body).toContain('graphql.bytes');
    expect(await sendWritten(url, JSON.stringify({ query: short }))).toMatchObject({ data: { head: {} } });
    for (const query of [long, stream(300)])
      expect(await sendWritten(url, JSON.stringify({ query }))).toMatchObject({
        errors: [{ extensions: { code: 'OPERATION_TOO_COMPLEX', limit: 'graphql.bytes' } }],
      });
  });
});

interface Located {
  readonly errors: readonly { readonly message: string; readonly locations: readonly unknown[] }[];
}

describe('the locations of errors', () => {
  /** Returns the locations of errors for each layout of a document, over HTTP and on a WebSocket. */
  async function locations(query: string, variables = {}): Promise<unknown[]> {
    const body = JSON.stringify({ query, variables });
    const { url } = target.stack.server;
    const posted = (await (await target.post(query, { variables })).json()) as Located;
    const sent = (await sendWritten(url, body)) as unknown as Located;
    expect(sent.errors.map(({ locations: found }) => found)).toEqual(posted.errors.map(({ locations: found }) => found));
    return posted.errors.map(({ locations: found }) => found);
  }

  it('of fields refer to the text of the request, whichever layout was cached first', async () => {
    const failing = (gap: string) => `{${gap}a: groups(first: -1) {${gap}nodes { id } } }`;
    expect(await locations(failing(' '))).toEqual([[{ line: 1, column: 3 }]]);
    expect(await locations(failing('\n\n  # a comment\n    '))).toEqual([[{ line: 4, column: 5 }]]);
    expect(await locations(failing(',,,,\t\r\n  '))).toEqual([[{ line: 2, column: 3 }]]);
    expect(await locations(failing(' '))).toEqual([[{ line: 1, column: 3 }]]);
  });

  it('of values and variables refer to the text of the request', async () => {
    const value = (gap: string) => `query V($first: Int!)${gap}{ groups(first: $first) { nodes { id } } }`;
    const given = (gap: string) => `query G(${gap}$height: Int64!) { block(height: $height) { height } }`;
    for (const [gap, line] of [
      [' ', 1],
      ['\n# x\n', 3],
    ] as const) {
      expect(await locations(value(gap), {})).toEqual([[{ line: 1, column: 9 }]]);
      expect(await locations(`${gap}${value(' ')}`, {})).toEqual([[{ line, column: line === 1 ? 10 : 9 }]]);
      expect(await locations(given(gap), { height: 'x' })).toEqual([[{ line, column: line === 1 ? 10 : 1 }]]);
    }
  });

  it('of an invalid document refer to the text of the request', async () => {
    expect(await locations('{ head { height } nope }')).toEqual([[{ line: 1, column: 19 }]]);
    expect(await locations('{ head { height }\n # x\n  nope }')).toEqual([[{ line: 3, column: 3 }]]);
    expect(await locations('# x\n{ head { height }')).toEqual([[{ line: 2, column: 18 }]]);
    expect(await locations('{ head\n { height ? } }')).toEqual([[{ line: 2, column: 11 }]]);
    expect(await locations('{ a: """\n\n x\n""" ]')).toEqual([[{ line: 1, column: 6 }]]);
    expect(await locations('{ block(description: """\n\n x\n""") { height } nope }')).toMatchObject([
      [{ line: 1 }],
      [{ line: 4, column: 17 }],
    ]);
  });

  it('of a subscription that cannot be opened refer to the text of the request', async () => {
    const socket = new WebSocket(`${target.stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    for (const [id, gap] of [' ', '\n\n'].entries()) {
      const query = `subscription {${gap}events(query: "nope nope") { height } }`;
      socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query } }));
      const [message]: Buffer[] = await once(socket, 'message');
      const { payload } = JSON.parse(String(message));
      const place = id === 0 ? { line: 1, column: 16 } : { line: 3, column: 1 };
      expect([payload].flat()[0].errors ?? payload).toMatchObject([{ locations: [place] }]);
    }
    socket.terminate();
  });
});
