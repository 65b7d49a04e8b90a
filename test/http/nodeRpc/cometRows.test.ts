import { afterAll, describe, expect, it } from 'vitest';
import type { RpcRow } from '../../recordings/recordings.ts';
import { some } from '../../support/atRandom.ts';
import { parsed, rpcRows, sendRow, startRowServers } from './rows.ts';

const servers = await startRowServers();
afterAll(() => servers.close());

/** Rows whose response differs from the recording, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'check_tx good, a second time in the same block: the first one used the sequence up':
    'what was taken once is still taken until the next block (reliability 4.2, rule 9): "remembered" in broadcast.test.ts',
  'broadcast_tx_commit good': 'no block of the recordings holds it: "a commit" in broadcast.test.ts',
  'broadcast_tx_commit execution fails': 'no block of the recordings holds it: "a commit" in broadcast.test.ts',
};

/** Stele sends with `broadcast_tx_sync`, whose result contains neither gas nor events of CheckTx. */
function withoutGas(text: string): string {
  return text.replace(/("check_tx":\{.*?"gas_wanted":")\d+(","gas_used":")\d+/, '$10$20');
}

/** The links on the page contain its base path. */
function withoutHost(text: string): string {
  return text.replaceAll(/\/\/127\.0\.0\.1:\d+(\/comet)?\//g, '//host/');
}

function shown(row: RpcRow, body: string): string {
  if (row.name.startsWith('broadcast_tx_commit')) return withoutGas(body);
  return row.headers['content-type'] === 'text/html' ? withoutHost(body) : body;
}

/** Rows whose result is not final, and must not be cached (docs/heights.md, "HTTP caching"). */
const passing = ['commit latest', 'commit latest (uri)', 'commit of the latest block with a height', 'blockchain default'];

/** Whether a row has no response, or reports an absent object (docs/differences.md). */
function isNothing({ status, response }: RpcRow): boolean {
  const text = JSON.stringify(response);
  return status >= 400 || /"error":\{/.test(text) || /"(block|header)":null/.test(text);
}

/** Whether CheckTx rejected the transaction. */
function isRefusedCheck({ name, response }: RpcRow): boolean {
  return name.startsWith('check_tx') && !/"result":\{"code":0,/.test(JSON.stringify(response));
}

function keeping(row: RpcRow): string | undefined {
  if (passing.includes(row.name) || isNothing(row) || isRefusedCheck(row)) return 'no-store';
  return row.headers['cache-control']?.replace('public', 'private');
}

describe('each row of rpc.json at /comet', () => {
  it('there are 222 rows, and every exception is one of them', () => {
    const names = rpcRows.map(({ name }) => name);
    expect([names.length, Object.keys(exceptions).filter((name) => !names.includes(name))]).toEqual([222, []]);
  });

  const rows = rpcRows.filter(({ name }) => !(name in exceptions));

  it.each(some(rows, 12).map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const { server, masked } = await servers.of(row);
    const answer = await sendRow(server.url, '/comet', row);
    const headers = {
      type: answer.headers['content-type'],
      keeping: answer.headers['cache-control'],
      hasTime: /^\d+$/.test(String(answer.headers['x-server-time'])),
    };
    expect([answer.status, shown(row, JSON.stringify(parsed(answer.body)))]).toEqual([
      row.status,
      shown(row, JSON.stringify(row.response)),
    ]);
    expect(headers).toEqual({
      type: row.headers['content-type'],
      keeping: keeping(row),
      hasTime: row.headers['x-server-time'] !== undefined,
    });
    expect(answer.headers.vary).toContain('Authorization');
    expect(masked).toEqual([]);
  });
});
