import type { RecordingStatus } from '../archive/recording/recording.ts';
import type { Archive } from '../archive/setup/archive.ts';
import type { ArchiveOptions, ArchivePlace } from '../archive/setup/open.ts';
import type { Client } from '../chain/client.ts';
import type { Config } from '../config/settings/config.ts';
import { createRecorder } from '../modules/group/recorder/recorder.ts';
import type { Log } from '../server/observability/log.ts';

const statusMessages: Readonly<Record<RecordingStatus['state'], string>> = {
  STARTING: 'archive starts',
  STANDBY: 'archive is written by another server',
  RECORDING: 'archive records',
  PAUSED: 'archive paused',
  STOPPED: 'archive stopped',
};

/**
 * Where the archive is stored. The heights of the embedded chain begin again with each start, so its archive is temporary: in the directory
 * `temporary` if several processes read it.
 */
export function placeOf({ archive, dataDir }: Config, isEmbedded: boolean, temporary?: string): ArchivePlace | undefined {
  if (archive.kind === 'off') return undefined;
  if (archive.kind === 'postgres') return archive;
  return isEmbedded ? { kind: 'temporary', path: temporary } : { kind: 'directory', path: dataDir };
}

/** What the archive records. */
export function archiveModeOf({ archive, archiveMode }: Config): ArchiveOptions['mode'] {
  return archive.kind === 'file' ? archive.mode : archiveMode;
}

/**
 * Opens the archive of the chain of a client as configured, gives it to the client, and starts recording. undefined if it is off. The code
 * of the storage is loaded only if it is used.
 */
export async function startArchive(
  config: Config,
  {
    client,
    isEmbedded,
    log,
    temporary,
  }: {
    readonly client: Client;
    readonly isEmbedded: boolean;
    readonly log: Pick<Log, 'archive'>;
    readonly temporary?: string | undefined;
  },
): Promise<Archive | undefined> {
  const place = placeOf(config, isEmbedded, temporary);
  if (place === undefined) return undefined;
  const { openArchive } = await import('../archive/setup/open.ts');
  const archive = openArchive({
    ...{ client, place, recorder: createRecorder() },
    // The embedded chain has begun some blocks ago at most.
    from: config.archiveFrom ?? (isEmbedded ? 1n : undefined),
    mode: archiveModeOf(config),
    retention: config.archiveRetention,
    log: {
      status: ({ state, trouble, message }) =>
        log.archive({
          message: statusMessages[state],
          isTrouble: trouble !== undefined,
          code: trouble,
          detail: message,
        }),
      backfill: (detail) => log.archive({ message: 'archive fills in older blocks', isTrouble: false, detail }),
      audit: (id) =>
        log.archive({
          message: 'a computed tally differs from the one of the chain',
          isTrouble: true,
          code: 'ARCHIVE_AUDIT',
          detail: `proposal ${id}`,
        }),
    },
  });
  client.attach(archive);
  return archive;
}
