import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, proposal, type TestGroup } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { at, get } from './rest.ts';

let chain: TestChain;
let stack: Stack;
let path: string;
let voters: string;
let group: TestGroup;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
  const [one, two] = chain.accounts;
  group = await createGroup(chain, [
    [one!, '1'],
    [two!, '1'],
  ]);
  const events = await chain.run(one!, proposal(group, [one!]));
  const id = JSON.parse(events.get('cosmos.group.v1.EventSubmitProposal')!.proposal_id!) as string;
  path = `/cosmos/group/v1/proposal/${id}`;
  voters = `/cosmos/group/v1/votes_by_proposal/${id}`;
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  await stack.client.descriptors.pool();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const reads = () => chain.node.counters.log.filter(({ method }) => method === 'abci_query');

beforeEach(async () => {
  await chain.devnet.commit();
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  chain.node.counters.reset();
});

const idOf = (): string => path.split('/').at(-1)!;

describe('reads', () => {
  it('a REST read and the same GraphQL read at one height make one upstream call together', async () => {
    const { body } = await get(stack.server, path);
    const answer = await stack.ask(`{ proposal(id: ${idOf()}) { id title } }`);
    expect(answer.body.data).toEqual({ proposal: { id: String(body.proposal.id), title: body.proposal.title } });
    expect(answer.height).toBe(chain.devnet.height.toString());
    const node = await get(stack.server, `/rest${path}`);
    expect(node.body.proposal.id).toBe(idOf());
    expect(reads()).toHaveLength(1);
  });

  it.each(['', '/rest'])('at %s, a URL that is requested again is decoded once, and its headers still count', async (base) => {
    const cache = base === '' ? 'rest-decoded' : 'rest-node-decoded';
    const hits = () => stack.client.memory.stats().find((each) => each.cache === cache)!.hits;
    const url = `${base}${path}?ignored=${base.length}`;
    const ask = async (headers?: Record<string, string>) => fetch(`${stack.server.url}${url}`, headers && { headers });
    const first = await ask();
    const text = await first.text();
    const before = hits();
    for (let time = 0; time < 4; time += 1) {
      const again = await ask();
      expect([again.status, await again.text()]).toEqual([200, text]);
      const names = ({ headers }: Response): readonly string[] => [...headers.keys()];
      expect(names(again)).toEqual(names(first));
    }
    expect(hits() - before).toBeGreaterThanOrEqual(2);
    expect((await ask({ 'x-cosmos-block-height': 'nonsense' })).status).toBe(base === '' ? 400 : 500);
    expect((await ask({ 'if-none-match': first.headers.get('etag')! })).status).toBe(304);
    expect((await fetch(`${stack.server.url}${url}`, { method: 'POST' })).status).not.toBe(200);
  });

  it('a hundred concurrent requests make one upstream call, and the next request none', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => get(stack.server, path)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const again = await get(stack.server, path);
    expect(again.headers.get('cache-status')).toBe('stele; hit');
    expect(reads()).toHaveLength(1);
  });

  it('a reversed page makes one call for the count and one for the page', async () => {
    await get(stack.server, `${voters}?pagination.reverse=true`);
    // There are no votes, so the count is sufficient.
    expect(reads()).toHaveLength(1);
  });
});

describe('one height', () => {
  it('a block between two reads does not affect pinned reads, but does affect others', async () => {
    const height = chain.devnet.height;
    const pinned = await get(stack.server, '/cosmos/group/v1/groups?pagination.countTotal=true', at(height));
    await createGroup(chain, [[chain.accounts[2]!, '1']]);
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const again = await get(stack.server, '/cosmos/group/v1/groups?pagination.limit=99&pagination.countTotal=true', at(height));
    expect(again.text).toBe(pinned.text);
    const newest = await get(stack.server, '/cosmos/group/v1/groups?pagination.countTotal=true');
    expect(newest.headers.get('x-cosmos-block-height')).toBe(chain.devnet.height.toString());
    expect(newest.body.pagination.total).toBe(pinned.body.pagination.total + 1);
  });

  it('x-min-height waits for the block', async () => {
    const wanted = chain.devnet.height + 1n;
    const asked = get(stack.server, path, { 'x-min-height': wanted.toString() });
    await chain.devnet.commit();
    expect((await asked).headers.get('x-cosmos-block-height')).toBe(wanted.toString());
  });

  it('a live response is never cached, and has no height in the documented dialect', async () => {
    const post = (base: string) =>
      get(
        stack.server,
        `${base}/cosmos/tx/v1beta1/simulate`,
        { 'content-type': 'application/json' },
        {
          method: 'POST',
          body: JSON.stringify({ tx_bytes: Buffer.from('no transaction').toString('base64') }),
        },
      );
    const first = await post('');
    expect(first.status).toBe(400);
    expect(first.headers.get('x-cosmos-block-height')).toBeNull();
    await post('');
    expect(reads()).toHaveLength(2);
  });

  describe('the fees of a transaction are simulated on the newest state each time, whatever height the request specifies', () => {
    const method = 'provenance.flatfees.v1.Query/CalculateTxFees';
    const json = { 'content-type': 'application/json' };
    /** A transaction in base64, which any client can simulate. */
    const tx = (): string =>
      Buffer.from(chain.sign(chain.accounts[0]!, [proposal(group, [chain.accounts[0]!])])).toString('base64');

    it.each(['', '/rest'])(
      'the fees of a transaction are simulated each time at %s/provenance/tx/v1/calculate_flat_fee',
      async (base) => {
        const body = JSON.stringify({ tx_bytes: tx() });
        for (const named of [{}, at(chain.devnet.height - 1n)]) {
          chain.node.counters.reset();
          for (let time = 0; time < 2; time += 1) {
            const headers = { ...json, ...named };
            const init = { method: 'POST', body };
            const answer = await get(stack.server, `${base}/provenance/tx/v1/calculate_flat_fee`, headers, init);
            expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
            expect(answer.headers.get('cache-status')).toBeNull();
          }
          expect(reads().map(({ params }) => params)).toEqual(Array(2).fill(expect.objectContaining({ height: '0' })));
        }
      },
    );

    it('the fees of a transaction are simulated each time by `module`', async () => {
      const query = `{ module(method: "${method}", request: { txBytes: "${tx()}" }) }`;
      for (let time = 0; time < 2; time += 1) {
        const headers = { ...json, ...at(chain.devnet.height - 1n) };
        const answer = await get(stack.server, '/graphql', headers, { method: 'POST', body: JSON.stringify({ query }) });
        expect(answer.body.data.module).toMatchObject({ totalFees: [{ denom: 'nhash' }] });
        expect(answer.headers.get('cache-status')).toBe('stele; fwd=miss');
      }
      expect(reads().map(({ params }) => params)).toEqual(Array(2).fill(expect.objectContaining({ height: '0' })));
    });
  });
});
