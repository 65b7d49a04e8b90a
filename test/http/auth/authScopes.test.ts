import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { overEvents, overWebSocket } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { openSocket, post, send } from '../../support/wire.ts';

let chain: TestChain;
let issuer: TestIssuer;
let stack: Stack;
let url: string;
let token: string;

const query = '{ head { height } }';
const bearer = (text: string): { authorization: string } => ({ authorization: `Bearer ${text}` });
const withScopes = (scope: string, sub = 'somebody'): Promise<string> => issuer.sign({ scope, sub });

beforeAll(async () => {
  chain = await startChain({ bare: true });
  issuer = await startIssuer();
  stack = await startStack([chain.node.url], {
    server: { auth: authenticatorOf(issuer), limits: { 'rate.failedAuthentications': 0 } },
  });
  ({ url } = stack.server);
  token = await issuer.sign();
});

afterAll(async () => {
  await stack.close();
  await issuer.close();
  await chain.devnet.close();
});

afterEach(async () => {
  const { status, body } = await post(url, query, bearer(token));
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ data: { head: { height: expect.stringMatching(/^\d+$/) } } });
  expect(stack.masked).toEqual([]);
});

describe('T19', () => {
  const forbidden = (scope: string): object => ({
    errors: [
      { message: `This operation needs a token with the scope \`${scope}\`.`, extensions: { code: 'FORBIDDEN', scope } },
    ],
  });
  const submit = 'subscription { submitTx(tx: "AA==") { stage } }';

  /** The calls to the node for operations, without those of the server itself. */
  const reads = (): unknown => {
    const { abci_query, broadcast_tx_sync, block } = chain.node.counters.byMethod;
    return { abci_query, broadcast_tx_sync, block };
  };

  it.each([
    ['a mutation', 'read introspect', 'mutation { broadcastTxSync(tx: "AA==") { hash } }', 'broadcast'],
    ['a mutation with __typename only', 'read', 'mutation { __typename }', 'broadcast'],
    ['a mutation that sends', 'read', submit, 'broadcast'],
    ['a read', 'broadcast introspect', query, 'read'],
    ['a read in a fragment', 'introspect', 'query { ...F } fragment F on Query { ... on Query { head { height } } }', 'read'],
    ['a read', '', query, 'read'],
    ['a subscription', 'broadcast', 'subscription { newBlock { height } }', 'read'],
    ['the schema', 'read broadcast', '{ __schema { queryType { name } } }', 'introspect'],
    ['a type', 'read broadcast', '{ head { height } __type(name: "Block") { name } }', 'introspect'],
    ['the schema as a subgraph', 'read broadcast', '{ _service { sdl } }', 'introspect'],
  ])('refuses %s with the scopes `%s`: %s', async (_, scopes, document, scope) => {
    const before = reads();
    const few = await withScopes(scopes);
    for (const accept of ['application/json', 'application/graphql-response+json', 'text/event-stream']) {
      const answer = await post(url, document, { ...bearer(few), accept });
      const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([403, challenge]);
      if (accept !== 'text/event-stream')
        expect(JSON.parse(answer.body)).toEqual({ ...forbidden(scope), extensions: { height: '1' } });
    }
    const listener = await overWebSocket(url, document, {}, few);
    expect(await listener.ended).toEqual(forbidden(scope));
    await listener.leave();
    expect(reads()).toEqual(before);
  });

  it('allows each scope its operations', async () => {
    expect((await post(url, query, bearer(await withScopes('read')))).status).toBe(200);
    expect((await post(url, '{ __typename }', bearer(await withScopes('')))).status).toBe(200);
    const schema = await post(url, '{ __schema { queryType { name } } }', bearer(await withScopes('introspect')));
    expect(schema.body).toContain('"queryType":{"name":"Query"}');
    const sent = await post(url, 'mutation { broadcastTxSync(tx: "AA==") { status } }', bearer(await withScopes('broadcast')));
    expect(JSON.parse(sent.body)).toMatchObject({ data: { broadcastTxSync: { status: 'REJECTED' } } });
    expect((await send(`${url}/schema.graphql`, { headers: bearer(await withScopes('introspect')) })).status).toBe(200);
    const refused = await send(`${url}/schema.graphql`, { headers: bearer(await withScopes('read broadcast')) });
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([
      403,
      { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    ]);
  });

  describe('with `broadcast` alone', () => {
    const sent = `hash status height duplicate confirmedBy checkTx { code codespace log info data gasWanted gasUsed events { type json attributes { key value } } }
      txResult { code log events(type: "tx") { type msgIndex } } attempts { node height outcome error }`;
    const own = `hash tx memo timeoutHeight height index code codespace log info data gasWanted gasUsed json events { type }
      messages { type value json } fee { gasLimit amount { denom amount } }`;

    /** Returns a mutation with this selection on its result. */
    const mutation = (fields: string, name = 'broadcastTxSync'): string => `mutation { ${name}(tx: "AA==") { ${fields} } }`;

    it.each([
      ['the result of broadcastTxSync', mutation(`__typename ${sent}`)],
      ['the result of broadcastTxAsync', mutation(sent, 'broadcastTxAsync')],
      ['the transaction that it sent', mutation(`transaction { __typename ${own} }`)],
      ['the same by its interface', mutation('transaction { ... on SignedTransaction { hash tx memo messages { type } } }')],
      [
        'the same in fragments',
        `${mutation('...F')} fragment F on BroadcastResult { transaction { ...T } } fragment T on Transaction { code }`,
      ],
      ['evidence', 'mutation { broadcastEvidence(evidence: { type: "a", value: {} }) }'],
    ])('reads %s', async (_, document) => {
      const { status, body } = await post(url, document, bearer(await withScopes('broadcast')));
      expect(status).toBe(200);
      expect(body).not.toContain('FORBIDDEN');
    });

    it('reads each step of submitTx', async () => {
      const document = `subscription { submitTx(tx: "AA==") { stage height final hash checkTx { code } attempt { outcome } transaction { ${own} } } }`;
      const listener = await overWebSocket(url, document, {}, await withScopes('broadcast'));
      expect(await listener.ended).toBe('complete');
      expect(listener.answers).toMatchObject([{ data: { submitTx: { stage: 'REJECTED' } } }]);
      await listener.leave();
    });

    it.each(
      some(
        [
          ['the block', 'transaction { block { height } }'],
          ['the time of the block', 'transaction { time }'],
          ['the proof', 'transaction { proof { rootHash } }'],
          ['an account', 'transaction { signers { address balance(denom: "nhash") { amount } } }'],
          ['an account, by the interface', 'transaction { ... on SignedTransaction { signers { address } } }'],
          ['who pays', 'transaction { fee { payer { address } } }'],
          ['a marker', 'transaction { fee { amount { marker { denom } } } }'],
          ['the display of an amount', 'transaction { fee { amount { display { amount } } } }'],
          ['a sentence, with amounts in display units', 'transaction { messages { inWords } }'],
          ['transfers', 'transaction { transfers { height } }'],
        ],
        3,
      ),
    )('is refused %s, and no transaction is sent', async (_, fields) => {
      const few = await withScopes('broadcast');
      const before = reads();
      for (const document of [mutation(fields), `${mutation('...F')} fragment F on BroadcastResult { ${fields} }`]) {
        const answer = await post(url, document, bearer(few));
        const challenge = 'Bearer error="insufficient_scope", scope="read"';
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([403, challenge]);
        expect(JSON.parse(answer.body)).toEqual({ ...forbidden('read'), extensions: { height: '1' } });
      }
      for (const document of [mutation(fields), `subscription { submitTx(tx: "AA==") { ${fields} } }`]) {
        const listener = await overWebSocket(url, document, {}, few);
        expect(await listener.ended).toEqual(forbidden('read'));
        await listener.leave();
      }
      expect(reads()).toEqual(before);
      const both = await post(url, mutation(fields), bearer(await withScopes('broadcast read')));
      expect([both.status, JSON.parse(both.body)]).toMatchObject([200, { data: { broadcastTxSync: { transaction: null } } }]);
    });

    it('reads nothing else over REST and the node RPC', async () => {
      const headers = { ...bearer(await withScopes('broadcast')), 'content-type': 'application/json' };
      const call = (method: string, params: object): Promise<number> => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
        return send(`${url}/comet`, { method: 'POST', headers, body }).then((answer) => answer.status);
      };
      expect(await call('broadcast_tx_sync', { tx: 'AA==' })).toBe(200);
      for (const [method, params] of [
        ['tx', { hash: '' }],
        ['check_tx', { tx: 'AA==' }],
        ['abci_query', { path: '/cosmos.bank.v1beta1.Query/Params', data: '', height: '0', prove: false }],
      ] as const)
        expect([method, await call(method, params)]).toEqual([method, 403]);
      const tx = JSON.stringify({ tx_bytes: 'AA==', mode: 'BROADCAST_MODE_SYNC' });
      expect((await send(`${url}/rest/cosmos/tx/v1beta1/txs`, { method: 'POST', headers, body: tx })).status).toBe(200);
      for (const path of ['/cosmos/bank/v1beta1/params', `/rest/cosmos/tx/v1beta1/txs/${'0'.repeat(64)}`])
        expect((await send(`${url}${path}`, { headers })).status).toBe(403);
      const simulated = { method: 'POST', headers, body: JSON.stringify({ tx_bytes: 'AA==' }) };
      expect((await send(`${url}/rest/cosmos/tx/v1beta1/simulate`, simulated)).status).not.toBe(200);
    });
  });

  it('checks the chosen operation, not others in the document', async () => {
    const document = `query Read { head { height } } mutation Send { broadcastTxSync(tx: "AA==") { hash } }`;
    const headers = { 'content-type': 'application/json', ...bearer(await withScopes('read')) };
    const ask = (operationName: string) =>
      send(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: document, operationName }) });
    expect((await ask('Read')).status).toBe(200);
    expect((await ask('Send')).status).toBe(403);
  });

  it.each([
    ['a list', { scope: undefined, scp: ['read'] }],
    ['a `scope` with other names', { scope: 'profile read email' }],
  ])('reads scopes from %s', async (_, claims) => {
    expect((await post(url, query, bearer(await issuer.sign(claims)))).status).toBe(200);
  });
});

describe('T20', () => {
  const expired = (): Promise<string> => issuer.sign({ exp: Math.floor(Date.now() / 1000) - 60 });

  it('accepts a token in the header or in the first message, with the name in any case', async () => {
    expect(await openSocket(url, { headers: bearer(token) })).toBe('connection_ack');
    for (const name of ['authorization', 'Authorization', 'AUTHORIZATION'])
      expect(await openSocket(url, { params: { [name]: `Bearer ${token}` } })).toBe('connection_ack');
    expect(await openSocket(url, { headers: bearer(token), params: bearer(token) })).toBe('connection_ack');
    expect(await openSocket(url, { headers: bearer(token), params: { other: 1 } })).toBe('connection_ack');
  });

  it('closes with 4403 without a valid token', async () => {
    const other = await issuer.sign();
    for (const params of [
      undefined,
      {},
      { token: `Bearer ${token}` },
      { headers: bearer(token) },
      { authorization: token },
      { authorization: '' },
      { authorization: null },
      { authorization: 5 },
      { authorization: [`Bearer ${token}`] },
      { authorization: `Bearer ${token}x` },
      { authorization: `Bearer ${token}`, Authorization: `Bearer ${other}` },
      bearer(await expired()),
    ])
      expect(await openSocket(url, { params })).toBe(4403);
  });

  it('refuses an upgrade with an invalid token, and two tokens that differ', async () => {
    expect(await openSocket(url, { headers: bearer(await expired()) })).toBe(401);
    expect(await openSocket(url, { headers: bearer(`${token}x`), params: bearer(token) })).toBe(401);
    expect(await openSocket(url, { headers: bearer(token), params: bearer(await issuer.sign()) })).toBe(4403);
    expect(await openSocket(url, { headers: bearer(token), params: bearer('x') })).toBe(4403);
  });
});

describe('T21', () => {
  it.runIf(runsAll)('ends streams over WebSocket and over server-sent events with their token', async () => {
    const exp = Math.floor(Date.now() / 1000) + 4;
    const short = await issuer.sign({ exp });
    const subscribe = (bearer: string) =>
      [overWebSocket, overEvents].map((over) => over(url, 'subscription { newBlock { height } }', {}, bearer));
    const ending = await Promise.all([...subscribe(short), ...subscribe(short)]);
    const longer = await Promise.all(subscribe(token));
    await expect.poll(() => stack.server.subscriptions().subscribers).toBe(6);
    const height = await chain.devnet.commit();
    await Promise.all([...ending, ...longer].map((listener) => listener.count(1)));
    for (const listener of ending) {
      const after = height.toString();
      expect(await listener.ended).toMatchObject({
        interrupted: { code: 'SUBSCRIPTION_JWT_EXPIRED', lastHeight: after, after },
      });
    }
    const late = Date.now() - exp * 1000;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(5000);
    await chain.devnet.commit();
    await Promise.all(longer.map((listener) => listener.count(2)));
    for (const { answers, late: afterwards } of ending) expect([answers.length, afterwards]).toEqual([1, []]);
    for (const listener of longer) await listener.leave();
    await expect.poll(() => stack.server.subscriptions().subscribers).toBe(0);
  });

  it('closes a socket with 4403, whatever is running on it', async () => {
    const short = await issuer.sign({ exp: Math.floor(Date.now() / 1000) + 1 });
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers: bearer(short) });
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    const closed = await new Promise((resolve) => socket.on('close', (code, reason) => resolve([code, String(reason)])));
    expect(closed).toEqual([4403, 'SUBSCRIPTION_JWT_EXPIRED']);
  });
});

describe('T50', () => {
  const cached = async (text: string): Promise<unknown> => (await post(url, query, bearer(text))).headers['cache-status'];

  it('caches a response for callers with the same scopes only', async () => {
    await chain.devnet.commit();
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    expect(await cached(await withScopes('read', 'one'))).toBe('stele; fwd=miss');
    expect(await cached(await withScopes('read', 'two'))).toBe('stele; hit');
    expect(await cached(await withScopes('read broadcast', 'one'))).toBe('stele; fwd=miss');
    expect(await cached(await withScopes('broadcast read other', 'two'))).toBe('stele; hit');
    const { headers } = await post(url, query, bearer(token));
    expect(headers.vary).toMatch(/\bAuthorization\b/);
  });

  it('never returns a response cached for other scopes', async () => {
    const document = '{ __schema { queryType { name } } }';
    const [all, few] = [await withScopes('read introspect'), await withScopes('read')];
    expect((await post(url, document, bearer(all))).status).toBe(200);
    expect((await post(url, document, bearer(all))).headers['cache-status']).toBe('stele; hit');
    expect((await post(url, document, bearer(few))).status).toBe(403);
  });

  it('executes a stream once for all callers with the same scopes', async () => {
    const document = 'subscription { newBlock { height } }';
    const tokens = [
      await withScopes('read', 'one'),
      await withScopes('read', 'two'),
      await withScopes('read broadcast', 'one'),
    ];
    const listeners = await Promise.all(tokens.map((each) => overWebSocket(url, document, {}, each)));
    await expect.poll(() => stack.server.subscriptions()).toMatchObject({ subscribers: 3, topics: 2 });
    await Promise.all(listeners.map((listener) => listener.leave()));
  });
});
