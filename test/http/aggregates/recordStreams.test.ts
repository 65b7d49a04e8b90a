import { once } from 'node:events';
import { request as createRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseError } from '../../../src/archive/database/database.ts';
import { Archive } from '../../../src/archive/setup/archive.ts';
import { createArchiveReader } from '../../../src/archive/store/reader.ts';
import type { Limits } from '../../../src/config/limits/limits.ts';
import type { RequestLine } from '../../../src/server/observability/requestLog.ts';
import { type PlainArchive, sqliteArchive } from '../../support/archive/databases.ts';
import { manyProposals } from '../../support/archive/manyProposals.ts';
import { hashAt } from '../../support/archive/simulation.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { csvObjects, parseCsv } from '../../support/csv.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** 500 proposals of 20 KB: 25 pages and 10 MB, more than the buffers of a connection. */
const proposals = 500;
const summary = 'x'.repeat(20_000);
/** Texts that a spreadsheet would execute, and texts that need quotes. */
const titles = [
  '=1+1',
  ' =1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1',
  '\n=1',
  'a "quoted", text\r\nof two lines',
  'a=1',
  "'x",
  '',
];

let chain: TestChain;
let archive: PlainArchive;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  archive = await sqliteArchive();
  const { height } = chain.devnet;
  await archive.begin({ height, hash: hashAt(height), facts: [] });
  const facts = manyProposals(height + 1n, {
    proposals,
    votes: 2,
    summary: () => summary,
    title: (index) => titles[index] ?? 'Pay',
  });
  await archive.record({ height: height + 1n, hash: hashAt(height + 1n), previousHash: hashAt(height), facts });
  await chain.devnet.commit();
});
afterAll(async () => {
  await archive.close();
  await chain.devnet.close();
});

interface Served {
  readonly stack: Stack;
  /** Resolves to the line of the log of the next request that ends. */
  ended(): Promise<RequestLine>;
  /** Pages that were read. */
  pages(): number;
}

/** A server that reads the archive. `failAfter` is the number of pages after which reads fail. */
async function serve(
  run: (served: Served) => Promise<void>,
  { failAfter = Number.POSITIVE_INFINITY, limits }: { failAfter?: number; limits?: Partial<Limits> } = {},
): Promise<void> {
  let pages = 0;
  const reads: PlainArchive = {
    ...archive,
    scan(text, values) {
      pages += 1;
      if (pages > failAfter) return Promise.reject(new DatabaseError('LOST', 'the database is gone'));
      return archive.scan(text, values);
    },
  };
  const waiting: ((line: RequestLine) => void)[] = [];
  const log = { request: (line: RequestLine) => void waiting.shift()?.(line), dropped: () => 0 };
  const stack = await startStack([chain.node.url], {
    server: { log, ...(limits && { limits }) },
    client: { learnsRoots: false },
  });
  const served = new Archive({
    reader: createArchiveReader(reads, 'GOVERNANCE'),
    recording: {
      status: () => ({ state: 'RECORDING' }),
      checking: () => undefined,
      backfill: () => null,
      lag: () => 0n,
    } as never,
    onCoverage: () => () => undefined,
    addRehearsal: async () => undefined,
    addRoots: async () => undefined,
    change: async () => [],
    read: async () => [],
    past: {} as never,
    close: async () => undefined,
  });
  stack.client.attach(served);
  try {
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    await run({ stack, pages: () => pages, ended: () => new Promise((resolve) => waiting.push(resolve)) });
    expect(stack.masked).toEqual([]);
  } finally {
    await stack.close();
  }
}

/** Requests a stream whose body is not read yet. */
async function open({ stack }: Served, accept: string, path = 'proposals'): Promise<IncomingMessage> {
  const request = createRequest(`${stack.server.url}/v1/${path}`, { headers: { accept }, agent: false });
  request.end();
  const [response]: IncomingMessage[] = await once(request, 'response');
  return response!;
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Resolves when the event loop has been idle several times without a further page. */
async function settled(count: () => number): Promise<number> {
  for (let last = -1, same = 0; ; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const now = count();
    same = now === last ? same + 1 : 0;
    last = now;
    if (same === 5) return now;
  }
}

describe('the stream of a list', () => {
  it.runIf(runsAll)('has each row once, however many pages there are, and costs the points of its pages', () =>
    serve(async (served) => {
      const line = served.ended();
      const text = await bodyOf(await open(served, 'application/x-ndjson'));
      const rows = text
        .split('\n')
        .slice(0, -1)
        .map((row) => JSON.parse(row) as { readonly id: string; readonly summary: string });
      expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: proposals }, (_, index) => `${proposals - index}`));
      expect(rows.every((row) => row.summary === summary)).toBe(true);
      expect(await line).toMatchObject({ operation: 'getProposals', code: 'OK', cost: 25 * (2 + 26 * 20) });
    }),
  );

  it('reads the next page only when the client has taken the last one, and none after the client has left', () =>
    serve(async (served) => {
      const line = served.ended();
      const response = await open(served, 'application/x-ndjson');
      const read = await settled(served.pages);
      // What was read is in the buffers of the connection. The rest is not read.
      expect(read).toBeLessThan(20);
      response.destroy();
      expect(await line).toMatchObject({ operation: 'getProposals', code: 'CANCELLED' });
      expect(await settled(served.pages)).toBe(read);
    }));

  it('is cut off by a failure in the middle, so that the client notices', () =>
    serve(
      async (served) => {
        const line = served.ended();
        const response = await open(served, 'text/csv');
        expect(response.statusCode).toBe(200);
        await expect(bodyOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
        expect(response.complete).toBe(false);
        expect(await line).toMatchObject({ code: 'ARCHIVE_UNAVAILABLE' });
      },
      { failAfter: 3 },
    ));

  it('is an error response if its first page fails', () =>
    serve(
      async (served) => {
        const response = await open(served, 'text/csv');
        expect([response.statusCode, JSON.parse(await bodyOf(response))]).toEqual([
          503,
          expect.objectContaining({ code: 'ARCHIVE_UNAVAILABLE' }),
        ]);
      },
      { failAfter: 0 },
    ));

  it.runIf(runsAll)('is refused to a caller without points for a page, and waits for the points of later pages', async () => {
    await serve(
      async (served) => {
        const response = await open(served, 'text/csv');
        expect([response.statusCode, JSON.parse(await bodyOf(response))]).toEqual([
          429,
          expect.objectContaining({ code: 'RATE_LIMITED', limit: 'rate.points' }),
        ]);
        expect(served.pages()).toBe(0);
      },
      { limits: { 'rate.points': 60, 'rate.burst': 100 } },
    );
    await serve(
      async (served) => {
        expect(parseCsv(await bodyOf(await open(served, 'text/csv')))).toHaveLength(1 + proposals);
      },
      // 8,050 points are needed.
      { limits: { 'rate.points': 600_000, 'rate.burst': 7_000 } },
    );
  });

  it('has all votes, and none for an account without votes', () =>
    serve(async (served) => {
      const votes = csvObjects(await bodyOf(await open(served, 'text/csv', 'proposals/7/votes')));
      expect(votes.map(({ voter, weight }) => [voter, weight])).toEqual([
        ['tp1voter000000', '1'],
        ['tp1voter000001', '1'],
      ]);
      const none = await bodyOf(await open(served, 'text/csv', `accounts/${chain.accounts[0]!.address}/votes`));
      expect(parseCsv(none)).toHaveLength(1);
    }));
});

describe('CSV', () => {
  it('quotes the texts of users, and no spreadsheet takes one for a formula', () =>
    serve(async (served) => {
      const text = await bodyOf(await open(served, 'text/csv'));
      const written = csvObjects(text)
        .toReversed()
        .slice(0, titles.length)
        .map(({ title }) => title);
      expect(written).toEqual(titles.map((title) => (/^[ =+\-@\t\r\n]/.test(title) ? `'${title}` : title)));
      expect(text).toContain(`1,"'=1+1",`);
      // NDJSON has the exact text.
      const lines = (await bodyOf(await open(served, 'application/x-ndjson'))).split('\n').slice(0, -1).toReversed();
      const exact = lines.slice(0, titles.length).map((line) => (JSON.parse(line) as { readonly title: string }).title);
      expect(exact).toEqual(titles);
    }));
});
