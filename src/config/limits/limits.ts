import type { LimitEntry } from './limitEntry.ts';
import { limitTable } from './limitTable.ts';

/** The name of a limit. */
export type LimitName = keyof typeof limitTable;

/** The limits in force, by name. */
export type Limits = Readonly<Record<LimitName, number>>;

/** Largest value of most limits: the longest time that a timer takes, ms. */
const largest = 2 ** 31 - 1;

/** All names, in the order of the table. */
export const limitNames: readonly LimitName[] = Object.keys(limitTable).filter(isLimitName);

/** Whether a text names a limit. */
export function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(limitTable, name);
}

/** The entry of a limit. */
export function limitEntry(name: LimitName): LimitEntry {
  return limitTable[name];
}

/** The usual limits, but for those that are given. */
export function createLimits(changed: Partial<Limits> = {}): Limits {
  const entries = limitNames.map((name) => [name, changed[name] ?? limitEntry(name).value] as const);
  // Object.fromEntries forgets that every name is there.
  return Object.fromEntries(entries) as Limits;
}

/** What the value of a limit may be, as the end of a sentence. */
export function limitBounds(name: LimitName): string {
  const { least = 1, most = largest, zero = 'no limit' } = limitEntry(name);
  return `an integer from ${least} to ${most}${least === 0 ? `, where 0 is ${zero}` : ''}`;
}

/** Reads the value of a limit; undefined for what it cannot be. */
export function limitValue(name: LimitName, text: string): number | undefined {
  if (!/^\d{1,13}$/.test(text)) return undefined;
  const value = Number(text);
  const { least = 1, most = largest } = limitEntry(name);
  return value >= least && value <= most ? value : undefined;
}

/** The variable that sets a limit: `STELE_LIMIT_GRAPHQL_ROOT_FIELDS` for `graphql.rootFields`. */
export function limitVariable(name: LimitName): string {
  const words = name.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`);
  return `STELE_LIMIT_${words.toUpperCase()}`;
}
