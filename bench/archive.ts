import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { backfill } from './archive/backfill.ts';
import { hostile } from './archive/hostile.ts';
import { reads } from './archive/reads.ts';
import { recording } from './archive/recording.ts';
import { readFlags } from './flags.ts';

/**
 * Measures the archive: the recording of large blocks, the backfill, and reads of a large archive. The names `recording`, `backfill` and `reads` choose
 * parts. `--seconds` is the number of blocks to record in each mode, `--blocks` the number to fill in, `--rounds` how often, and `--proposals` the number to
 * read from. `hostile` is {@link archiveHostile}.
 */
export async function archive(args: readonly string[]): Promise<void> {
  console.log(`\nArchive: Node ${process.version}; ${cpus().length} cores shared by load, server, node and databases`);
  if (args[0] === 'hostile') return archiveHostile(args.slice(1));
  const { numbers, names } = readFlags(args, {
    seconds: { default: 30, max: 600 },
    blocks: { default: 2_000, max: 4_000 },
    rounds: { default: 3, max: 20 },
    proposals: { default: 1_000_000, max: 10_000_000 },
  });
  const isChosen = (part: string): boolean => names.length === 0 || names.includes(part);
  if (isChosen('recording')) await recording(numbers.seconds);
  if (isChosen('backfill')) await backfill(numbers.blocks, numbers.rounds);
  if (isChosen('reads')) await reads(numbers.proposals);
}

/**
 * Measures an honest caller beside a hostile one that reads an archive of `--open` and `--closed` proposals with `--votes` votes each, for `--seconds` each.
 * `--database` is `sqlite` or `postgres`. `--keep` is a directory for the filled database, which the next run reads again; `--fill` only fills it. Names
 * choose reads.
 */
async function archiveHostile(args: readonly string[]): Promise<void> {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: { database: { type: 'string' }, keep: { type: 'string' }, fill: { type: 'boolean' } },
    strict: false,
    tokens: true,
  });
  const own = new Set(
    tokens.flatMap((token) =>
      token.kind === 'option' && ['database', 'keep', 'fill'].includes(token.name) ? [token.index] : [],
    ),
  );
  const rest = args.filter((_, index) => !own.has(index) && !(own.has(index - 1) && args[index - 1] !== '--fill'));
  const { numbers, names } = readFlags(rest, {
    open: { default: 100, max: 1_000 },
    closed: { default: 10_000, max: 100_000 },
    votes: { default: 5_000, max: 50_000 },
    seconds: { default: 12, max: 600 },
  });
  await hostile({
    size: { open: numbers.open, closed: numbers.closed, votes: numbers.votes },
    database: values.database === 'postgres' ? 'postgres' : 'sqlite',
    keep: typeof values.keep === 'string' ? values.keep : undefined,
    isOnlyFilled: values.fill === true,
    seconds: numbers.seconds,
    names,
  });
}
