import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain } from '../../test/support/chain.ts';
import { startStack } from '../../test/support/stack.ts';

const running = [];

/** Runs `start.js`. Returns the URL of the supergraph and the token of its Stele. */
async function start(environment) {
  const child = spawn(process.execPath, ['start.js'], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, PORT: '0', STELE_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  const needsToken = environment.STELE_URL === undefined;
  let url;
  let token;
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /^The supergraph is up: (\S+)/.exec(line)?.[1];
    token ??= /^ {2}(eyJ\S+)$/.exec(line)?.[1];
    if (url !== undefined && (token !== undefined || !needsToken)) return { url, token };
  }
  throw new Error('the supergraph exited before it was up');
}

async function ask(url, query, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

afterAll(async () => {
  for (const child of running) {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  }
});

describe('the supergraph over a chain without new blocks', () => {
  let chain;
  let stack;
  let before;
  let url;
  /** The headers and the document of each request that reached Stele. */
  const requests = [];

  beforeAll(async () => {
    chain = await startChain();
    stack = await startStack([chain.node.url]);
    // A proxy in front of Stele that records the requests.
    before = createServer(async (request, response) => {
      const chunks = await request.toArray();
      const body = Buffer.concat(chunks);
      requests.push({ headers: request.headers, query: JSON.parse(body.toString()).query });
      const { method, headers } = request;
      const forward = send(`${stack.server.url}${request.url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      forward.end(body);
    }).listen(0, '127.0.0.1');
    await once(before, 'listening');
    ({ url } = await start({ STELE_URL: `http://127.0.0.1:${before.address().port}/graphql` }));
  });
  afterAll(async () => {
    before.closeAllConnections();
    before.close();
    await stack.close();
    await chain.devnet.close();
  });

  it('answers a query over both subgraphs, with its references in one request and one batch of reads', async () => {
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 5000 });
    chain.node.counters.reset();
    requests.length = 0;
    const answer = await ask(
      url,
      '{ comments { text author { label sequence } proposal { title proposers { label } comments { id } } } }',
    );
    const sequence = expect.stringMatching(/^\d+$/);
    const meeting = {
      title: 'Budget for the spring members meeting',
      proposers: [{ label: 'Cleo' }],
      comments: [{ id: '2' }, { id: '1' }],
    };
    expect(answer).toEqual({
      data: {
        comments: [
          {
            text: 'Who would run it, and for how long?',
            author: { label: 'Ada', sequence },
            proposal: {
              title: 'Market making mandate for the hash pair',
              proposers: [{ label: 'Ben' }],
              comments: [{ id: '3' }],
            },
          },
          { text: 'The hall is cheaper in May.', author: { label: 'Dan', sequence }, proposal: meeting },
          { text: 'We can host it here.', author: { label: 'Ben', sequence }, proposal: meeting },
        ],
      },
    });
    // Two proposals and three accounts: one request, one batch of reads from the node.
    expect(requests).toHaveLength(1);
    expect(requests[0].query).toContain('_entities(');
    const reads = chain.node.counters.log.filter(({ method }) => method === 'abci_query');
    expect(reads).toHaveLength(5);
    expect(new Set(reads.map(({ batch }) => batch)).size).toBe(1);
  });

  it('forwards the token and the height, which applies to the whole response', async () => {
    const [from, to] = chain.accounts;
    const old = chain.devnet.height.toString();
    const amount = [{ denom: 'nhash', amount: '1' }];
    await chain.run(from, any(MsgSendSchema, { fromAddress: from.address, toAddress: to.address, amount }));
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 5000 });
    const query = '{ head { height time } comments(first: 1) { author { sequence } } }';
    const now = await ask(url, query);
    requests.length = 0;
    const then = await ask(url, query, { authorization: 'Bearer somebody', 'x-cosmos-block-height': old });
    expect(requests.length).toBeGreaterThan(1);
    for (const { headers } of requests) {
      expect(headers).toMatchObject({ authorization: 'Bearer somebody', 'x-cosmos-block-height': old });
    }
    expect(now.data.head.height).toBe(chain.devnet.height.toString());
    expect(then.data.head.height).toBe(old);
    // The same block by a time, which every fetch of the plan gets.
    const { time } = then.data.head;
    requests.length = 0;
    const atTime = await ask(url, query, { 'x-block-time': time });
    expect(requests.length).toBeGreaterThan(1);
    for (const { headers } of requests) expect(headers).toMatchObject({ 'x-block-time': time });
    expect(atTime.data).toEqual(then.data);
    const sequenceIn = ({ data }) => BigInt(data.comments[0].author.sequence);
    expect(sequenceIn(then)).toBe(sequenceIn(now) - 1n);
  });

  it('keeps error codes, and has no field that reads at another height', async () => {
    const { data, errors } = await ask(url, '{ comments(first: 1) { text } account(address: "nobody") { label } }');
    expect(data).toEqual({ comments: [{ text: 'Who would run it, and for how long?' }], account: null });
    expect(errors).toMatchObject([{ path: ['account'], extensions: { code: 'BAD_USER_INPUT', argument: 'address' } }]);
    const hidden = await ask(url, '{ at(height: 1) { head { height } } }');
    expect(hidden.errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });
});

it('starts its own Stele if none is given', async () => {
  const { url, token } = await start({});
  const { data, errors } = await ask(url, '{ head { chainId } comments(first: 1) { author { label kind } } }', {
    authorization: `Bearer ${token}`,
  });
  expect(errors).toBeUndefined();
  expect(data).toEqual({ head: { chainId: 'stele-devnet' }, comments: [{ author: { label: 'Ada', kind: 'BASE' } }] });
});
