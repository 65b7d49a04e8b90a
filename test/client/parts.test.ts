import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { buildSchema } from 'graphql';
import { applyPatch as applyReference, type Operation } from 'rfc6902';
import { describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createClient } from '../../packages/client/src/index.ts';
import { applyPatch, type PatchOperation } from '../../packages/client/src/patch.ts';
import { createPlace } from '../../packages/client/src/place.ts';
import { createSocket } from '../../packages/client/src/socket.ts';
import { createTokens } from '../../packages/client/src/tokens.ts';
import { clientErrorCodes } from '../../scripts/clientErrorCodes.ts';
import { createPatch } from '../../src/graphql/live/jsonPatch.ts';
import { fc, runsAll } from '../support/atRandom.ts';
import { startChain } from '../support/chain.ts';
import { startStack } from '../support/stack.ts';
import { startFaultyRelay } from './relay.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('the error codes of the client are those of the schema', () => {
  const schema = buildSchema(read('schema/schema.graphql'), { assumeValid: true });
  expect(read('packages/client/src/gen/errorCode.ts')).toBe(clientErrorCodes(schema));
});

describe('applyPatch', () => {
  it('gives the result that the server made the patch of, and leaves the old one as it was', () => {
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(json, json, (from, to) => {
        const [old, next] = [{ data: from }, { data: to }];
        const patch = createPatch(old, next) as PatchOperation[];
        const before = structuredClone(old);
        const reference = structuredClone(old);
        applyReference(reference, structuredClone(patch) as Operation[]);
        const applied = applyPatch(old, patch);
        expect(applied).toEqual(next);
        expect(applied).toEqual(reference);
        expect(old).toEqual(before);
      }),
    );
  });
});

describe('createPlace', () => {
  /** A block, or a part of its events, as a connection sends it. */
  const events = (height: number, count: number, from = 0, to = count) =>
    Array.from({ length: to - from }, (_, at) => ({ height: String(height), index: from + at, count }));

  it('accepts each event once and in order, wherever connections are cut', () => {
    const blocks = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 })), {
      minLength: 1,
      maxLength: 8,
    });
    const cuts = fc.array(fc.nat(12), { maxLength: 8 });
    fc.assert(
      fc.property(blocks, cuts, (gaps, lengths) => {
        let height = 0;
        const all = gaps.flatMap(([gap, count]) => {
          height += gap;
          return events(height, count);
        });
        const place = createPlace(0n);
        const accepted: unknown[] = [];
        for (const length of [...lengths, all.length]) {
          const sent = all.filter((event) => BigInt(event.height) > place.after()!).slice(0, length);
          accepted.push(...sent.filter((event) => place.accept(event)));
        }
        expect(accepted).toEqual(all);
      }),
    );
  });

  it('resumes before a block of which some events have arrived, and behind what the server says that it has sent', () => {
    const place = createPlace(undefined);
    expect(place.after()).toBeUndefined();
    for (const event of events(7, 3, 0, 2)) expect(place.accept(event)).toBe(true);
    expect([place.after(), place.isWhole(), place.isAbove(6n), place.isAbove(7n)]).toEqual([6n, false, true, false]);
    place.reached(9n);
    expect([place.after(), place.isWhole()]).toEqual([9n, true]);
    place.reached(8n);
    expect(place.after()).toBe(9n);
  });
});

it.runIf(runsAll)('a connection that is silent, but open, is given up', async () => {
  const chain = await startChain({ bare: true });
  const stack = await startStack([chain.node.url]);
  const relay = await startFaultyRelay(stack.server.url);
  const socket = createSocket({
    url: `${relay.url.replace('http', 'ws')}/graphql`,
    tokens: createTokens(undefined),
    webSocket: WebSocket,
    onConnected: () => undefined,
    pingInterval: 50,
    patience: 1_000,
  });
  const received: unknown[] = [];
  const next = (result: unknown): boolean => received.push(result) > 0;
  const { signal } = new AbortController();
  const run = () => socket.run({ query: 'subscription { newBlock(after: 0) { height } }' }, { next }, signal);
  const first = run();
  first.catch(() => undefined);
  await expect.poll(() => received.length).toBe(1);
  relay.stall();
  await expect(first).rejects.toMatchObject({ code: 'CONNECTION_FAILED', facts: { closeCode: 4499 } });
  // A connection that does not begin.
  await expect(run()).rejects.toMatchObject({ code: 'CONNECTION_FAILED', facts: { closeCode: 4499 } });
  socket.close();
  await relay.close();
  await stack.close();
  await chain.devnet.close();
});

describe('a stream that the server ends with an error', () => {
  /** A server that sends block 5 to the first subscription and block 6 to the second, and ends the first with an error. */
  async function startScript(code: string, facts: object) {
    const server = new WebSocketServer({ port: 0, handleProtocols: () => 'graphql-transport-ws' });
    const afters: unknown[] = [];
    server.on('connection', (socket) =>
      socket.on('message', (data) => {
        const { type, id, payload } = JSON.parse(String(data));
        const send = (message: object): void => socket.send(JSON.stringify(message));
        if (type === 'connection_init') send({ type: 'connection_ack' });
        if (type !== 'subscribe') return;
        const height = String(5 + afters.push(payload.variables.after) - 1);
        send({ id, type: 'next', payload: { data: { height }, extensions: { height, index: 0, count: 1 } } });
        if (afters.length === 1) send({ id, type: 'error', payload: [{ message: code, extensions: { code, ...facts } }] });
      }),
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = createClient({ url: `http://127.0.0.1:${port}/graphql`, webSocket: WebSocket });
    const events = client.subscribe<{ height: string }>('subscription ($after: Int64) { a(after: $after) }', {}, { after: 4 });
    const close = (): void => {
      client.close();
      server.close();
    };
    return { events, afters, close };
  }

  it.each([
    ['SLOW_CONSUMER', { after: '5' }],
    ['RATE_LIMITED', { retryAfter: 0.01 }],
    ['NODE_INCONSISTENT', { height: '6' }],
    ['NODE_INCONSISTENT', { height: '5', after: '5' }],
    ['INTERNAL_SERVER_ERROR', {}],
    ['A_CODE_OF_LATER', {}],
  ])('goes on after %s %j', async (code, facts) => {
    const { events, afters, close } = await startScript(code, facts);
    expect([(await events.next()).value.height, (await events.next()).value.height]).toEqual(['5', '6']);
    expect(afters).toEqual(['4', '5']);
    close();
  });

  it.each([
    ['NODE_INCONSISTENT', { height: '5' }],
    ['NODE_INCONSISTENT', { height: '5', after: '4' }],
    ['CHAIN_RESET', { latestHeight: '1' }],
    ['HEIGHT_PRUNED', { earliestHeight: '100' }],
  ])('ends after %s %j', async (code, facts) => {
    const { events, close } = await startScript(code, facts);
    expect((await events.next()).value.height).toBe('5');
    await expect(events.next()).rejects.toMatchObject({ code, facts });
    close();
  });
});
