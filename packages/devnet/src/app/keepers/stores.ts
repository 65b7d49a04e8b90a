import type { Keeper } from '../runtime/keeper.ts';

/**
 * The stores of Provenance v1.29, in the order of the tree under the application hash. The devnet has them all, so that its proofs have the shape
 * of the chain's. The stores of modules that the devnet lacks are empty.
 */
export const chainStores: readonly string[] = [
  'acc',
  'attribute',
  'authz',
  'bank',
  'circuit',
  'consensus',
  'crisis',
  'distribution',
  'evidence',
  'exchange',
  'feegrant',
  'flatfees',
  'gov',
  'group',
  'hold',
  'hooks-for-ibc',
  'ibc',
  'icahost',
  'ledger',
  'marker',
  'metadata',
  'mint',
  'name',
  'nft',
  'quarantine',
  'ratelimitedibc',
  'registry',
  'sanction',
  'slashing',
  'staking',
  'transfer',
  'trigger',
  'upgrade',
  'wasm',
];

/** The keys that the chain writes at every block, by store: the last proposer, the minter, a signing record and the historical info. */
const writtenAtEveryBlock: readonly (readonly [store: string, key: string])[] = [
  ['distribution', '\x01'],
  ['mint', '\x00'],
  ['slashing', '\x01'],
  ['staking', '\x50'],
];

/** The key of the version of a module in the store of upgrades (source of x/upgrade, VersionMapByte). */
const versionKey = (module: string): string => `\x02${module}`;

/** Modules whose versions the store of upgrades has from the genesis on, as on a chain. The devnet has one version of each. */
const versionedModules: readonly string[] = [
  ...['attribute', 'auth', 'authz', 'bank', 'distribution', 'exchange', 'feegrant', 'flatfees', 'gov', 'group', 'hold'],
  ...['marker', 'metadata', 'mint', 'name', 'slashing', 'staking', 'transfer', 'upgrade', 'wasm'],
];

/** The version of a module, as eight bytes. */
const firstVersion = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1);

/**
 * Writes the versions of the modules at the genesis, and changes the four stores that change at every block of the chain, also if nothing happens in it, except
 * those of absent modules. The values are the devnet's own.
 */
export function createStoresKeeper(absent: ReadonlySet<string>): Keeper {
  const written = writtenAtEveryBlock.filter(([store]) => !absent.has(store));
  return {
    messages: [],
    queries: [],
    initGenesis(context) {
      for (const module of versionedModules) if (!absent.has(module)) context.set('upgrade', versionKey(module), firstVersion);
    },
    beginBlock(context) {
      const value = Buffer.from(String(context.block.height));
      for (const [store, key] of written) context.set(store, key, value);
    },
  };
}
