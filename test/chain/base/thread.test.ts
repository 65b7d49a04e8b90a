import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startThread } from '../../../src/chain/base/thread.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-thread-'));
afterAll(() => rmSync(directory, { recursive: true }));

// All other tests start threads from a bundle.
it('a thread starts from source', async () => {
  const source = new URL('../../../src/archive/sqlite/worker.ts', import.meta.url);
  const thread = startThread('nothing', source, { file: join(directory, 'archive.db'), chainId: 'test-1', role: 'writer' });
  thread.postMessage({ kind: 'prepare' });
  expect(await once(thread, 'message')).toEqual([{ result: expect.objectContaining({ coverage: expect.anything() }) }]);
  await thread.terminate();
});
