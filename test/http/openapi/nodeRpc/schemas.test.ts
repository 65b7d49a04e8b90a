import { describe, expect, it } from 'vitest';
import { isRpcMethod } from '../../../../src/chain/rpc/methods.ts';
import { nodeParts, nodeResults } from '../../../../src/surfaces/openapi/nodeRpcSchemas.ts';
import { type RpcRow, readRecording } from '../../../recordings/recordings.ts';
import { createSchemaCheck } from '../../../support/schemaCheck.ts';

const check = createSchemaCheck({ components: { schemas: nodeParts } });

/** Returns the method that a row called. undefined if it called none. */
function methodOf({ via, request }: RpcRow): string | undefined {
  if (via.startsWith('GET /')) return via.slice(5).split('?')[0];
  return typeof request === 'object' && request !== null && !Array.isArray(request) ? String(request.method) : undefined;
}

describe('the schemas of the node’s results', () => {
  const rows = [...readRecording('rpc'), ...readRecording('proofs'), ...readRecording('pruned')];
  const results = rows.flatMap((row) => {
    const method = methodOf(row);
    const result = (row.response as { result?: unknown } | null)?.result;
    return method !== undefined && isRpcMethod(method) && result !== undefined ? [{ name: row.name, method, result }] : [];
  });

  it('exist for every method with a recorded result', () => {
    const seen = new Set(results.map(({ method }) => method));
    expect(Object.keys(nodeResults).filter((method) => !seen.has(method as never))).toEqual(['broadcast_evidence']);
    expect(results.length).toBeGreaterThan(120);
  });

  it.each(results)('match $name exactly', ({ method, result }) => {
    expect(check(nodeResults[method], result)).toEqual([]);
  });

  it.each(readRecording('chain').filter(({ height }) => Number(height) % 10 === 7))('match block $height', (row) => {
    expect(check(nodeResults.block, row.block)).toEqual([]);
    expect(check(nodeResults.block_results, row.block_results)).toEqual([]);
  });
});
