import type { Archive } from '../../src/archive/setup/archive.ts';
import { openArchive } from '../../src/archive/setup/open.ts';
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

/** A client that has no newest block before `begun`, so that its archive waits until then. */
function clientFrom(client: Client, begun: Promise<void>): Client {
  const { head } = client;
  return {
    ...client,
    head: {
      ...head,
      async ready(options) {
        await begun;
        return head.ready(options);
      },
    },
  };
}

/** Starts the archive of a server that is measured, in a directory. With `from`, it waits for the command to fill in. */
export function startBenchArchive({ client, mode, directory, from }: BenchArchiveOptions): BenchArchive {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const archive = openArchive({
    client: from === undefined ? client : clientFrom(client, begun),
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
  client.attach(archive);
  const ranges = () => archive.reader.coverage().ranges;

  async function until(isReached: () => boolean): Promise<number> {
    while (!isReached()) await new Promise((resolve) => setTimeout(resolve, interval));
    return now();
  }

  return {
    archive,
    commands: {
      /** Resolves with the time when this height is recorded. */
      recorded: (height) => until(() => (ranges().at(-1)?.to ?? 0n) >= BigInt(Number(height))),
      /** Begins to record, and resolves when every block is filled in. Returns how long that took, in ms. */
      async fillIn() {
        const start = now();
        begin();
        return (await until(() => ranges().length === 1 && ranges()[0]?.base === 1n)) - start;
      },
    },
  };
}
