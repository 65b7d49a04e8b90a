import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type MeasuredRow, rowSchema } from '../src/start/storeTable.ts';

/** Reads data/storesByMethod.json. Throws if a row does not have its shape, or if a method occurs twice. */
export function readStoresByMethod(): readonly MeasuredRow[] {
  const text = readFileSync(new URL('../data/storesByMethod.json', import.meta.url), 'utf8');
  const rows = z.array(rowSchema).parse(JSON.parse(text));
  if (new Set(rows.map(({ method }) => method)).size !== rows.length) throw new Error('a method occurs twice');
  return rows;
}

/** The source of src/chain/roots/gen/storesByMethod.ts. */
export function printStoresByMethod(rows: readonly MeasuredRow[]): string {
  const names = [...new Set(['upgrade', ...rows.flatMap(({ stores }) => stores)])].sort();
  const list = (stores: readonly string[]): string =>
    `[${[...stores]
      .sort()
      .map((store) => `'${store}'`)
      .join(', ')}]`;
  return `// Printed by \`npm run docs\` from data/storesByMethod.json. docs/stores.md explains where the table comes from.

/** The name of a store in the table, or of the store of upgrades. */
export type StoreName =
${names.map((name) => `  | '${name}'`).join('\n')};

/**
 * When an answer is valid at a later height with the same roots.
 * - \`always\`: it depends on its stores alone.
 * - \`withoutVesting\`: only if the account has no vesting schedule.
 * - \`withoutExpiry\`: only while no attribute in it has expired.
 * - \`never\`: it depends on anything else, such as the block time or the configuration of the node.
 */
export type Carry = 'always' | 'withoutVesting' | 'withoutExpiry' | 'never';

/** The stores that the answer of a query method is computed from. */
export interface MethodStores {
  readonly stores: readonly StoreName[];
  readonly carry: Carry;
  /** The only line of the Cosmos SDK that the row holds for, such as \`0.53\`. If absent, it does not depend on the SDK. */
  readonly sdk?: string;
}

/** The stores of each query method, by path. */
export const storesByMethod: Readonly<Record<string, MethodStores>> = {
${rows.map(({ method, stores, carry, sdk }) => `  '${method}': { stores: ${list(stores)}, carry: '${carry}'${sdk === undefined ? '' : `, sdk: '${sdk}'`} },\n`).join('')}};
`;
}
