import { buildSchema } from 'graphql';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRequestRecord } from '../../../src/answers/caller.ts';
import { noTracer } from '../../../src/chain/tracing/tracer.ts';
import { createLimits } from '../../../src/config/limits/limits.ts';
import { fixedSchema } from '../../../src/graphql/chainSchema.ts';
import { createDocumentCache } from '../../../src/graphql/documents/documents.ts';
import { createOperationContext } from '../../../src/graphql/engine/context.ts';
import { createEngine } from '../../../src/graphql/engine/engine.ts';
import type { JsonResult } from '../../../src/graphql/execution/execution.ts';
import { openSession } from '../../../src/reads/viewer.ts';
import { Lifetime } from '../../../src/server/lifetime.ts';
import { createRates } from '../../../src/server/rateLimits/rates.ts';

const limits = createLimits({ 'request.deadline': 1_000 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Executes a query whose execution ends with this result, 300 ms after its request was complete. The execution does not look at the signal, as
 * work that several requests wait for.
 */
function run(result: () => JsonResult | Promise<JsonResult>) {
  const lifetime = new Lifetime({ milliseconds: limits['request.deadline'], startedAt: performance.now() });
  vi.advanceTimersByTime(300);
  const engine = createEngine({
    schema: fixedSchema(buildSchema('type Query { a: Int }')),
    documents: createDocumentCache({ maxBytes: 100_000 }),
    execute: result,
    limits,
    report: () => undefined,
    broadcastCommit: false,
    plugins: [],
    tracer: noTracer,
    // A query uses none of these.
    subscriptions: {} as never,
    liveQueries: {} as never,
    history: {} as never,
    isTrusted: () => false,
  });
  const context = createOperationContext({
    client: { at: () => ({}) } as never,
    session: openSession,
    record: createRequestRecord('1'),
    caller: createRates(limits).of('a'),
    picked: { height: 1n, chain: 'c' },
    readParams: () => ({ query: '{ a }' }),
    transport: { method: 'POST' },
    signal: lifetime,
    limits,
  });
  return { lifetime, result: engine.run(context) };
}

it('an execution that waits is aborted at its deadline, counted from its request, although nothing has read the signal', () => {
  const { lifetime, result } = run(() => new Promise(() => undefined));
  expect(result).toBeInstanceOf(Promise);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(699);
  expect(lifetime.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(lifetime.aborted).toBe(true);
  expect(lifetime.signal.reason).toMatchObject({ code: 'NODE_TIMEOUT', facts: { milliseconds: 1_000 } });
});

it('an execution that ends at once starts no timer', () => {
  const { lifetime, result } = run(() => ({ data: '{"a":1}' }));
  expect(result).toEqual({ data: '{"a":1}' });
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(5_000);
  expect(lifetime.aborted).toBe(false);
});

it('an execution that waits and fails stops its timer when its request ends', async () => {
  const { lifetime, result } = run(() => Promise.reject(new Error('no')));
  await expect(result).resolves.toMatchObject({ errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] });
  expect(vi.getTimerCount()).toBe(1);
  lifetime.end();
  expect(vi.getTimerCount()).toBe(0);
});
