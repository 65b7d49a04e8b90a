import { execFileSync, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../packages/devnet/src/app/runtime/random.ts';
import { decodeBlockResults } from '../../../src/chain/blocks/committedBlock.ts';
import { endHeight, executeRecordedChain, type RecordedChain } from '../../devnet/recordedChain.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { runsAll, seed } from '../../support/atRandom.ts';
import { parseCsv } from '../../support/csv.ts';
import { type Stack, startStack } from '../../support/stack.ts';

interface DenomStatement {
  readonly denom: string;
  readonly opening: string;
  readonly closing: string;
  readonly unexplained: string;
  readonly lines: readonly { readonly kind: string; readonly amount: string; readonly balance: string }[];
}

let recorded: RecordedChain;
let stack: Stack;
/** The accounts of the genesis, and all that receive or spend coins. */
let accounts: readonly string[];

beforeAll(async () => {
  recorded = await executeRecordedChain([], endHeight);
  stack = await startStack([recorded.url]);
  await stack.client.head.waitFor(recorded.devnet.height, { milliseconds: 30_000 });
  const names = new Set<string>(Object.values(readRecording('world').addr));
  for (let height = 2; height <= endHeight; height += 1) {
    const { txs, outcome } = decodeBlockResults(await stack.client.call('block_results', { height: String(height) }));
    for (const { type, attributes } of [...outcome.events, ...txs.flatMap((tx) => tx.events)])
      if (type === 'coin_received' || type === 'coin_spent')
        for (const { key, value } of attributes) if (key === 'receiver' || key === 'spender') names.add(value);
  }
  accounts = [...names].sort();
}, 120_000);

afterAll(async () => {
  await stack.close();
  await recorded.devnet.close();
});

async function statementOf(address: string, from: bigint, to: bigint): Promise<readonly DenomStatement[]> {
  const { body } = await stack.ask(
    `query ($address: String!, $from: String!, $to: String) { account(address: $address) {
      statement(from: $from, to: $to) { denoms { denom opening closing unexplained lines { kind amount balance } } } } }`,
    { address, from: String(from), to: String(to) },
  );
  expect(body.errors).toBeUndefined();
  return (body.data as { account: { statement: { denoms: DenomStatement[] } } }).account.statement.denoms;
}

/** The balances of an account at a height, read without a statement. */
async function balancesAt(address: string, height: bigint): Promise<Record<string, string>> {
  const query = 'query ($address: String!) { account(address: $address) { balances(first: 100) { nodes { denom amount } } } }';
  const { body } = await stack.ask(query, { address }, { 'x-cosmos-block-height': String(height) });
  const { account } = body.data as { account: { balances: { nodes: { denom: string; amount: string }[] } } };
  return Object.fromEntries(account.balances.nodes.map(({ denom, amount }) => [denom, amount]));
}

describe('statements over the recorded chain', () => {
  it.runIf(runsAll)('add up for every account over ten random ranges', { timeout: 600_000 }, async () => {
    const random = createRandom(seed);
    const kinds = new Map<string, number>();
    const unexplained: string[] = [];
    let statements = 0;
    expect(accounts.length).toBeGreaterThan(10);
    for (const address of accounts) {
      for (let range = 0; range < 10; range += 1) {
        const [one, other] = [BigInt(1 + random.below(endHeight)), BigInt(1 + random.below(endHeight))];
        const [from, to] = one < other ? [one, other] : [other, one];
        const denoms = await statementOf(address, from, to);
        statements += 1;
        const ends = [await balancesAt(address, from), await balancesAt(address, to)] as const;
        const listed = denoms.flatMap(({ denom, opening, closing }) => [[denom, opening, closing] as const]);
        // Every denom at either end has a part, with the balances that the chain has.
        for (const denom of new Set(ends.flatMap((end) => Object.keys(end))))
          expect(listed).toContainEqual([denom, ends[0][denom] ?? '0', ends[1][denom] ?? '0']);
        for (const { denom, opening, closing, unexplained: rest, lines } of denoms) {
          let balance = BigInt(opening);
          for (const line of lines) {
            balance += BigInt(line.amount);
            expect(line.balance).toBe(balance.toString());
            kinds.set(line.kind, (kinds.get(line.kind) ?? 0) + 1);
          }
          expect(balance, `${address} ${denom} ${from}-${to}`).toBe(BigInt(closing));
          if (rest !== '0') unexplained.push(`${address} ${from}-${to}: ${rest} ${denom}`);
        }
      }
    }
    const counts = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
    process.stdout.write(
      `recorded chain: ${accounts.length} accounts, ${statements} statements; lines: ${counts}; unexplained: ${unexplained.join('; ') || 'none'}\n`,
    );
    expect(unexplained).toEqual([]);
  });

  const hasPython = spawnSync('python3', ['--version']).status === 0;

  it.skipIf(!hasPython)('have CSV that the csv module of Python reads as we do', async () => {
    const { alice } = readRecording('world').addr;
    const url = `${stack.server.url}/v1/accounts/${alice}/statement?from=1&to=${endHeight}`;
    const csv = await (await fetch(url, { headers: { accept: 'text/csv' } })).text();
    const program = 'import csv, json, sys; print(json.dumps(list(csv.reader(sys.stdin, strict=True))))';
    const rows = JSON.parse(execFileSync('python3', ['-c', program], { input: csv, encoding: 'utf8' })) as string[][];
    expect(rows).toEqual(parseCsv(csv));
    const sum = rows.slice(1).reduce((total, row) => total + BigInt(row[rows[0]!.indexOf('amount')]!), 0n);
    const denoms = await statementOf(alice, 1n, BigInt(endHeight));
    expect(sum).toBe(denoms.reduce((total, { opening, closing }) => total + BigInt(closing) - BigInt(opening), 0n));
    process.stdout.write(`python csv: ${rows.length} rows of ${rows[0]!.length} columns, equal\n`);
  });
});
