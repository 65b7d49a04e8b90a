import { type ApplicationOptions, createGenesisStates, type GenesisStates } from '../../packages/devnet/src/app/application.ts';
import { createGenesis, type GenesisOptions } from '../../packages/devnet/src/app/genesis/genesis.ts';
import type { Genesis } from '../../packages/devnet/src/app/runtime/genesisState.ts';

/** A genesis and its states, as `createApplication` takes them. */
export interface SharedGenesis {
  readonly genesis: Genesis;
  readonly states: GenesisStates;
}

const geneses = new Map<string, SharedGenesis>();

/**
 * Returns the genesis with these options, the same one for all tests of a process. Making the state of the whole genesis takes 0.1 s, longer than most
 * tests.
 */
export function sharedGenesis(options: GenesisOptions & Pick<ApplicationOptions, 'without'> = {}): SharedGenesis {
  const name = JSON.stringify([options.bare, options.maxExecutionSeconds, options.crowd, options.without]);
  const made = geneses.get(name) ?? { genesis: createGenesis(options), states: createGenesisStates() };
  geneses.set(name, made);
  return made;
}
