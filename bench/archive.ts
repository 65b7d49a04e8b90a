import { cpus } from 'node:os';
import { backfill } from './archive/backfill.ts';
import { reads } from './archive/reads.ts';
import { recording } from './archive/recording.ts';
import { readFlags } from './flags.ts';

/**
 * Measures the archive: the recording of large blocks, the backfill, and reads of a large archive. The names `recording`, `backfill` and `reads` choose
 * parts. `--seconds` is the number of blocks to record in each mode, `--blocks` the number to fill in, `--rounds` how often, and `--proposals` the number to
 * read from.
 */
export async function archive(args: readonly string[]): Promise<void> {
  const { numbers, names } = readFlags(args, {
    seconds: { default: 30, max: 600 },
    blocks: { default: 2_000, max: 4_000 },
    rounds: { default: 3, max: 20 },
    proposals: { default: 1_000_000, max: 10_000_000 },
  });
  const isChosen = (part: string): boolean => names.length === 0 || names.includes(part);
  console.log(`\nArchive: Node ${process.version}; ${cpus().length} cores shared by load, server, node and databases`);
  if (isChosen('recording')) await recording(numbers.seconds);
  if (isChosen('backfill')) await backfill(numbers.blocks, numbers.rounds);
  if (isChosen('reads')) await reads(numbers.proposals);
}
