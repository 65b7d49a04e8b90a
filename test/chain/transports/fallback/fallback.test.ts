import { afterEach, describe, expect, test } from 'vitest';
import { ChainError, isChainError } from '../../../../src/chain/base/errors.ts';
import type { FallbackTransport } from '../../../../src/chain/transports/fallback.ts';
import type { JsonValue } from '../../../../src/chain/wire/json.ts';
import { fc, rounds } from '../../../support/atRandom.ts';
import { StubError, type StubNode } from '../../stubNode.ts';
import { asIs, code, createFallbackSetup, echo, misbehaving } from './fallbackSetup.ts';

const { nodes, over, close } = createFallbackSetup();
afterEach(close);

/** Reads like the client: pinned to a height, and rejected if the response has another one. */
function read(transport: FallbackTransport, height: bigint): Promise<bigint> {
  return transport.call(
    'abci_query',
    { path: '/x', data: '0801', height: height.toString(), prove: false },
    {
      height,
      decode(result) {
        const { response } = result as { response: { code: number; height: string } };
        if (response.code === 26) throw new ChainError('HEIGHT_NOT_YET_AVAILABLE', 'not yet', { height });
        return BigInt(response.height);
      },
    },
  );
}

/** Makes a fault: `echo` returns this error. */
function refusing(data: string): (node: StubNode) => void {
  return (node) => {
    node.methods.echo = () => {
      throw new StubError(data);
    };
  };
}

describe('one node', () => {
  test('works, and its calls of one tick share a batch', async () => {
    const [node] = await nodes({});
    const transport = over([node!]);
    await echo(transport);
    const before = node!.requests.length;
    expect(await Promise.all([1, 2, 3].map((n) => echo(transport, n)))).toEqual([{ n: '1' }, { n: '2' }, { n: '3' }]);
    expect(node!.requests.slice(before).map((request) => request.calls.length)).toEqual([3]);
  });

  test('is tried again after its connection broke, three times in all', async () => {
    const [node] = await nodes({});
    const transport = over([node!]);
    await echo(transport);
    let breaks = 2;
    node!.misbehave = (_request, response) => {
      if (breaks-- <= 0) return false;
      response.destroy();
      return true;
    };
    expect(await echo(transport, 7)).toEqual({ n: '7' });
    breaks = 3;
    expect(await code(echo(transport))).toBe('NODE_UNREACHABLE');
    expect(node!.calls('echo')).toHaveLength(1 + 3 + 3);
  });

  test('is never ejected', async () => {
    const [node] = await nodes({});
    const transport = over([node!]);
    await echo(transport);
    node!.misbehave = (_request, response) => {
      response.writeHead(502).end('<html>');
      return true;
    };
    for (let n = 0; n < 8; n++) expect(await code(echo(transport))).toBe('NODE_INVALID_RESPONSE');
    expect(transport.nodes()[0]).toMatchObject({
      health: 'DOWN',
      ejectedUntil: undefined,
      lastErrorCode: 'NODE_INVALID_RESPONSE',
    });
    node!.misbehave = undefined;
    expect(await echo(transport, 2)).toEqual({ n: '2' });
    expect(transport.nodes()[0]).toMatchObject({ health: 'HEALTHY', consecutiveFailures: 0, inUse: true });
  });
});

describe('the next node', () => {
  test.each<[string, (node: StubNode) => unknown]>([
    ['refused', (node) => node.close()],
    [
      'slow',
      (node) => Object.assign(node.methods, { echo: () => new Promise((resolve) => setTimeout(resolve, 5_000).unref()) }),
    ],
    ['never answering', misbehaving(() => true)],
    ['502 HTML', misbehaving((response) => response.writeHead(502).end('<html>'))],
    ['429', misbehaving((response) => response.writeHead(429, { 'retry-after': '30' }).end('slow down'))],
    ['401', misbehaving((response) => response.writeHead(401).end('who are you'))],
    ['empty', misbehaving((response) => response.end())],
    [
      'truncated',
      misbehaving((response) => response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy())),
    ],
    ['pruned', refusing('height 5 is not available, lowest height is 90')],
    ['without index', refusing('transaction indexing is disabled')],
  ])('responds if the first fails: %s', async (_name, spoil) => {
    const [first, second] = await nodes({}, {});
    const transport = over([first!, second!], {}, { timeout: 300 });
    expect(await echo(transport, 1)).toEqual({ n: '1' });
    expect(second!.calls('echo')).toHaveLength(0);
    await spoil(first!);
    expect(await echo(transport, 2)).toEqual({ n: '2' });
    expect(second!.calls('echo')).toHaveLength(1);
  });

  test('responds if the first is down from the start', async () => {
    const [first, second] = await nodes({}, {});
    await first!.close();
    const transport = over([first!, second!]);
    expect(await echo(transport, 2)).toEqual({ n: '2' });
    expect(transport.nodes().map(({ health, inUse }) => [health, inUse])).toEqual([
      ['DOWN', false],
      ['HEALTHY', true],
    ]);
  });

  test('is not tried if the first returned an error for the call itself', async () => {
    const [first, second] = await nodes({}, {});
    first!.methods.echo = () => {
      throw new StubError('maximum query length exceeded');
    };
    const transport = over([first!, second!]);
    expect(await code(echo(transport))).toBe('RPC_ERROR');
    expect(second!.calls('echo')).toHaveLength(0);
  });

  test('gets no write that may have reached the first', async () => {
    const [first, second] = await nodes({}, {});
    const transport = over([first!, second!]);
    await echo(transport);
    const write = (): Promise<JsonValue> => transport.call('broadcast_tx_sync', { tx: '' }, { decode: asIs });
    second!.methods.broadcast_tx_sync = () => 'taken';
    first!.misbehave = (_request, response) => !!response.destroy();
    expect(await code(write())).toBe('NODE_UNREACHABLE');
    expect([first!.calls('broadcast_tx_sync').length, second!.calls('broadcast_tx_sync').length]).toEqual([1, 0]);
    await first!.close();
    expect(await write()).toBe('taken');
  });

  test('is one of two at most, and the most specific error is reported', async () => {
    const four = await nodes({}, {}, {}, {});
    const transport = over(four);
    await echo(transport);
    const refuse = (data: string) => (): never => {
      throw new StubError(data);
    };
    four[0]!.misbehave = (_request, response) => !!response.destroy();
    four[1]!.methods.echo = refuse('height 9 is not available, lowest height is 90');
    four[2]!.methods.echo = refuse('height 9 must be less than or equal to the current blockchain height 8');
    expect(await code(echo(transport))).toBe('HEIGHT_PRUNED');
    expect(four[3]!.calls('echo')).toHaveLength(0);
  });

  test('serves many calls in shared batches after the first node died', async () => {
    const [first, second] = await nodes({}, {});
    const transport = over([first!, second!]);
    await echo(transport);
    await first!.close();
    const before = second!.requests.length;
    await Promise.all(Array.from({ length: 20 }, (_, n) => echo(transport, n)));
    expect(
      second!.requests.slice(before).filter(({ calls }) => calls.some(({ method }) => method === 'echo')).length,
    ).toBeLessThanOrEqual(4);
    expect(transport.nodes()[0]!.consecutiveFailures).toBeLessThanOrEqual(3);
  });

  test('rejects at once on abort', async () => {
    const [first, second] = await nodes({}, {});
    const transport = over([first!, second!]);
    await echo(transport);
    const controller = new AbortController();
    first!.misbehave = () => {
      controller.abort(new Error('enough'));
      return true;
    };
    await expect(echo(transport, 1, controller.signal)).rejects.toThrow('enough');
    expect(second!.calls('echo')).toHaveLength(0);
    expect(transport.nodes()[0]!.consecutiveFailures).toBe(0);
  });
});

describe('heights', () => {
  test('a node below the pinned height is skipped; an older height is read from it', async () => {
    const [behind, current] = await nodes({ height: 50n }, { height: 100n });
    const transport = over([behind!, current!]);
    expect(await read(transport, 100n)).toBe(100n);
    expect(await read(transport, 40n)).toBe(40n);
    await echo(transport);
    expect(behind!.calls('abci_query').map(({ params }) => params.height)).toEqual(['40']);
    expect(behind!.calls('echo')).toHaveLength(0);
    expect(transport.nodes().map(({ health, lag, height }) => ({ health, lag, height }))).toEqual([
      { health: 'LAGGING', lag: 50n, height: 50n },
      { health: 'HEALTHY', lag: 0n, height: 100n },
    ]);
  });

  test('a lagging node is not tried when the current node fails', async () => {
    const [behind, current] = await nodes({ height: 50n }, { height: 100n });
    const transport = over([behind!, current!]);
    await read(transport, 100n);
    await current!.close();
    expect(await code(read(transport, 100n))).toBe('NODE_UNREACHABLE');
    expect(behind!.calls('abci_query')).toHaveLength(0);
  });

  test('a node that is catching up, or more than 100 blocks behind, is down', async () => {
    const three = await nodes({ catchingUp: true, height: 1000n }, { height: 1000n }, { height: 899n });
    const transport = over(three);
    await echo(transport);
    expect(transport.nodes().map(({ health }) => health)).toEqual(['DOWN', 'HEALTHY', 'DOWN']);
    expect(three.map((node) => node.calls('echo').length)).toEqual([0, 1, 0]);
  });

  test('a node that has pruned the height is skipped', async () => {
    const [pruned, archive] = await nodes({ earliestHeight: 90n }, {});
    const transport = over([pruned!, archive!]);
    expect(await read(transport, 10n)).toBe(10n);
    expect(await read(transport, 95n)).toBe(95n);
    expect(pruned!.calls('abci_query').map(({ params }) => params.height)).toEqual(['95']);
  });

  test('a node without an index is tried last for calls that need one', async () => {
    const [off, on] = await nodes({ txIndex: false }, {});
    on!.methods.tx = () => 'found';
    const transport = over([off!, on!]);
    expect(await transport.call('tx', { hash: '' }, { decode: asIs })).toBe('found');
    expect(off!.calls('tx')).toHaveLength(0);
  });

  test('a call waits briefly for a height that some node has, and not for one that none has', async () => {
    const [node] = await nodes({ height: 100n });
    const transport = over([node!]);
    await read(transport, 100n);
    expect(await code(read(transport, 101n))).toBe('HEIGHT_NOT_YET_AVAILABLE');
    expect(node!.calls('abci_query')).toHaveLength(2);
    // The event for 101 arrives before the call returns.
    const seen = new Promise<void>((resolve) =>
      transport.subscribe("tm.event='NewBlock'", { open: () => node!.commit(), event: () => resolve(), end: () => undefined }),
    );
    await seen;
    let late = 2;
    node!.misbehave = ({ calls }) => {
      if (calls[0]!.method === 'abci_query') node!.height = late-- > 0 ? 100n : 101n;
      return false;
    };
    expect(await read(transport, 101n)).toBe(101n);
    expect(node!.calls('abci_query')).toHaveLength(5);
  });
});

describe('chains', () => {
  test('a node of another chain is never used', async () => {
    const [other, right] = await nodes({ chainId: 'other' }, {});
    const transport = over([other!, right!], { chainId: 'testing', probeInterval: 0 });
    for (let n = 0; n < 3; n++) await echo(transport, n);
    expect(other!.calls('echo')).toHaveLength(0);
    other!.chainId = 'testing';
    await right!.close();
    expect(await code(echo(transport))).toBe('NODE_UNREACHABLE');
    expect(transport.nodes()[0]!.health).toBe('WRONG_CHAIN');
  });

  test('the only node belongs to another chain', async () => {
    const [other] = await nodes({ chainId: 'other' });
    const transport = over([other!], { chainId: 'testing' });
    expect(await code(echo(transport))).toMatch(/NODE_INVALID_RESPONSE|NODE_UNREACHABLE/);
    expect(other!.calls('echo')).toHaveLength(0);
  });

  test('a node that changes its chain is refused', async () => {
    const [node, second] = await nodes({}, {});
    const transport = over([node!, second!], { probeInterval: 0 });
    await echo(transport);
    node!.chainId = 'other';
    await echo(transport);
    await expect.poll(() => transport.nodes().map(({ health }) => health)).toEqual(['WRONG_CHAIN', 'HEALTHY']);
    await echo(transport, 'after');
    expect(node!.calls('echo').map(({ params }) => params.n)).not.toContain('after');
  });
});

describe('ejection', () => {
  test('five failures in a row eject a node for a time, then it is used again', async () => {
    const [first, second] = await nodes({}, {});
    const transport = over([first!, second!], { ejection: 1_000 });
    await echo(transport);
    first!.misbehave = (_request, response) => !!response.writeHead(502).end('<html>');
    for (let n = 0; n < 8; n++) await echo(transport, n);
    expect(first!.calls('echo')).toHaveLength(1 + 5);
    expect(transport.nodes()[0]).toMatchObject({ health: 'EJECTED', consecutiveFailures: 5 });
    first!.misbehave = undefined;
    await second!.close();
    await expect.poll(() => echo(transport, 'back').catch(() => undefined)).toEqual({ n: 'back' });
    expect(transport.nodes()[0]!.health).toBe('HEALTHY');
  });
});

test('whatever nodes do, every call ends once, with its own result or an error code', async () => {
  const three = await nodes({}, {}, {});
  const transport = over(three, { ejection: 5, backoff: 2, probeInterval: 20 }, { timeout: 200 });
  const faults = ['none', 'html', 'break', 'empty', 'limit', 'none'] as const;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...faults), { maxLength: 12 }),
      fc.integer({ min: 1, max: 15 }),
      async (script, size) => {
        const left = [...script];
        for (const node of three) {
          node.misbehave = (_request, response) => {
            const fault = left.shift() ?? 'none';
            if (fault === 'html') response.writeHead(502).end('<html>');
            if (fault === 'break') response.destroy();
            if (fault === 'empty') response.end();
            if (fault === 'limit') response.writeHead(429).end();
            return fault !== 'none';
          };
        }
        const outcomes = await Promise.allSettled(Array.from({ length: size }, (_, n) => echo(transport, n)));
        for (const [n, outcome] of outcomes.entries()) {
          if (outcome.status === 'fulfilled') expect(outcome.value).toEqual({ n: String(n) });
          else expect(isChainError(outcome.reason)).toBe(true);
        }
      },
    ),
    { numRuns: rounds(60) },
  );
});
