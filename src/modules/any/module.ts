import { type ChainModule, withoutLoaders } from '../module.ts';
import { addAny } from './schema.ts';

/** Messages of any type, and the queries of any module. */
export const anyMessage: ChainModule = withoutLoaders(addAny);
