import { encodeAddress, moduleAddress } from '../../runtime/address.ts';

/** A module that has an account of its own. */
export interface ChainModule {
  readonly name: string;
  readonly permissions: readonly string[];
}

/**
 * The modules of the devnet that have accounts, by name. The recordings hold no module account: names and permissions are those of the
 * Cosmos SDK and of Provenance, as far as their modules are here.
 */
export const chainModules: readonly ChainModule[] = [
  { name: 'attribute', permissions: [] },
  { name: 'bonded_tokens_pool', permissions: ['burner', 'staking'] },
  { name: 'distribution', permissions: [] },
  { name: 'fee_collector', permissions: [] },
  { name: 'gov', permissions: ['burner'] },
  { name: 'marker', permissions: ['burner', 'minter'] },
  { name: 'metadata', permissions: ['burner', 'minter'] },
  { name: 'mint', permissions: ['minter'] },
  { name: 'not_bonded_tokens_pool', permissions: ['burner', 'staking'] },
];

const byAddress = new Map(chainModules.map((module) => [encodeAddress(moduleAddress(module.name)), module]));

/** The module whose account this is; undefined for everybody else's. */
export function moduleAt(address: string): ChainModule | undefined {
  return byAddress.get(address);
}
