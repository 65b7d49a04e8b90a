import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/** Where the archive is kept: nowhere, in a file for each chain in the data directory, or in a PostgreSQL database. */
export type ArchiveSetting =
  | { readonly kind: 'off' }
  | { readonly kind: 'file'; readonly mode: ArchiveMode }
  | { readonly kind: 'postgres'; readonly url: string };

/** What is recorded: the records of group governance, or all contents of blocks too. */
export type ArchiveMode = 'GOVERNANCE' | 'FULL';

const postgresUrl = z
  .string()
  .refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text))
  .transform((url): ArchiveSetting => ({ kind: 'postgres', url }));

/** The settings of the archive. */
export const archiveSettings = {
  archive: {
    flag: 'archive',
    variable: 'STELE_ARCHIVE',
    group: 'Archive',
    summary:
      'Records groups, policies, proposals and votes (`governance`), or the contents of all blocks too (`full`), in a file for each chain or in a PostgreSQL database that servers share. With the embedded chain, the file is temporary.',
    expects: '`off`, `governance`, `full`, or a `postgres://` URL',
    schema: z.union([
      z.literal('off').transform((): ArchiveSetting => ({ kind: 'off' })),
      z.literal('governance').transform((): ArchiveSetting => ({ kind: 'file', mode: 'GOVERNANCE' })),
      z.literal('full').transform((): ArchiveSetting => ({ kind: 'file', mode: 'FULL' })),
      postgresUrl,
    ]),
    absent: '`governance`; with the embedded chain `full`',
  },
  archiveMode: {
    flag: 'archive-mode',
    variable: 'STELE_ARCHIVE_MODE',
    group: 'Archive',
    summary: 'What a PostgreSQL database records. All servers on one database need the same mode.',
    expects: '`governance` or `full`',
    schema: z.enum(['governance', 'full']).transform((text): ArchiveMode => (text === 'full' ? 'FULL' : 'GOVERNANCE')),
    defaultText: 'governance',
  },
  archiveRetention: {
    flag: 'archive-retention',
    variable: 'STELE_ARCHIVE_RETENTION',
    group: 'Archive',
    summary:
      'How long the contents of blocks are kept in mode `full`. Groups, policies, proposals and votes are kept for ever.',
    expects: 'a number of days or hours, such as `90d` or `12h`',
    schema: z
      .string()
      .regex(/^[1-9]\d{0,4}[dh]$/)
      .transform((text) => Number.parseInt(text, 10) * (text.endsWith('d') ? 86_400_000 : 3_600_000)),
    absent: 'for ever',
  },
  archiveFrom: {
    flag: 'archive-from',
    variable: 'STELE_ARCHIVE_FROM',
    group: 'Archive',
    summary: 'Fills in older blocks down to this height in the background, newest first, as far as the nodes have their state.',
    expects: 'a height of at least 1',
    schema: z
      .string()
      .regex(/^[1-9]\d{0,17}$/)
      .transform(BigInt),
    absent: 'no older blocks',
  },
  dataDir: {
    flag: 'data-dir',
    variable: 'STELE_DATA_DIR',
    group: 'Archive',
    summary: 'The directory with the files of archives and the signing keys of the embedded issuer.',
    expects: 'a directory',
    schema: z.string().min(1),
    absent: '~/.local/share/stele',
  },
} as const;

/** The data directory if none is given, by the XDG Base Directory Specification. */
export function defaultDataDir(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'stele');
}
