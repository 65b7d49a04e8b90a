import type { RecordingStatus } from './archive/recording/status.ts';
import type { Archive, ArchivePlace } from './archive/setup/archive.ts';
import { attachArchive } from './archive/setup/attached.ts';
import type { Client } from './chain/client.ts';
import type { Config } from './config/settings/config.ts';
import type { Log } from './http/observability/log.ts';
import { createRecorder } from './modules/group/recorder/recorder.ts';

const statusMessages: Readonly<Record<RecordingStatus['state'], string>> = {
  STARTING: 'archive starts',
  STANDBY: 'archive is written by another server',
  RECORDING: 'archive records',
  PAUSED: 'archive paused',
  STOPPED: 'archive stopped',
};

/** Where the archive is stored. The heights of the embedded chain begin again with each start, so its archive is temporary. */
function placeOf({ archive, dataDir }: Config, isEmbedded: boolean): ArchivePlace | undefined {
  if (archive.kind === 'off') return undefined;
  if (archive.kind === 'postgres') return archive;
  return isEmbedded ? { kind: 'temporary' } : { kind: 'directory', path: dataDir };
}

/**
 * Opens the archive of the chain of a client as configured, gives it to the client, and starts recording. undefined if it is off. The code
 * of the storage is loaded only if it is used.
 */
export async function startArchive(
  config: Config,
  { client, isEmbedded, log }: { readonly client: Client; readonly isEmbedded: boolean; readonly log: Pick<Log, 'archive'> },
): Promise<Archive | undefined> {
  const place = placeOf(config, isEmbedded);
  if (place === undefined) return undefined;
  const { openArchive } = await import('./archive/setup/archive.ts');
  const archive = openArchive({
    ...{ client, place, recorder: createRecorder() },
    // The embedded chain has begun some blocks ago at most.
    from: config.archiveFrom ?? (isEmbedded ? 1n : undefined),
    mode: config.archive.kind === 'file' ? config.archive.mode : config.archiveMode,
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
  attachArchive(client, archive);
  return archive;
}
