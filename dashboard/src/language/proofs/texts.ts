import { textsOfPart } from '../language.ts';
import { en } from './en.ts';

/** The texts of seals, and of the pages of proofs. */
export const proofsTexts = await textsOfPart(en, { de: async () => (await import('./de.ts')).de });
