import { describe, expect, test } from 'vitest';
import { isPrunedLog, type RpcErrorObject, refusalError, rpcError } from '../../../src/chain/rpc/rpcErrors.ts';
import { recording } from '../../recordings/recording.ts';

interface RpcRow {
  readonly name: string;
  readonly via: string;
  readonly request?: { readonly method?: string; readonly params?: { readonly height?: string; readonly prove?: boolean } };
  readonly response: { readonly error?: RpcErrorObject; readonly result?: { readonly response?: AbciResponse } };
}

interface AbciResponse {
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  readonly value: string | null;
}

const rpc = recording<RpcRow[]>('rpc');
const pruned = recording<RpcRow[]>('pruned');

function refusal(rows: readonly RpcRow[], name: string): { code: string; facts: unknown } {
  const row = rows.find((candidate) => candidate.name === name)!;
  const { code, facts } = rpcError(row.response.error!, row.request?.method);
  return { code, facts };
}

describe('recorded errors of a real node', () => {
  test.each([
    ['block height 99999999', 'HEIGHT_NOT_YET_AVAILABLE', { height: 99999999n, latestHeight: 1105n }],
    ['block_results height 99999999', 'HEIGHT_NOT_YET_AVAILABLE', { height: 99999999n, latestHeight: 1105n }],
    ['validators height 99999999', 'HEIGHT_NOT_YET_AVAILABLE', { height: 99999999n, latestHeight: 1105n }],
    ['consensus_params height 99999999', 'HEIGHT_NOT_YET_AVAILABLE', { height: 99999999n, latestHeight: 1105n }],
    ['block height 0', 'RPC_ERROR', { rpcCode: -32603, data: 'height must be greater than 0, but got 0' }],
    [
      'height as a number',
      'RPC_ERROR',
      { rpcCode: -32602, data: expect.stringContaining('invalid 64-bit integer encoding "5"') },
    ],
    ['unknown method', 'RPC_ERROR', { rpcCode: -32601, data: 'Method not found' }],
    ['broken json', 'RPC_ERROR', { rpcCode: -32700, data: 'error unmarshaling request: unexpected end of JSON input' }],
    ['tx_search page too high', 'RPC_ERROR', { rpcCode: -32603, data: 'page should be within [1, 1] range, given 9' }],
    ['broadcast_tx_sync again at once', 'RPC_ERROR', { rpcCode: -32603, data: 'tx already exists in cache' }],
  ])('the recorded error of a node %s: %s', (name, code, facts) => {
    expect(refusal(rpc, name)).toEqual({ code, facts });
  });

  test.each([['tx with null indexer'], ['tx_search with null indexer'], ['block_search with null indexer']])(
    '%s: INDEX_UNAVAILABLE',
    (name) => {
      expect(refusal(pruned, name)).toEqual({ code: 'INDEX_UNAVAILABLE', facts: {} });
    },
  );

  test('every recorded error keeps the text of the node', () => {
    const refused = rpc.filter((row) => row.response?.error !== undefined);
    expect(refused.length).toBeGreaterThan(40);
    for (const { response } of refused) {
      const error = rpcError(response.error!);
      if (error.code === 'RPC_ERROR')
        expect(error.facts).toEqual({ rpcCode: response.error!.code, data: response.error!.data ?? response.error!.message });
      else expect(error.code).toBe('HEIGHT_NOT_YET_AVAILABLE');
    }
  });
});

test.each([
  ['height 5 is not available, lowest height is 90', 'HEIGHT_PRUNED', { height: 5n, earliestHeight: 90n }],
  ['could not find results for height #5', 'INDEX_UNAVAILABLE', {}],
  ['node is not persisting finalize block responses', 'INDEX_UNAVAILABLE', {}],
  [
    'height 18446744073709551615 must be less than or equal to the current blockchain height 9007199254740993',
    'HEIGHT_NOT_YET_AVAILABLE',
    { height: 18446744073709551615n, latestHeight: 9007199254740993n },
  ],
])("%s (from the node's source, not recorded)", (data, code, facts) => {
  expect(rpcError({ code: -32603, message: 'Internal error', data })).toMatchObject({ code, facts });
});

describe('state at a height', () => {
  const pruning = pruned.flatMap(({ name, response }) =>
    name.startsWith('pruned s') && response.result?.response ? [{ name, ...response.result.response }] : [],
  );

  test('is pruned for every recorded wording of a node', () => {
    expect(pruning.map(({ name, code, codespace }) => [name, code, codespace])).toEqual([
      ['pruned state by abci_query', 38, 'sdk'],
      ['pruned store key without proof', 0, ''],
      ['pruned store key with proof', 7, 'store'],
    ]);
    for (const { code, codespace, log } of pruning) {
      expect(isPrunedLog(log)).toBe(true);
      expect(refusalError({ code, codespace, log }, 50n)).toMatchObject({ code: 'HEIGHT_PRUNED', facts: { height: 50n } });
    }
  });

  test.each<[number, string, string, string]>([
    [
      18,
      'sdk',
      'failed to load state at height 5; version does not exist (latest height: 9): invalid request',
      'HEIGHT_PRUNED',
    ],
    [
      26,
      'sdk',
      'cannot query with height in the future; please provide a valid height: invalid height',
      'HEIGHT_NOT_YET_AVAILABLE',
    ],
    [26, 'sdk', 'provenanced is not ready; please wait for first block: invalid height', 'HEIGHT_NOT_YET_AVAILABLE'],
    [26, 'marker', 'something of its own', 'ABCI_QUERY_FAILED'],
    [38, 'sdk', 'load proposal: not found', 'ABCI_QUERY_FAILED'],
    [6, 'sdk', 'load proposal: not found: unknown request', 'ABCI_QUERY_FAILED'],
    [18, 'sdk', 'decoding bech32 failed: invalid separator index -1: invalid request', 'ABCI_QUERY_FAILED'],
    [22, 'sdk', 'rpc error: code = NotFound desc = client metadata for denom nothing: key not found', 'ABCI_QUERY_FAILED'],
    [111222, 'undefined', 'invalid account attribute name    : panic', 'ABCI_QUERY_FAILED'],
  ])('%i %s %s: %s', (abciCode, codespace, log, code) => {
    const facts = code === 'ABCI_QUERY_FAILED' ? { abciCode, codespace, log } : { height: 5n };
    const response = { code: abciCode, codespace, log };
    expect(refusalError(response, 5n)).toMatchObject({ code, facts, cause: { response } });
  });
});
