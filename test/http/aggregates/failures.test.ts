import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tokens } from '../../../packages/devnet/src/app/world/tokens.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode } from '../../replay/replayNode.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { ask, askAt } from './request.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { upstream: { timeout: 400 }, server: { limits: { 'request.deadline': 600 } } });
  await stack.client.head.ready({ milliseconds: 5000 });
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});
afterEach(async () => {
  chain.node.heal();
  // After every failure, the server recovers at once.
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
  expect((await ask(stack, `holders/${tokens.gold}`)).status).toBe(200);
});

/** Checks that a body contains nothing about the node or the code. */
function expectNothingLeaks(body: unknown): void {
  const text = JSON.stringify(body);
  expect(text).not.toContain(new URL(chain.node.url).port);
  expect(text).not.toMatch(/127\.0\.0\.1|localhost|node-1|\bat \w+ \(|\.ts/);
}

describe('a node', () => {
  it('that rejects one read fails the request with the GraphQL error code, and the response is not cached', async () => {
    chain.node.faults.call = ({ method, params }) =>
      method === 'abci_query' && JSON.stringify(params).includes('SupplyOf')
        ? { abci: { code: 5, codespace: 'x', log: 'no' } }
        : undefined;
    const { status, body, headers } = await ask(stack, 'metadata/nhash');
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'ABCI_QUERY_FAILED', abciCode: 5, codespace: 'x', log: 'no' });
    expect(headers.get('cache-control')).toBe('no-store');
    chain.node.heal();
    expect((await ask(stack, 'metadata/nhash')).status).toBe(200);
  });

  it.each([
    ['badGateway', 502],
    ['garbage', 502],
    ['cut', 502],
    ['never', 504],
  ] as const)('whose responses are %s leads to status %i', async (answer, status) => {
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    chain.node.faults.answer = answer;
    const response = await ask(stack, 'metadata/nhash');
    expect(response.status).toBe(status);
    expect(response.body.code).toMatch(/^NODE_/);
    expectNothingLeaks(response.body);
  });

  it('that is slow leads to a timeout at the deadline', async () => {
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    const held: { release?: () => void } = {};
    chain.node.faults.gate = new Promise<void>((resolve) => {
      held.release = resolve;
    });
    const { status, body } = await ask(stack, 'metadata/nhash');
    expect([status, body.code]).toEqual([504, 'NODE_TIMEOUT']);
    held.release!();
  });

  it('that returns a wrong height leads to an error', async () => {
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    chain.node.faults.forge = ({ method }, result) =>
      method === 'abci_query'
        ? { ...(result as object), response: { ...(result as { response: object }).response, height: '1' } }
        : result;
    const { status, body } = await ask(stack, 'metadata/nhash');
    expect([status, body.code]).toEqual([502, 'NODE_INVALID_RESPONSE']);
  });

  it('without an index serves transfers from its blocks', async () => {
    const { address } = chain.accounts[0]!;
    const before = await ask(stack, `transfers/${address}`);
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    const other = await startStack([chain.node.url]);
    try {
      chain.node.faults.noIndex = true;
      await other.client.head.ready({ milliseconds: 5000 });
      const { status, body } = await ask(other, `transfers/${address}`);
      expect([status, body.items]).toEqual([200, before.body.items]);
    } finally {
      await other.close();
    }
  });
});

it.runIf(runsAll)('an unreachable node is reported in bounded time, and invalid input without a node', async () => {
  const lonely = await startStack(['http://127.0.0.1:9'], { upstream: { timeout: 400 } });
  try {
    const { status, body } = await ask(lonely, 'metadata/nhash');
    expect([status, body.code]).toEqual([503, 'NODE_UNREACHABLE']);
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
    expect((await ask(lonely, 'metadata/1x')).status).toBe(400);
  } finally {
    await lonely.close();
  }
});

it.runIf(runsAll)('a pruned state is an error, not an absent object', async () => {
  const node = await createReplayNode({ earliestState: 500n });
  const pruned = await startStack([node.url]);
  try {
    await pruned.client.head.ready({ milliseconds: 5000 });
    const { alice } = readRecording('world').addr;
    for (const path of [
      'metadata/nothing',
      'scopes/99999999-2222-4333-8444-555555555555',
      'netAssetValues/nothing',
      `balances/${alice}`,
      'holders/nothing',
    ]) {
      const { status, body } = await askAt(pruned, 100, path);
      expect([path, status, body.code]).toEqual([path, 400, 'HEIGHT_PRUNED']);
      expect(body.height).toBe('100');
    }
  } finally {
    await pruned.close();
    await node.close();
  }
});

it('an unexpected error is masked, and reported with its request id', async () => {
  const reports: unknown[] = [];
  const other = await startStack([chain.node.url], {
    server: { report: (error, id) => void reports.push([String(error), id]) },
  });
  try {
    await other.client.head.ready({ milliseconds: 5000 });
    other.client.head.current = () => {
      throw new Error('a secret');
    };
    const { status, body } = await ask(other, 'metadata/nhash');
    expect(status).toBe(500);
    expect(body).toEqual({ code: 'INTERNAL_SERVER_ERROR', message: expect.any(String), requestId: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(reports).toEqual([['Error: a secret', body.requestId]]);
  } finally {
    await other.close();
  }
});
