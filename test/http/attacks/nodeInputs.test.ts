import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runsAll } from '../../support/atRandom.ts';
import { overEvents, overWebSocket } from '../../support/listeners.ts';
import { startTarget, type Target } from './setup.ts';

let target: Target;

beforeAll(async () => {
  target = await startTarget();
});

afterEach(async () => {
  target.chain.node.heal();
  await target.isWell();
});

afterAll(() => target.close());

const { stringify } = JSON;

describe('T23: paths of abci_query', () => {
  it('that are invalid are refused without a call to a node', async () => {
    let connections = 0;
    const canary = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(canary, 'listening');
    const { port } = canary.address() as AddressInfo;
    const { chain, stack } = target;
    chain.node.counters.reset();
    for (const path of [
      '/p2p/filter/addr/1.2.3.4',
      '/p2p/filter/id/0',
      '../',
      '/../../etc/passwd',
      '/cosmos.bank.v1beta1.Query/../Params',
      '/cosmos.bank.v1beta1.Query/Params\r\nx-evil: 1',
      '/cosmos.bank.v1beta1.Query/Params\n',
      `/cosmos.bank.v1beta1.Query/${'x'.repeat(60_000)}`,
      '/cosmos.bank.v1beta1.Query/Pаrams',
      '/store/acc/../key',
      '/store/acc/iterator',
      '/app/simulate',
      '/cosmos.tx.v1beta1.Service/BroadcastTx',
      '',
      '/',
      `http://127.0.0.1:${port}/a.B/C`,
      `//127.0.0.1:${port}/a.B/C`,
      `@127.0.0.1:${port}/a.B/C`,
    ]) {
      const { body } = await stack.ask(`{ abciQuery(path: ${stringify(path)}, data: "") { code } }`);
      expect(body.errors, path.slice(0, 100)).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'path' } }]);
      const method = await stack.ask(`{ module(method: ${stringify(path)}) }`);
      expect(method.body.errors, path.slice(0, 100)).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
    expect(
      chain.node.counters.log.filter(
        ({ method, params }) => method === 'abci_query' && !stringify(params).includes('reflection'),
      ),
    ).toEqual([]);
    expect(connections).toBe(0);
    canary.close();
  });

  it('that are valid are sent to the node unchanged, in the body of a call', async () => {
    const { chain, stack } = target;
    chain.node.counters.reset();
    for (const path of ['/app/version', '/store/acc/key', '/cosmos.bank.v1beta1.Query/Params']) {
      const { body } = await stack.ask(`{ abciQuery(path: ${stringify(path)}, data: "") { code height } }`);
      expect(body.data, path).toMatchObject({ abciQuery: { height: expect.stringMatching(/^\d+$/) } });
    }
    const asked = chain.node.counters.log.filter(({ method }) => method === 'abci_query');
    expect(asked.map(({ params }) => (params as { path: string }).path)).toEqual([
      '/app/version',
      '/store/acc/key',
      '/cosmos.bank.v1beta1.Query/Params',
    ]);
    // The chain itself refuses a service that it does not have.
    const { body } = await stack.ask('{ abciQuery(path: "/no.such.Query/Method", data: "") { code codespace log } }');
    expect(body.data).toMatchObject({
      abciQuery: { code: '6', codespace: 'sdk', log: expect.stringContaining('unknown query path') },
    });
  });
});

describe('T25: queries of events', () => {
  const wrong: readonly [query: string, message: RegExp][] = [
    ["tm.event='NewBlock' OR 1=1", /^failed to parse query: /],
    ["'NewBlock' AND tx.height>0", /^failed to parse query: /],
    ["tm.event='NewBlock' AND tx.height > DATE junk", /^failed to parse query: /],
    ["tm.event='NewBlock' AND tx.height > TIME 2026", /^failed to parse query: /],
    ['tx.height > -1', /^failed to parse query: /],
    ["tm.event='NewBlock'; tm.event='Tx'", /^failed to parse query: /],
    ["(tm.event='NewBlock')", /^failed to parse query: /],
    ["NOT tm.event='NewBlock'", /^failed to parse query: /],
    [`a.b = '${'x'.repeat(507)}'`, /^maximum query length exceeded$/],
  ];

  it.each(wrong)(
    '%s is refused by a search and by a stream over each transport, without a call to a node',
    async (query, message) => {
      const { chain, stack } = target;
      chain.node.counters.reset();
      const refused = [{ message: expect.stringMatching(message), extensions: { code: 'BAD_USER_INPUT', argument: 'query' } }];
      expect(
        (await stack.ask('query ($q: String) { transactions(query: $q) { totalCount } }', { q: query })).body.errors,
      ).toMatchObject(refused);
      for (const field of ['transactions(query: $q) { hash }', 'events(query: $q) { height }']) {
        const document = `subscription ($q: String) { ${field} }`;
        const socket = await overWebSocket(stack.server.url, document, { q: query });
        expect(await socket.ended).toBe('complete');
        expect(socket.answers).toMatchObject([{ errors: refused }]);
        await socket.leave();
        const response = await fetch(`${stack.server.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
          body: stringify({ query: document, variables: { q: query } }),
        });
        expect(await response.text()).toMatch(/failed to parse query|maximum query length exceeded/);
      }
      expect(chain.node.counters.byMethod).not.toHaveProperty('tx_search');
      expect(chain.node.counters.byMethod).not.toHaveProperty('subscribe');
    },
  );

  it('within the grammar are accepted: AND, EXISTS, and 512 bytes', async () => {
    const { stack } = target;
    for (const query of [
      "tm.event='NewBlock' AND a.b EXISTS",
      `a.b = '${'x'.repeat(505)}'`,
      "a.b CONTAINS 'x' AND tx.height >= 1",
    ]) {
      const listener = await overEvents(stack.server.url, 'subscription ($q: String) { events(query: $q) { height } }', {
        q: query,
      });
      await listener.leave();
    }
  });

  it('`where` cannot inject query text: quotes and keywords in it are values, or refused', async () => {
    const { chain, stack } = target;
    chain.node.counters.reset();
    const search = (key: string, value: string) =>
      stack.ask('query ($w: [EventCondition!]) { transactions(where: $w) { totalCount } }', {
        w: [{ key, op: 'EQUAL', value }],
      });
    for (const [key, value] of [
      ['a.b', "x' AND tx.height > 0 AND a.b = 'y"],
      ["a.b = 'x' AND c.d", 'y'],
      ['AND', 'y'],
      ['a.b EXISTS', 'y'],
      ['tx.height', '1 OR 1=1'],
    ] as const)
      expect((await search(key, value)).body.errors, key).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT', argument: 'where' } },
      ]);
    expect(chain.node.counters.byMethod.tx_search).toBeUndefined();
    expect((await search('a.b', 'x OR 1=1')).body).toMatchObject({ data: { transactions: { totalCount: '0' } } });
  });
});

describe('T27: invalid transactions', () => {
  const ways = [
    'query ($tx: String!) { checkTx(tx: $tx) { code codespace } }',
    'mutation ($tx: String!) { broadcastTxSync(tx: $tx) { status checkTx { code codespace } } }',
    'mutation ($tx: String!) { broadcastTxAsync(tx: $tx) { status } }',
    'mutation ($tx: String!) { broadcastTxCommit(tx: $tx) { status checkTx { code codespace } } }',
  ];
  const base64 = (bytes: number): string => Buffer.alloc(bytes, 7).toString('base64');

  it.each(ways)('%s: one byte too long, or empty, is refused without sending', async (way) => {
    const { chain, stack } = target;
    chain.node.counters.reset();
    const tooLarge = await stack.ask(way, { tx: base64(1_048_577) });
    expect(tooLarge.body.errors).toMatchObject([
      {
        message: 'Tx too large. Max size is 1048576, but got 1048577',
        extensions: { code: 'BAD_USER_INPUT', argument: 'tx', bound: 'at most 1048576 bytes' },
      },
    ]);
    for (const tx of ['', '0x', '""'])
      expect((await stack.ask(way, { tx })).body.errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT', argument: 'tx' } },
      ]);
    expect((await stack.ask(way, { tx: `0x${'07'.repeat(1_048_577)}` })).status).toBe(413);
    expect(Object.keys(chain.node.counters.byMethod).filter((method) => /tx/.test(method))).toEqual([]);
  });

  it('by submitTx as well, over a stream', async () => {
    const { chain, stack } = target;
    chain.node.counters.reset();
    for (const [tx, message] of [
      [base64(1_048_577), 'Tx too large'],
      ['', 'and not empty'],
    ]) {
      const response = await fetch(`${stack.server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: stringify({ query: 'subscription ($tx: String!) { submitTx(tx: $tx) { stage } }', variables: { tx } }),
      });
      const text = await response.text();
      expect(text).toContain(message);
      expect(text).toContain('BAD_USER_INPUT');
    }
    expect(chain.node.counters.byMethod).not.toHaveProperty('broadcast_tx_sync');
  });

  it.runIf(runsAll)(
    'that is not protobuf is CheckTx code 2, returned as data; the largest one is sent to the node',
    async () => {
      const { stack } = target;
      const code2 = { code: 2, codespace: 'sdk' };
      for (const tx of [base64(3), base64(700_000)]) {
        expect((await stack.ask(ways[0]!, { tx })).body).toMatchObject({ data: { checkTx: code2 } });
        for (const name of ['Sync', 'Commit'])
          expect((await stack.ask(ways.find((way) => way.includes(name))!, { tx })).body).toMatchObject({
            data: { [`broadcastTx${name}`]: { status: 'REJECTED', checkTx: code2 } },
          });
      }
      // A node's own limit on bodies, 1,000,000 bytes, is below that of its transactions (docs/chain.md, "Limits of a node").
      const { body } = await stack.ask(ways[0]!, { tx: base64(1_048_576) });
      expect(body.errors).toMatchObject([{ extensions: { code: 'RPC_ERROR' } }]);
    },
  );
});
