import type { Bounds } from '../bounds.ts';
import { type LimitEntry, limitTable } from './limitTable.ts';

export type LimitName = keyof typeof limitTable;

/** The limits in force, by name. */
export type Limits = Readonly<Record<LimitName, number>>;

/** The largest value of most limits: the longest timer of Node, in ms. */
const largest = 2 ** 31 - 1;

export const limitNames: readonly LimitName[] = Object.keys(limitTable).filter(isLimitName);

export function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(limitTable, name);
}

export function limitEntry(name: LimitName): LimitEntry {
  return limitTable[name];
}

/** The default limits, with `changed` applied. */
export function createLimits(changed: Partial<Limits> = {}): Limits {
  const entries = limitNames.map((name) => [name, changed[name] ?? limitEntry(name).value] as const);
  // The type of Object.fromEntries does not keep the names.
  return Object.fromEntries(entries) as Limits;
}

/** The valid values of a limit. Completes the sentence "NAME must be …". */
export function limitBounds(name: LimitName): string {
  const { least = 1, most = largest, zero = 'no limit' } = limitEntry(name);
  return `an integer from ${least} to ${most}${least === 0 ? `, where 0 is ${zero}` : ''}`;
}

/** Parses the value of a limit; undefined if it is not valid. */
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

/** The bounds of pages, from the limits in force. */
export function boundsOf(limits: Limits): Bounds {
  return { pageMax: limits['page.size.max'], offsetMax: limits['page.offset'] };
}
