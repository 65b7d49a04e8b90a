import { asObject, bigintAt, bytesAt, type JsonValue, objectAt, textAt } from '../wire/json.ts';
import { type Carry, storesByMethod } from './gen/storesByMethod.ts';

/** The stores that the answer of a query method is computed from, and when it is valid at a later height with the same roots. */
export interface StoresRow {
  readonly stores: readonly string[];
  readonly carry: Carry;
  /** The only line of the Cosmos SDK that the row holds for, such as `0.53`. If absent, it does not depend on the SDK. */
  readonly sdk?: string;
}

/** The stores of a method whose answers may be kept by the roots of these stores. */
export interface CarriedMethod {
  /** In alphabetical order. `upgrade` is always one of them, because an upgrade may change how the answer is computed. */
  readonly stores: readonly string[];
  readonly carry: Exclude<Carry, 'never'>;
}

/** The methods whose answers may be kept by the roots of their stores. */
export interface MethodTable {
  /**
   * By the path of the query method (`/cosmos.group.v1.Query/Proposal`). The answers of a method that is absent must be kept by height: they depend on
   * anything but stores, or nobody knows on which.
   */
  readonly byPath: ReadonlyMap<string, CarriedMethod>;
  /** The stores of a read of one key, by the store of the key. */
  readonly byStore: ReadonlyMap<string, readonly string[]>;
}

/** Creates the table of these rows. The root of `upgrade` is added to each of them. */
export function createMethodTable(rows: Readonly<Record<string, StoresRow>>): MethodTable {
  const withUpgrade = (stores: readonly string[]): readonly string[] => [...new Set([...stores, 'upgrade'])].sort();
  const byPath = new Map(
    Object.entries(rows).flatMap(([path, { stores, carry }]): [string, CarriedMethod][] =>
      carry === 'never' ? [] : [[path, { stores: withUpgrade(stores), carry }]],
    ),
  );
  const byStore = new Map(
    Object.values(rows).flatMap(({ stores }) =>
      stores.map((store): [string, readonly string[]] => [store, withUpgrade([store])]),
    ),
  );
  return { byPath, byStore };
}

/** The table without methods: everything is kept by height. */
export const noMethods: MethodTable = createMethodTable({});

/** An application, as `abci_info` describes it. */
export type Application = ReturnType<typeof decodeApplication>;

/** Decodes `abci_info`. `appHash` is the one after the block at `height`, in upper case hex. */
export function decodeApplication(result: JsonValue) {
  const response = objectAt(asObject(result, 'abci_info'), 'response');
  const hash = bytesAt(response, 'last_block_app_hash') ?? new Uint8Array();
  return {
    name: textAt(response, 'data'),
    version: textAt(response, 'version'),
    height: bigintAt(response, 'last_block_height'),
    appHash: Buffer.from(hash).toString('hex').toUpperCase(),
  };
}

/** The stores by method of an application, and the versions that they hold for. */
export interface StoreTable {
  /** What logs and probes call it. */
  readonly name: string;
  /** Whether it holds for an application by the name and version that the node reports. */
  holdsFor(application: Pick<Application, 'name' | 'version'>): boolean;
  readonly methods: MethodTable;
}

/** The table of Provenance v1.29, which has SDK 0.53 (docs/stores.md). */
export const provenanceTable: StoreTable = {
  name: 'provenance-1.29',
  holdsFor: ({ name, version }) => name === 'provenanced' && /^v?1\.29\.\d/.test(version),
  methods: createMethodTable(storesByMethod),
};

/** The tables that Stele has. */
const ownTables: readonly StoreTable[] = [provenanceTable];

/**
 * The table with a name, for any application: the operator states that it holds. Rows that hold for one line of the SDK are left out,
 * because the SDK of the application is not known. Undefined for a name that no table has.
 */
export function tableNamed(name: string): StoreTable | undefined {
  const ownTable = ownTables.find((table) => table.name === name);
  if (ownTable === undefined) return undefined;
  const rows: Readonly<Record<string, StoresRow>> = storesByMethod;
  const everywhere = Object.entries(rows).filter(([, { sdk }]) => sdk === undefined);
  return { name, holdsFor: () => true, methods: createMethodTable(Object.fromEntries(everywhere)) };
}

/** The table that holds for an application: that of Stele, else the chosen one. Undefined if there is none. */
export function anyTable(application: Application, chosen: StoreTable | undefined): StoreTable | undefined {
  return [...ownTables, ...(chosen === undefined ? [] : [chosen])].find((table) => table.holdsFor(application));
}
