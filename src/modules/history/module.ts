import type { ChainModule } from '../module.ts';
import { createHistoryLoaders, type HistoryLoaders } from './loaders.ts';

/** The chain's past, as far as other modules look through it: it has no fields of its own. */
export const history: ChainModule<HistoryLoaders> = { schema: () => undefined, loaders: createHistoryLoaders };
