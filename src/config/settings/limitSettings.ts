import {
  createLimits,
  isLimitName,
  type LimitName,
  type Limits,
  limitBounds,
  limitEntry,
  limitNames,
  limitValue,
  limitVariable,
} from '../limits/limits.ts';

/** Prefix of the variables that set limits. */
export const limitPrefix = 'STELE_LIMIT_';

/**
 * The limits that variables (`STELE_LIMIT_…`) and flags (`name=value`) set. Flags override variables. Each error is added to `errors` as a
 * line.
 */
export function readLimits(
  flags: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  errors: string[],
): Partial<Limits> {
  const byVariable = new Map(limitNames.map((name) => [limitVariable(name), name]));
  const set = new Map<LimitName, number>();
  const take = (setting: string, name: LimitName | undefined, text: string): void => {
    if (name === undefined) {
      errors.push(`${setting} names no limit; the limits are ${limitNames.join(', ')}`);
      return;
    }
    const { fixed } = limitEntry(name);
    const value = limitValue(name, text);
    if (fixed !== undefined) errors.push(`${setting} cannot be set: ${fixed}`);
    else if (value === undefined) errors.push(`${setting} must be ${limitBounds(name)}`);
    else set.set(name, value);
  };
  for (const [variable, text] of Object.entries(env))
    if (variable.startsWith(limitPrefix) && text !== undefined) take(variable, byVariable.get(variable), text);
  for (const flag of flags) {
    const [name = '', ...text] = flag.split('=');
    take(`--limit ${name}`, isLimitName(name) ? name : undefined, text.join('='));
  }
  const values = createLimits(Object.fromEntries(set));
  for (const name of limitNames) {
    const { atMost } = limitEntry(name);
    if (atMost !== undefined && isLimitName(atMost) && values[name] > values[atMost])
      errors.push(`limit ${name} (${values[name]}) must not be above ${atMost} (${values[atMost]})`);
  }
  return Object.fromEntries(set);
}
