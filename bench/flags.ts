import { parseArgs } from 'node:util';

/** Parses the arguments of a benchmark: numbers by flag, within bounds, and names. */
export function readFlags<T extends Readonly<Record<string, { readonly default: number; readonly max: number }>>>(
  args: readonly string[],
  known: T,
): { readonly numbers: { readonly [name in keyof T]: number }; readonly names: readonly string[] } {
  const options = Object.fromEntries(Object.keys(known).map((name) => [name, { type: 'string' as const }]));
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const numbers = Object.fromEntries(
    Object.entries(known).map(([name, { default: fallback, max }]) => {
      const value = Number(values[name] ?? fallback);
      if (!Number.isInteger(value) || value < 1 || value > max)
        throw new Error(`--${name} must be an integer from 1 to ${max}`);
      return [name, value];
    }),
  ) as { [name in keyof T]: number };
  return { numbers, names: positionals };
}
