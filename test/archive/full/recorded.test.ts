import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { type RpcRow, readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { clientAnswer, type FullArchive, openFullArchive } from '../../support/archive/fullArchive.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../../support/archive/postgres.ts';

/** The last block of the recording. */
const head = 195n;

let node: ReplayNode;
const archives: FullArchive[] = [];

beforeAll(async () => {
  node = await createReplayNode({ head });
  const places = [{ kind: 'temporary' } as const];
  const others = hasPostgres ? [{ kind: 'postgres', url: await emptyDatabase() } as const] : [];
  for (const place of [...places, ...others]) archives.push(await openFullArchive(node.url, { place, from: 1n }));
  for (const archive of archives) await archive.indexed(1n);
}, 60_000);

afterAll(async () => {
  for (const archive of archives) await archive.close();
  await node.close();
});

interface Search {
  readonly name: string;
  readonly method: string;
  readonly params: JsonObject;
  /** The answer of the real node, as {@link clientAnswer} shows it. */
  readonly answer: string;
}

function searchIn({ name, request, response }: RpcRow): readonly Search[] {
  const { method, params } = (request ?? {}) as { method?: string; params?: JsonObject };
  if (method !== 'tx_search' && method !== 'block_search') return [];
  const { result, error } = response as { result?: unknown; error?: { data: string } };
  return [{ name, method, params: params!, answer: error === undefined ? JSON.stringify(result) : `error: ${error.data}` }];
}

it(`answers the recorded searches as the real node did, byte for byte${postgresNote}`, async () => {
  const searches = readRecording('rpc').flatMap(searchIn);
  expect(searches).toHaveLength(15);
  for (const archive of archives) {
    const asked: string[] = [];
    for (const { name, method, params, answer } of searches) {
      const before = archive.calls('tx_search', 'block_search');
      expect(await clientAnswer(archive, method, params), name).toBe(answer);
      if (archive.calls('tx_search', 'block_search') > before) asked.push(name);
    }
    expect(asked).toEqual([]);
  }
});
