import type { ChainModule } from '../module.ts';
import { createMetadataLoaders, type MetadataLoaders } from './loaders.ts';
import { addMetadata } from './schema.ts';

/** The metadata module. */
export const metadata: ChainModule<MetadataLoaders> = { schema: addMetadata, loaders: createMetadataLoaders };
