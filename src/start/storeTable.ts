import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { storesByMethod } from '../chain/roots/gen/storesByMethod.ts';
import { createMethodTable, type StoresRow, type StoreTable, tableNamed } from '../chain/roots/methodTables.ts';
import { ConfigError } from '../config/settings/config.ts';

/** A row of a table of stores in a file. */
export const rowSchema = z.strictObject({
  method: z.string().regex(/^\/[\w.]+\.Query\/\w+$/),
  stores: z.array(z.string()).readonly(),
  carry: z.enum(['always', 'withoutVesting', 'withoutExpiry', 'never']),
  /** The only line of the Cosmos SDK that the row holds for. */
  sdk: z.string().optional(),
  /** Why an answer depends on anything but its stores. */
  note: z.string().optional(),
  /** Pairs of answers at two heights, recorded while no listed store changed. All pairs were equal unless `note` says otherwise. */
  unchangedPairs: z.int().optional(),
  /** Pairs of answers over a change of a listed store, and how many of them differed. */
  changedPairs: z.int().optional(),
  changedAnswers: z.int().optional(),
});

export type MeasuredRow = z.infer<typeof rowSchema>;

/** The file that `npm run stores` prints. It holds for one version of one application. */
export const tableFileSchema = z.strictObject({
  /** The name and the version that `abci_info` reports. */
  application: z.string().min(1),
  version: z.string().min(1),
  /** The version of the Cosmos SDK, such as `v0.53.6`. */
  sdk: z.string(),
  /** The heights that were compared. */
  from: z.string(),
  to: z.string(),
  methods: z.array(rowSchema).readonly(),
});

export type TableFile = z.infer<typeof tableFileSchema>;

/** The table of a file. Rows of Stele that hold for another line of the SDK only are left out. */
export function tableOf(file: TableFile): StoreTable {
  const { application, version, sdk, methods } = file;
  const line = /^v?(\d+\.\d+)/.exec(sdk)?.[1];
  const knownRows: Readonly<Record<string, StoresRow>> = storesByMethod;
  const rows = methods.filter(({ method, sdk: only = knownRows[method]?.sdk }) => only === undefined || only === line);
  return {
    name: `${application} ${version}`,
    holdsFor: (running) => running.name === application && running.version === version,
    methods: createMethodTable(Object.fromEntries(rows.map((row) => [row.method, { stores: row.stores, carry: row.carry }]))),
  };
}

/** Reads the table that the setting `stores` names: one of Stele, or a file. Throws a ConfigError. */
export function readStoreTable(setting: string): StoreTable {
  const ownTable = tableNamed(setting);
  if (ownTable !== undefined) return ownTable;
  const fail = (reason: string): never => {
    throw new ConfigError([`--stores (STELE_STORES): ${reason}`]);
  };
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(setting, 'utf8'));
  } catch (error) {
    return fail(error instanceof SyntaxError ? 'the file is not JSON' : 'the file cannot be read');
  }
  const parsed = tableFileSchema.safeParse(json);
  if (parsed.success) return tableOf(parsed.data);
  const [issue] = parsed.error.issues;
  return fail(`the file is not a table of stores: ${issue?.path.join('.')}: ${issue?.message}`);
}
