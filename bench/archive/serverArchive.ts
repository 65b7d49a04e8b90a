import { type Archive, openArchive } from '../../src/archive/setup/archive.ts';
import { attachArchive } from '../../src/archive/setup/attached.ts';
import type { Client } from '../../src/chain/client.ts';
import { createRecorder } from '../../src/modules/group/recorder/recorder.ts';
import { type Command, now } from '../child.ts';

/** Interval at which the coverage is looked at, in ms. */
const interval = 2;

/** Options of {@link startBenchArchive}, as they are on the command line. */
export interface BenchArchiveOptions {
  readonly client: Client;
  readonly mode: string | undefined;
  readonly directory: string;
  readonly from: string | undefined;
}

/** The archive of a server that is measured, and the commands that wait for it. */
export interface BenchArchive {
  readonly archive: Archive;
  readonly commands: Readonly<Record<string, Command>>;
}

/** Starts the archive of a server that is measured, in a directory. */
export function startBenchArchive({ client, mode, directory, from }: BenchArchiveOptions): BenchArchive {
  const archive = openArchive({
    client,
    recorder: createRecorder(),
    place: { kind: 'directory', path: directory },
    mode: mode === 'full' ? 'FULL' : 'GOVERNANCE',
    from: from === undefined ? undefined : BigInt(from),
    log: {
      status: ({ message }) => message !== undefined && console.error(message),
      backfill: () => undefined,
      audit: (id) => console.error(`the audit of proposal ${id} failed`),
    },
  });
  attachArchive(client, archive);
  const ranges = () => archive.reader.coverage().ranges;

  async function until(isReached: () => boolean): Promise<number> {
    while (!isReached()) await new Promise((resolve) => setTimeout(resolve, interval));
    return now();
  }

  const begun = until(() => ranges().length > 0);
  return {
    archive,
    commands: {
      /** Resolves with the time when this height is recorded. */
      recorded: (height) => until(() => (ranges().at(-1)?.to ?? 0n) >= BigInt(Number(height))),
      /** Resolves when every block is filled in. Returns how long that took, in ms. */
      backfilled: async () => (await until(() => ranges().length === 1 && ranges()[0]?.base === 1n)) - (await begun),
    },
  };
}
