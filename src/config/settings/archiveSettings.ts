import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/** Where the archive is kept: nowhere, in a file for each chain in the data directory, or in a PostgreSQL database. */
export type ArchiveSetting =
  | { readonly kind: 'off' }
  | { readonly kind: 'file' }
  | { readonly kind: 'postgres'; readonly url: string };

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
      'Records groups, policies, proposals and votes, in a file for each chain or in a PostgreSQL database that servers share. With the embedded chain, the file is temporary.',
    expects: '`off`, `governance`, or a `postgres://` URL',
    schema: z.union([
      z.literal('off').transform((): ArchiveSetting => ({ kind: 'off' })),
      z.literal('governance').transform((): ArchiveSetting => ({ kind: 'file' })),
      postgresUrl,
    ]),
    defaultText: 'governance',
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
    summary: 'The directory with the files of archives.',
    expects: 'a directory',
    schema: z.string().min(1),
    absent: '~/.local/share/stele',
  },
} as const;

/** The data directory if none is given, by the XDG Base Directory Specification. */
export function defaultDataDir(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'stele');
}
