import { encodeAddress, moduleAddress } from '../../runtime/address.ts';

/** A module with an account. */
export interface ChainModule {
  readonly name: string;
  readonly permissions: readonly string[];
}

/**
 * The modules of the devnet that have accounts, by name. The recordings contain no module accounts. Names and permissions are
 * from the Cosmos SDK and Provenance, for the modules that the devnet has.
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

/** Returns the module of a module account. undefined for other accounts. */
export function moduleAt(address: string): ChainModule | undefined {
  return byAddress.get(address);
}
