import type { Source } from '../reads/loader.ts';
import { modules } from './index.ts';
import type { ChainModule } from './module.ts';

type Modules = typeof modules;

/** The loaders of one pin, by module. */
export type Loaders = {
  readonly [Name in keyof Modules]: Modules[Name] extends ChainModule<infer L> ? L : never;
};

/** Makes the loaders of one pin. */
export function createLoaders(source: Source): Loaders {
  const made = Object.entries(modules).map(([name, { loaders }]) => [name, loaders(source)] as const);
  // Object.fromEntries forgets which module is whose.
  return Object.fromEntries(made) as Loaders;
}
