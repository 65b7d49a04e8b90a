import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { archiveFileName } from '../../src/archive/setup/open.ts';
import { heightRanges } from '../../src/archive/store/ranges.ts';
import { networks } from '../../src/config/settings/config.ts';
import {
  type ArchiveSetting,
  archiveSettings,
  asksForHelp,
  defaultDataDir,
  variableOf,
} from '../../src/config/settings/settings.ts';
import {
  allVotePages,
  createListWriter,
  type ListFormat,
  type ListWriter,
  listFormats,
  proofColumns,
  proofPages,
  proposalColumns,
  proposalPages,
  voteColumns,
} from '../../src/modules/records/export.ts';
import {
  allGovDepositPages,
  allGovVotePages,
  govDepositColumns,
  govProposalColumns,
  govProposalPages,
  govVoteColumns,
} from '../../src/modules/records/govExport.ts';
import { auditGovTallies } from './auditGovTallies.ts';
import { auditProofs } from './auditProofs.ts';
import { type AuditResult, auditTallies } from './auditTallies.ts';
import { openStoredArchive, type StoredArchive, type StoredPlace, storedChains } from './storedArchive.ts';

const place = '[--data-dir DIR | --archive postgres://…] [--chain-id ID | --network mainnet|testnet]';
const usage = `npm run archive -- verify [--proofs] ${place}
npm run -s archive -- export --format ndjson|csv [--what LIST] ${place}`;

const help = `Usage: npm run -s archive -- COMMAND [flags], or: node dist/archive.js COMMAND [flags]

Reads an archive of proposals and votes. A server may record into it at the same time.

Commands:
  verify  Checks that each row lies within the coverage, and computes each tally again. The exit status is 1 if something is wrong.
  export  Writes a whole list to standard output.

Flags of verify:
  --proofs         Also verifies the kept proofs of closed proposals, without a node: signatures, votes, members and tallies.

Flags of export:
  --format FORMAT  \`ndjson\` or \`csv\`. Required.
  --what LIST      \`proposals\` (the default), \`votes\` or \`proofs\` of groups, or \`gov-proposals\`, \`gov-votes\` or \`gov-deposits\` of the governance module.

The archive:
  --data-dir DIR   The directory with the files of archives (default: ${archiveSettings.dataDir.absent}).
  --archive URL    A PostgreSQL database, as postgres://user@host/database.
  --chain-id ID    The chain. A directory with one archive needs no --chain-id.
  --network NAME   \`mainnet\` or \`testnet\`, in place of --chain-id.
  --help           Prints this text.

${variableOf(archiveSettings.dataDir)} and ${variableOf(archiveSettings.archive)} name the archive as for the server. The flags override them.
`;

const options = {
  archive: { type: 'string' },
  'data-dir': { type: 'string' },
  'chain-id': { type: 'string' },
  network: { type: 'string' },
  format: { type: 'string' },
  what: { type: 'string' },
  proofs: { type: 'boolean' },
} as const;

const lists = ['proposals', 'votes', 'proofs', 'gov-proposals', 'gov-votes', 'gov-deposits'] as const;

type Command =
  | { readonly name: 'verify'; readonly proofs: boolean }
  | { readonly name: 'export'; readonly format: ListFormat; readonly what: (typeof lists)[number] };

type Flags = { readonly [Flag in Exclude<keyof typeof options, 'proofs'>]?: string | undefined } & {
  readonly proofs?: boolean | undefined;
};

function oneOf<const T extends string>(flag: string, text: string | undefined, words: readonly T[]): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new Error(`--${flag} must be ${words.map((word) => `\`${word}\``).join(' or ')}`);
  return found;
}

/** Parses the name of the command and its own flags. Throws an error with one line. */
function commandOf(names: readonly string[], { format, what, proofs = false }: Flags): Command {
  const [name, ...rest] = names;
  if (rest.length === 0 && name === 'verify') {
    if (format !== undefined || what !== undefined) throw new Error('--format and --what belong to `export`');
    return { name, proofs };
  }
  if (proofs) throw new Error('--proofs belongs to `verify`');
  if (rest.length === 0 && name === 'export')
    return { name, format: oneOf('format', format, listFormats), what: oneOf('what', what ?? 'proposals', lists) };
  throw new Error('the command must be `verify` or `export`');
}

function archiveSetting(text: string): ArchiveSetting {
  const { schema, expects } = archiveSettings.archive;
  const parsed = schema.safeParse(text);
  // The value is not shown: it may contain a password.
  if (!parsed.success) throw new Error(`--archive must be ${expects}`);
  return parsed.data;
}

/** The id of the chain: the given one, that of the network, or that of the only archive in the data directory. */
async function chainOf(flags: Flags, directory: string | undefined): Promise<string> {
  if (flags['chain-id'] !== undefined) return flags['chain-id'];
  if (flags.network !== undefined) return networks[oneOf('network', flags.network, ['mainnet', 'testnet'])].chainId;
  if (directory === undefined) throw new Error('--archive postgres://… needs --chain-id or --network');
  const [found, ...others] = await storedChains(directory);
  if (found === undefined) throw new Error(`there is no archive in ${directory}; --data-dir names another directory`);
  if (others.length > 0) throw new Error(`--chain-id must be one of ${[found, ...others].join(', ')}`);
  return found;
}

/** Opens the archive that the flags, or the variables of the server, name. */
async function open(
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly archive: StoredArchive; readonly chainId: string }> {
  const setting = archiveSetting(flags.archive ?? env[variableOf(archiveSettings.archive)] ?? 'governance');
  if (setting.kind === 'off') throw new Error('--archive must name an archive');
  const dataDir = flags['data-dir'] ?? env[variableOf(archiveSettings.dataDir)] ?? defaultDataDir(env);
  const chainId = await chainOf(flags, setting.kind === 'file' ? dataDir : undefined);
  const stored: StoredPlace =
    setting.kind === 'postgres' ? setting : { kind: 'file', path: join(dataDir, archiveFileName(chainId)) };
  return { archive: await openStoredArchive(stored, chainId), chainId };
}

/** Checks the coverage and all tallies. Returns the exit status. */
async function verify(
  archive: StoredArchive,
  chainId: string,
  { proofs }: { readonly proofs: boolean },
  stdout: Writable,
): Promise<number> {
  const { reader, newest } = archive;
  const ranges = heightRanges(reader.coverage()).map(({ from, to }) => `${from} to ${to}`);
  const write = (name: string, text: string): void => void stdout.write(`${name.padEnd(12)} ${text}\n`);
  const writeTallies = ({ agree, differ, notComparable }: AuditResult): void =>
    write('tallies', `${agree} agree, ${differ} differ, ${notComparable} cannot be compared`);
  write('chain', chainId);
  write('coverage', ranges.length === 0 ? 'no blocks yet' : ranges.join(', '));
  const outside = await archive.rowsOutside();
  for (const [table, count] of outside) write('outside', `${count} rows of ${table} lie outside of the coverage`);
  const missing = await archive.rowsMissing();
  for (const { table, from, to, stored, missing: count } of missing)
    write('missing', `${count} of ${stored} rows of ${table} at the heights ${from} to ${to} are missing`);
  const { times, overlaps, repeats } = await archive.falsePast();
  if (times > 0n) write('differs', `the times of ${times} blocks are not after those of the blocks before`);
  if (overlaps > 0n) write('differs', `${overlaps} roots of stores overlap with others`);
  if (repeats > 0n) write('differs', `${repeats} roots of stores came back after another one`);
  const { unexplained } = await reader.stats();
  const audit = await auditTallies(reader, newest, ({ id, chain, computed }) =>
    write('differs', `proposal ${id}: chain ${JSON.stringify(chain)}, computed ${JSON.stringify(computed)}`),
  );
  write('proposals', `${audit.proposals} with ${audit.votes} votes; ${unexplained} unexplained`);
  writeTallies(audit);
  const miscounted = await archive.govVotesMiscounted();
  for (const { proposalId, voter, cast, counted } of miscounted)
    write('differs', `vote of ${voter} on governance proposal ${proposalId}: cast ${cast}, counted ${counted}`);
  const govAudit = await auditGovTallies(reader.gov, newest, ({ id, round, chain, recorded, computed }) => {
    const [ofChain, ofClose, ofVotes] = [chain, recorded, computed].map((tally) => JSON.stringify(tally));
    const atClose = ofClose === ofChain ? '' : `, computed at the close ${ofClose}`;
    write('differs', `governance proposal ${id}, voting period ${round}: chain ${ofChain}${atClose}, computed ${ofVotes}`);
  });
  write('governance', `${govAudit.proposals} proposals with ${govAudit.votes} votes`);
  writeTallies(govAudit);
  const differences =
    audit.differ + govAudit.differ + times + overlaps + repeats + BigInt(outside.size + missing.length + miscounted.length);
  const falseProofs = proofs ? await verifyProofs(archive, chainId, write) : 0n;
  return differences + falseProofs === 0n ? 0 : 1;
}

/** Checks all kept proofs. Returns the number of those that are wrong. */
async function verifyProofs(
  { reader, newest }: StoredArchive,
  chainId: string,
  write: (name: string, text: string) => void,
): Promise<bigint> {
  const audit = await auditProofs(reader, { asOf: newest, chainId }, ({ id, reason }) =>
    write('false', `proof of proposal ${id}: ${reason}`),
  );
  write('proofs', `${audit.verified} verify, ${audit.differ} are false; ${audit.without} closed proposals have none`);
  write(
    'proven',
    `${audit.votes} votes, none left out, and ${audit.members} members; ${audit.lastVotes} votes of the last blocks are in no state`,
  );
  for (const { hash, proofs, from, to } of audit.sets)
    write('signed by', `validators ${hash}: ${proofs} proofs, blocks ${from} to ${to}`);
  return audit.differ;
}

async function* linesOf<V>(pages: AsyncIterable<readonly V[]>, { start, row }: ListWriter<V>): AsyncGenerator<string, void> {
  if (start !== '') yield start;
  for await (const rows of pages) if (rows.length > 0) yield rows.map(row).join('');
}

/** The lines of each list that can be exported. */
function listLines(
  { reader, newest }: StoredArchive,
  { format, what }: Command & { name: 'export' },
): AsyncGenerator<string, void> {
  const page = { size: 100, beforePage: async () => undefined };
  switch (what) {
    case 'proposals':
      return linesOf(proposalPages(reader, {}, newest, page), createListWriter(format, proposalColumns));
    case 'votes':
      return linesOf(allVotePages(reader, newest, page), createListWriter(format, voteColumns));
    case 'proofs':
      return linesOf(proofPages(reader, newest, page), createListWriter(format, proofColumns));
    case 'gov-proposals':
      return linesOf(govProposalPages(reader.gov, {}, newest, page), createListWriter(format, govProposalColumns));
    case 'gov-votes':
      return linesOf(allGovVotePages(reader.gov, newest, page), createListWriter(format, govVoteColumns));
    case 'gov-deposits':
      return linesOf(allGovDepositPages(reader.gov, newest, page), createListWriter(format, govDepositColumns));
  }
}

async function exportList(archive: StoredArchive, command: Command & { name: 'export' }, stdout: Writable): Promise<number> {
  // The next page is read when the last one is written.
  await pipeline(Readable.from(listLines(archive, command), { highWaterMark: 1 }), stdout, { end: false });
  return 0;
}

/** What the command uses of its process. */
export interface CommandProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Runs the command with these arguments. Returns the exit status: 1 means that a tally differs, 2 that the command failed. */
export async function runCommand(args: readonly string[], { env, stdout, stderr }: CommandProcess): Promise<number> {
  try {
    if (asksForHelp(args)) {
      stdout.write(help);
      return 0;
    }
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const command = commandOf(positionals, values);
    const { archive, chainId } = await open(values, env);
    try {
      return command.name === 'verify'
        ? await verify(archive, chainId, command, stdout)
        : await exportList(archive, command, stdout);
    } finally {
      await archive.close();
    }
  } catch (error) {
    // Whatever reads the output may end first, as `head` does.
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 0;
    stderr.write(`archive: ${error instanceof Error ? error.message : error}\n${usage}\n`);
    return 2;
  }
}
