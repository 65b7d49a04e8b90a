import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../src/archive/setup/archive.ts';
import { openArchive } from '../../src/archive/setup/open.ts';
import { createClient } from '../../src/chain/client.ts';
import { http } from '../../src/chain/transports/http.ts';
import { createRecorder } from '../../src/modules/group/recorder/recorder.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { runsAll } from '../support/atRandom.ts';
import { startChain } from '../support/chain.ts';

const execFileAsync = promisify(execFile);

const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** The commands of docs/operating.md that begin with this word. */
function commandsOf(word: string): string {
  const page = readFileSync('docs/operating.md', 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([^`]+)```$/gm)].map(([, text]) => text!);
  const found = blocks.filter((text) => text.startsWith(`${word} `));
  expect(found).toHaveLength(1);
  return found[0]!;
}

describe.skipIf(!hasPostgres || !runsAll)(`the backup of PostgreSQL in docs/operating.md${postgresNote}`, () => {
  it('is restored with all that was recorded, into an empty database and over other records', async () => {
    const chain = await startChain();
    stops.push(() => chain.devnet.close());
    const client = createClient({ transport: http(chain.node.url) });
    stops.push(() => client.close());
    const log = { status: () => undefined, backfill: () => undefined, audit: () => undefined };
    const open = (url: string): Archive =>
      openArchive({
        client,
        recorder: createRecorder(),
        place: { kind: 'postgres', url },
        mode: 'FULL',
        retention: undefined,
        from: undefined,
        log,
      });
    const recorded = async (archive: Archive) => {
      const { proposals, votes } = await archive.reader.stats();
      return { proposals, votes, ranges: archive.reader.coverage().ranges };
    };
    const { height } = await client.head.ready();
    const [archive, restored] = [await emptyDatabase(), await emptyDatabase()];
    const first = open(archive);
    await first.reader.waitFor(height, { milliseconds: 20_000 });
    const before = await recorded(first);
    expect(Number(before.proposals)).toBeGreaterThan(10);

    const directory = mkdtempSync(join(tmpdir(), 'stele-backup-'));
    stops.push(() => rmSync(directory, { recursive: true }));
    const run = (commands: string, env: Record<string, string>) =>
      execFileAsync('bash', ['-euo', 'pipefail', '-c', commands], { cwd: directory, env: { ...process.env, ...env } });
    await run(commandsOf('pg_dump'), { archive });
    await first.close();

    await run(commandsOf('pg_restore'), { restored });
    const second = open(restored);
    await second.reader.waitFor(height, { milliseconds: 20_000 });
    expect(await recorded(second)).toEqual(before);
    // Records after the backup go when it is restored.
    await second.reader.waitFor(await chain.devnet.commit(), { milliseconds: 20_000 });
    await second.close();
    await run(commandsOf('pg_restore'), { restored });
    const third = open(restored);
    await third.reader.waitFor(height, { milliseconds: 20_000 });
    expect(await recorded(third)).toMatchObject({ proposals: before.proposals, votes: before.votes });
    await third.close();
  }, 120_000);
});
