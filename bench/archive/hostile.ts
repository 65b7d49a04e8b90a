import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveFile } from '../../src/archive/setup/open.ts';
import { startPostgres } from '../../test/support/archive/postgres.ts';
import { archiveOperation, archiveReads } from '../attacks/archiveReads.ts';
import type { HonestResult } from '../attacks/honest.ts';
import type { HostileResult } from '../attacks/hostile.ts';
import { startLoad } from '../attacks/load.ts';
import { buildOf, startChild } from '../child.ts';
import { megabytes, type ServerProcess, startServerProcess } from '../serverProcess.ts';
import { coverChain, fillLarge, indexedBlocks, isFilled, type LargeArchive, type LargePlace } from './largeArchive.ts';

const chainId = 'stele-devnet';
const connections = 20;
const heap = 1_000;

/** Highest p99 of the honest caller, in ms. */
const p99Max = 250;

/** Options of {@link hostile}. */
export interface HostileOptions {
  readonly size: LargeArchive;
  readonly database: 'sqlite' | 'postgres';
  /** A directory that keeps the filled database for the next run. */
  readonly keep: string | undefined;
  /** Only fills the database. */
  readonly isOnlyFilled: boolean;
  /** Seconds of each read. */
  readonly seconds: number;
  /** The reads, by their names; all without a name. */
  readonly names: readonly string[];
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function blockOf(node: string, height?: bigint): Promise<{ readonly height: bigint; readonly hash: string }> {
  const response = await fetch(`${node}/block${height === undefined ? '' : `?height=${height}`}`);
  const { block_id: id, block } = Object(Object(await response.json()).result);
  return { height: BigInt(block.header.height), hash: id.hash };
}

/** Milliseconds until `/livez` responds. */
async function live(adminUrl: string): Promise<number> {
  const begun = performance.now();
  await fetch(`${adminUrl}/livez`, { signal: AbortSignal.timeout(30_000) }).then((response) => response.text());
  return performance.now() - begun;
}

/** The points that one request of a read costs; the code if it is refused. */
async function priceOf(name: string, { url, tokens }: ServerProcess): Promise<string> {
  const operation = archiveOperation(name);
  if (operation === undefined) return 'by page';
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens[1]}` },
    body: JSON.stringify({ query: operation, extensions: { cost: true } }),
  });
  const { extensions, errors } = Object(await response.json());
  const [error] = Array.isArray(errors) ? errors : [];
  const code = error === undefined ? '' : ` ${Object(Object(error).extensions).code}`;
  return `${Object(Object(extensions).cost).requested ?? '-'}${code}`;
}

async function runRead(
  name: string,
  hostileToken: string,
  seconds: number,
  server: ServerProcess,
  delayFile: string,
): Promise<boolean> {
  const { url, adminUrl, tokens } = server;
  const [honestToken = ''] = tokens;
  const price = name === 'none' ? '' : await priceOf(name, server);
  const common = { url, connections };
  process.kill(server.pid, 'SIGUSR2');
  const honest = await startLoad<HonestResult>('honest', { ...common, attack: 'archive', token: honestToken });
  const attack =
    name === 'none' ? undefined : await startLoad<HostileResult>('hostile', { ...common, attack: name, token: hostileToken });
  const begun = performance.now();
  let [longest, most] = [0, 0];
  while (performance.now() - begun < seconds * 1_000 && server.isAlive()) {
    longest = Math.max(longest, await live(adminUrl).catch(() => 30_000));
    most = Math.max(most, server.memory()?.resident ?? 0);
    await pause(100);
  }
  const seen = await honest.stop();
  const sent = await attack?.stop();
  const [lag99 = 0, lagMax = 0] = existsSync(delayFile) ? readFileSync(delayFile, 'utf8').split(' ').map(Number) : [];
  const failures = Object.entries(seen?.failures ?? {}).map(([kind, count]) => `${kind}: ${count}`);
  const held = server.isAlive() && seen !== undefined && failures.length === 0 && seen.p99 < p99Max;
  const ms = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(0)).padStart(6);
  console.log(
    `  ${name.padEnd(18)}${price.padStart(12)}${String(sent?.requests ?? 0).padStart(8)}${ms(seen?.p50)}${ms(seen?.p99)}${ms(seen?.max)}${ms(longest)}${ms(lag99)}${ms(lagMax)}  ${megabytes(most).padStart(9)}  ${held ? 'held' : 'NOT HELD'} ${JSON.stringify(sent?.answers ?? {})} ${failures.join(', ')}`,
  );
  // What was begun ends before the next read.
  await pause(1_500);
  return held;
}

/**
 * Reads an archive with many votes by one hostile caller on 20 connections, one read after the other, while an honest caller sends small queries. The
 * exit code is 1 if the honest p99 was above 250 ms.
 */
export async function hostile({ size, database, keep, isOnlyFilled, seconds, names }: HostileOptions): Promise<void> {
  const directory = keep ?? mkdtempSync(join(tmpdir(), 'stele-bench-'));
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  const postgres = database === 'postgres' ? await startPostgres(join(directory, 'postgres')) : undefined;
  const place: LargePlace =
    postgres === undefined
      ? { kind: 'sqlite', file: archiveFile(directory, chainId) }
      : // The flag of the server takes URLs with a host; the socket in the query comes first.
        { kind: 'postgres', url: (await postgres.database('bench')).replace('@/', '@localhost/') };
  try {
    if (!(await isFilled(place, chainId, size))) {
      console.log(`\nFilling ${size.open} open and ${size.closed} closed proposals with ${size.votes} votes each`);
      await fillLarge(place, chainId, size, console.log);
    }
    if (!isOnlyFilled) await attackAll(place, directory, seconds, names, size);
  } finally {
    await postgres?.close();
    if (keep === undefined) rmSync(directory, { recursive: true });
  }
}

async function attackAll(
  place: LargePlace,
  directory: string,
  seconds: number,
  names: readonly string[],
  { open, closed, votes }: LargeArchive,
): Promise<void> {
  const node = await startChild('devnet', [String(indexedBlocks)]);
  await coverChain(place, chainId, (await blockOf(node.url, 1n)).hash, await blockOf(node.url));
  // Each read has a caller of its own, with all of its points.
  const reads = names.length === 0 ? ['none', ...archiveReads.map((read) => read.name)] : names;
  const delayFile = join(directory, 'loop-delay');
  const archive =
    place.kind === 'sqlite'
      ? ['--archive', 'full', '--data-dir', directory]
      : ['--archive', place.url, '--archive-mode', 'full'];
  const server = await startServerProcess({
    flags: ['--node', node.url, ...archive],
    heap,
    names: ['honest', 'pricer', ...reads],
    nodeArgs: ['--import', await buildOf('loopDelay', './archive/loopDelay.ts')],
    env: { BENCH_LOOP_DELAY: delayFile },
  });
  // The chain goes on, so that the archive is written meanwhile.
  const blocks = setInterval(() => void node.run('commit').catch(() => undefined), 1_000);
  try {
    await pause(3_000);
    console.log(
      `\n${place.kind}: ${open} open and ${closed} closed proposals with ${votes} votes each; ${connections} connections; ${seconds} s each; times in ms`,
    );
    console.log('  read                      points requests   p50   p99   max livez lag99 lagmax     memory');
    for (const [index, name] of reads.entries())
      if (!(await runRead(name, server.tokens[2 + index] ?? '', seconds, server, delayFile))) process.exitCode = 1;
    if (server.complaints() !== '') console.log(server.complaints());
  } finally {
    clearInterval(blocks);
    await server.stop();
    await node.stop();
  }
}
