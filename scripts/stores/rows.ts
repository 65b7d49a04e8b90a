import type { StoresRow } from '../../src/chain/roots/methodTables.ts';
import type { MeasuredRow } from '../../src/start/storeTable.ts';

/** The answers of one request at each height, as hashes of their bytes; undefined where the application refused it. */
export type Answers = readonly (string | undefined)[];

/** What was read of a chain at consecutive heights. */
export interface Observations {
  /** The root of each store at each height. */
  readonly roots: ReadonlyMap<string, readonly string[]>;
  /** Whether these are all stores of the chain: together their roots make the application hash. */
  readonly isComplete: boolean;
  /** The answers to the requests of each method, by its path. */
  readonly answers: ReadonlyMap<string, readonly Answers[]>;
  /** The line of the Cosmos SDK, such as `0.53`; empty if the node does not report it. */
  readonly sdk: string;
  /** The methods whose answers cannot contain a time or a value of any type. */
  readonly timeless: ReadonlySet<string>;
}

/** Why a method has no row. */
export type Omission = 'NOT_IN_TABLE' | 'NEVER' | 'STORES' | 'TOO_FEW_ANSWERS' | 'NO_CHANGE' | 'CONTRADICTION';

/** The rows of a chain, and why the other methods have none. */
export interface Measurement {
  readonly rows: readonly MeasuredRow[];
  readonly omitted: ReadonlyMap<string, Omission>;
}

/** The line of the SDK for which the rows of Stele were established. */
const tableLine = '0.53';

/** The least pairs of answers over unchanged stores that confirm a row. */
const leastPairs = 10;

/** The share of blocks from which on a store counts as one that changes at every block. */
const everyBlockShare = 0.9;

/** Counts the pairs of answers at consecutive heights by whether one of the stores has changed. */
function countPairs(all: readonly Answers[], changed: readonly boolean[]) {
  const counts = { unchangedPairs: 0, changedPairs: 0, changedAnswers: 0, contradictions: 0 };
  for (const answers of all)
    for (const [index, hasChanged] of changed.entries()) {
      const [before, after] = [answers[index], answers[index + 1]];
      if (before === undefined || after === undefined) continue;
      counts[hasChanged ? 'changedPairs' : 'unchangedPairs'] += 1;
      if (before !== after) counts[hasChanged ? 'changedAnswers' : 'contradictions'] += 1;
    }
  return counts;
}

/**
 * Computes the rows that the observations confirm. A row of `table`, whose stores were read in the source of the chain, is kept if no answer has changed
 * while its stores have not. For another line of the SDK, an answer must also have changed with its stores. A method that has no row
 * there has none here, except with `isMeasured`: it then depends on every store that does not change at every block, if an answer has changed and always with
 * one of them. Such a row is wrong if the method reads a store that changes at every block and that no observed answer showed.
 */
export function measureRows(
  { roots, isComplete, answers, sdk, timeless }: Observations,
  table: Readonly<Record<string, StoresRow>>,
  { isMeasured }: { readonly isMeasured: boolean },
): Measurement {
  const changesOf = new Map(
    [...roots].map(([store, list]) => [store, list.slice(1).map((root, index) => root !== list[index])] as const),
  );
  const pairs = Math.max(0, ...[...roots.values()].map((list) => list.length - 1));
  const share = (changes: readonly boolean[]): number => changes.filter(Boolean).length / Math.max(1, changes.length);
  const quiet = [...changesOf].filter(([, changes]) => share(changes) < everyBlockShare).map(([store]) => store);
  const changed = (stores: readonly string[]): boolean[] =>
    Array.from({ length: pairs }, (_, index) => stores.some((store) => changesOf.get(store)?.[index] ?? true));

  function rowOf(method: string, all: readonly Answers[]): MeasuredRow | Omission {
    const row = table[method];
    const { carry = 'always' } = row ?? {};
    if (carry === 'never') return 'NEVER';
    if (row === undefined && (!isMeasured || !isComplete || !timeless.has(method))) return 'NOT_IN_TABLE';
    if (row?.sdk !== undefined && row.sdk !== sdk) return 'NEVER';
    // A store that the chain does not have cannot be read, if all of its stores are known.
    const stores = (row?.stores ?? quiet).filter((store) => !isComplete || roots.has(store));
    if (stores.length === 0 || stores.some((store) => !roots.has(store))) return 'STORES';
    const { contradictions, ...counts } = countPairs(all, changed(stores));
    // With a condition, the answers of accounts and attributes that do not fulfil it change with the time.
    if (contradictions > 0 && carry === 'always') return 'CONTRADICTION';
    if (counts.unchangedPairs < leastPairs) return 'TOO_FEW_ANSWERS';
    if ((row === undefined || sdk !== tableLine) && counts.changedAnswers === 0) return 'NO_CHANGE';
    return { method, stores: [...stores].sort(), carry, ...counts };
  }

  const rows: MeasuredRow[] = [];
  const omitted = new Map<string, Omission>();
  for (const [method, all] of [...answers].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const row = rowOf(method, all);
    if (typeof row === 'string') omitted.set(method, row);
    else rows.push(row);
  }
  return { rows, omitted };
}
