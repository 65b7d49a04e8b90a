import { textsOfPart } from '../language.ts';
import { en } from './en.ts';

/** The texts of the pages of blocks, transactions, tokens, validators and contracts. */
export const chainTexts = await textsOfPart(en, { de: async () => (await import('./de.ts')).de });
