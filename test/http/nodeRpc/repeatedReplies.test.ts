import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/chain/client.ts';
import { createMemoryBudget } from '../../../src/chain/memory/memoryBudget.ts';
import { openSession } from '../../../src/reads/viewer.ts';
import { cometDialect } from '../../../src/surfaces/nodeRpc/dialects.ts';
import { createRepeatedAnswers } from '../../../src/surfaces/nodeRpc/httpHandler.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type RpcChain, startRpcChain } from './rpcChain.ts';

let issuer: TestIssuer;
let rpc: RpcChain;
let reader: { authorization: string };
let sender: { authorization: string };

beforeAll(async () => {
  issuer = await startIssuer();
  rpc = await startRpcChain({ server: { auth: authenticatorOf(issuer) } });
  for (let block = 0; block < 3; block += 1) await rpc.commit();
  reader = { authorization: `Bearer ${await issuer.sign({ scope: 'read', sub: 'reader' })}` };
  sender = { authorization: `Bearer ${await issuer.sign({ scope: 'broadcast', sub: 'sender' })}` };
});

afterAll(async () => {
  await rpc.close();
  await issuer.close();
});

describe.each(['/', '/comet'])('a call of a block that is repeated, at %s', (root) => {
  const uri = (query: string): string => `${root === '/' ? '' : root}/block${query}`;

  it('has the same response each time, and the keys of its answers count hits', async () => {
    const surface = root === '/' ? 'rpc' : 'comet';
    const hits = () => rpc.stack.client.memory.stats().find(({ cache }) => cache === `${surface}-requests`)!.hits;
    const before = hits();
    const ask = () => Promise.all([rpc.call(root, 'block', { height: '2' }, reader), rpc.get(uri('?height=2'), reader)]);
    const all = [];
    for (let time = 0; time < 4; time += 1) all.push(await ask());
    for (const [posted, got] of all) {
      expect([posted.status, posted.body, posted.headers.vary, posted.headers['cache-control']]).toEqual([
        200,
        all[0]![0].body,
        all[0]![0].headers.vary,
        all[0]![0].headers['cache-control'],
      ]);
      expect([got.status, got.body]).toEqual([200, all[0]![1].body]);
      expect(got.headers['x-server-time'] !== undefined).toBe(root === '/comet');
    }
    expect(hits() - before).toBeGreaterThanOrEqual(4);
  });

  it('is refused to a token without the scope `read`', async () => {
    for (let time = 0; time < 3; time += 1) await rpc.call(root, 'block', { height: '1' }, reader);
    expect((await rpc.call(root, 'block', { height: '1' }, sender)).status).toBe(403);
    for (let time = 0; time < 3; time += 1) await rpc.get(uri('?height=1'), reader);
    expect((await rpc.get(uri('?height=1'), sender)).status).toBe(403);
  });

  it('without a height, follows the chain', async () => {
    for (let time = 0; time < 3; time += 1) await rpc.get(uri(''), reader);
    const height = await rpc.commit();
    expect((await rpc.get(uri(''), reader)).json.result).toMatchObject({ block: { header: { height: height.toString() } } });
  });
});

it('a header that names a height counts, although the same call without it was repeated', async () => {
  for (let time = 0; time < 3; time += 1) await rpc.get('/block?height=2', reader);
  const { status } = await rpc.get('/block?height=2', { ...reader, 'x-cosmos-block-height': '99999' });
  expect(status).not.toBe(200);
});

it('an answer is kept for one generation of the chain, also if it was read before a rewind and is noted after it', () => {
  let generation = 0;
  let rewind: () => void = () => undefined;
  const head = {
    generation: () => generation,
    onRewind: (listener: () => void) => {
      rewind = listener;
      return () => undefined;
    },
  };
  const source = { head, memory: createMemoryBudget() } as unknown as Pick<Client, 'head' | 'memory'>;
  const answers = createRepeatedAnswers(source, cometDialect);
  const request = new IncomingMessage(new Socket());
  request.method = 'POST';
  const body = Buffer.from('{"method":"block"}');
  const find = () => answers.find(request, body, openSession.viewer)?.answer.body.toString();
  const note = (text: string, read: number) =>
    answers.note(request, body, { method: 'block', answer: { status: 200, body: text }, generation: read });
  note('one', 0);
  expect(find()).toBe('one');
  generation = 1;
  rewind();
  expect(find()).toBeUndefined();
  note('late', 0);
  expect(find()).toBeUndefined();
  note('two', 1);
  expect(find()).toBe('two');
});
