import type { Source } from '../reads/loader.ts';
import type { Builder } from '../schema/builder.ts';

/** A module of the chain, or of what is derived from several. */
export interface ChainModule<L = undefined> {
  /** Adds its types and fields. Modules are added in any order: refs are only names. */
  readonly schema: (builder: Builder) => void;
  /** Makes its loaders, for one pin. */
  readonly loaders: (source: Source) => L;
}

/** A module that reads only what others load. */
export function withoutLoaders(schema: ChainModule['schema']): ChainModule {
  return { schema, loaders: () => undefined };
}
