import { archiveOf } from '../../archive/setup/archive.ts';
import type { Client } from '../../chain/client.ts';
import type { Rehearsal } from './rehearsal.ts';

/** How a rehearsal is stored: heights and gas as text, bytes as base64. The stores are left out. */
type Stored = Omit<Rehearsal, 'height' | 'gasUsed' | 'failed' | 'stores'> & {
  readonly height: string;
  readonly gasUsed: string | null;
  readonly failed: {
    readonly index: number | null;
    readonly error: string;
    readonly message: { readonly type: string; readonly value: string } | null;
  } | null;
};

/** Keeps a rehearsal that was run, if there is an archive. It does not wait, and a failure of the archive is no failure of the rehearsal. */
export function keepRehearsal(client: Client, proposalId: bigint, { stores: _, ...rehearsal }: Rehearsal): void {
  const { height, outcome, gasUsed, failed } = rehearsal;
  const archive = archiveOf(client.archive());
  if (archive === undefined || height === null || outcome === 'CANNOT_REHEARSE') return;
  const message = failed?.message;
  const stored: Stored = {
    ...rehearsal,
    height: height.toString(),
    gasUsed: gasUsed?.toString() ?? null,
    failed: failed && {
      ...failed,
      message: message ? { type: message.type, value: Buffer.from(message.value).toString('base64') } : null,
    },
  };
  archive.addRehearsal({ proposalId, height, outcome, content: JSON.stringify(stored) }).catch(() => undefined);
}

/** The rehearsal in a stored text. */
export function readKept(content: string): Rehearsal {
  // The text is of `keepRehearsal`.
  const stored = JSON.parse(content) as Stored;
  const { height, gasUsed, failed } = stored;
  const message = failed?.message;
  return {
    ...stored,
    height: BigInt(height),
    gasUsed: gasUsed === null ? null : BigInt(gasUsed),
    failed: failed && {
      ...failed,
      message: message ? { type: message.type, value: Buffer.from(message.value, 'base64') } : null,
    },
    stores: undefined,
  };
}
