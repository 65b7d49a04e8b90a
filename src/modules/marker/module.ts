import type { ChainModule } from '../module.ts';
import { createMarkerLoaders, type MarkerLoaders } from './loaders.ts';
import { addMarkers } from './schema.ts';

/** The marker module. */
export const marker: ChainModule<MarkerLoaders> = { schema: addMarkers, loaders: createMarkerLoaders };
