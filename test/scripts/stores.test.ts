import { describe, expect, it } from 'vitest';
import { createApplication } from '../../packages/devnet/src/app/application.ts';
import { createDevnet } from '../../packages/devnet/src/devnet.ts';
import { observe } from '../../scripts/stores/observe.ts';
import { type Answers, measureRows, type Observations } from '../../scripts/stores/rows.ts';
import { type Client, createClient } from '../../src/chain/client.ts';
import { storesByMethod } from '../../src/chain/roots/gen/storesByMethod.ts';
import type { StoresRow } from '../../src/chain/roots/methodTables.ts';
import { fallback } from '../../src/chain/transports/fallback.ts';
import { http } from '../../src/chain/transports/http.ts';
import { createTraffic, createTrafficGenesis } from '../roots/traffic.ts';
import { runsAll } from '../support/atRandom.ts';

const method = '/example.v1.Query/Thing';

/** A list of 31 values that changes at some heights. */
const changing = (...at: readonly number[]): string[] =>
  Array.from({ length: 31 }, (_, height) => String(at.filter((each) => each <= height).length));

const always = Array.from({ length: 31 }, (_, height) => height);

function observed(answers: Answers, more: Partial<Observations> = {}): Observations {
  return {
    roots: new Map([
      ['bank', changing(5, 12)],
      ['gov', changing(20)],
      ['mint', changing(...always)],
    ]),
    isComplete: true,
    answers: new Map([[method, [answers]]]),
    sdk: '0.53',
    timeless: new Set([method]),
    ...more,
  };
}

const bankRow = { [method]: { stores: ['bank'], carry: 'always' } } satisfies Record<string, StoresRow>;

function outcome(observations: Observations, table: Readonly<Record<string, StoresRow>>, isMeasured = false): unknown {
  const { rows, omitted } = measureRows(observations, table, { isMeasured });
  return omitted.get(method) ?? rows.map(({ stores, carry }) => [stores, carry]);
}

describe('the rows that observations confirm', () => {
  it('have counts of the pairs of answers', () => {
    const { rows } = measureRows(observed(changing(12)), bankRow, { isMeasured: false });
    expect(rows).toEqual([
      { method, stores: ['bank'], carry: 'always', unchangedPairs: 28, changedPairs: 2, changedAnswers: 1 },
    ]);
  });

  it.each<readonly [string, Observations, Readonly<Record<string, StoresRow>>, unknown]>([
    ['an answer changed without its stores', observed(changing(12, 20)), bankRow, 'CONTRADICTION'],
    [
      'the chain lacks a store, and may have others',
      observed(changing(12), { isComplete: false }),
      { [method]: { stores: ['bank', 'hold'], carry: 'always' } },
      'STORES',
    ],
    [
      'the chain lacks a store, and all of its stores are known',
      observed(changing(12)),
      { [method]: { stores: ['bank', 'hold'], carry: 'always' } },
      [[['bank'], 'always']],
    ],
    [
      'a store changes at every block',
      observed(changing(12)),
      { [method]: { stores: ['mint'], carry: 'always' } },
      'TOO_FEW_ANSWERS',
    ],
    ['the application refused the requests', observed(Array.from({ length: 31 }, () => undefined)), bankRow, 'TOO_FEW_ANSWERS'],
    ['it depends on more than stores', observed(changing(12)), { [method]: { stores: ['bank'], carry: 'never' } }, 'NEVER'],
    [
      'it has a condition, and answers that change with the time',
      observed(changing(12, 20)),
      { [method]: { stores: ['bank'], carry: 'withoutVesting' } },
      [[['bank'], 'withoutVesting']],
    ],
    ['the SDK is another, and no answer has changed', observed(changing(), { sdk: '0.54' }), bankRow, 'NO_CHANGE'],
    ['the SDK is another, and an answer has changed', observed(changing(12), { sdk: '0.54' }), bankRow, [[['bank'], 'always']]],
    [
      'the row holds for one line of the SDK',
      observed(changing(12), { sdk: '0.54' }),
      { [method]: { ...bankRow[method], sdk: '0.53' } },
      'NEVER',
    ],
    ['the method is not in the table', observed(changing(12)), {}, 'NOT_IN_TABLE'],
  ])('%s', (_, observations, table, expected) => {
    expect(outcome(observations, table)).toEqual(expected);
  });

  it('of a method that is not in the table have every store that does not change at every block', () => {
    expect(outcome(observed(changing(12)), {}, true)).toEqual([[['bank', 'gov'], 'always']]);
    expect(outcome(observed(changing()), {}, true)).toBe('NO_CHANGE');
    expect(outcome(observed(changing(12, 15)), {}, true)).toBe('CONTRADICTION');
    expect(outcome(observed(changing(12), { isComplete: false }), {}, true)).toBe('NOT_IN_TABLE');
    expect(outcome(observed(changing(12), { timeless: new Set() }), {}, true)).toBe('NOT_IN_TABLE');
  });
});

describe('the table of the development chain, whose stores are known', () => {
  it.runIf(runsAll)(
    'has the rows of its table, and none that lacks a store',
    async () => {
      const application = createApplication({ genesis: createTrafficGenesis() });
      const devnet = await createDevnet({
        application,
        blockTime: 'manual',
        genesisTime: 1_900_000_000_000_000_000n,
        actors: createTraffic(7, application, 'stele-devnet'),
      });
      let client: Client | undefined;
      try {
        for (let count = 0; count < 70; count += 1) await devnet.commit({ elapse: 1000 });
        client = createClient({ transport: fallback([http(devnet.nodes[0]!.url)]), learnsRoots: false });
        const lines: string[] = [];
        const observations = await observe(client, 60, (line) => lines.push(line));
        expect(lines[0]).toBe('34 stores, which are all of the chain');
        expect(observations).toMatchObject({
          application: { name: 'provenanced', version: 'v1.29.0' },
          from: 12n,
          to: 71n,
          sdk: '0.53',
        });

        const { rows } = measureRows(observations, storesByMethod, { isMeasured: false });
        expect(rows.length).toBeGreaterThan(20);
        for (const { method: path, stores, carry } of rows) {
          const knownRow = storesByMethod[path]!;
          expect({ path, stores, carry }).toEqual({ path, stores: [...knownRow.stores].sort(), carry: knownRow.carry });
        }

        // Without a table, every row has at least the stores that the answers really depend on.
        const measured = measureRows(observations, {}, { isMeasured: true }).rows;
        expect(measured.length).toBeGreaterThan(3);
        // The stores of some methods are not known.
        for (const { method: path, stores } of measured.filter(({ method }) => method in storesByMethod)) {
          expect(stores, path).toEqual(expect.arrayContaining([...storesByMethod[path]!.stores]));
          expect(storesByMethod[path]!.carry, path).not.toBe('never');
        }

        // A table that names the wrong store is contradicted.
        const balances = '/cosmos.bank.v1beta1.Query/AllBalances';
        const wrong = { ...storesByMethod, [balances]: { stores: ['gov'], carry: 'always' } } satisfies Record<
          string,
          StoresRow
        >;
        expect(measureRows(observations, wrong, { isMeasured: false }).omitted.get(balances)).toBe('CONTRADICTION');
      } finally {
        await client?.close();
        await devnet.close();
      }
    },
    120_000,
  );
});
