import { type ChainModule, withoutLoaders } from '../module.ts';
import { addWords } from './schema.ts';

/** Messages in words. */
export const words: ChainModule = withoutLoaders(addWords);
