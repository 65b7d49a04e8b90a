import { textsOfPart } from '../language.ts';
import { en } from './en.ts';

/** The texts of the pages of accounts and their statements. */
export const accountsTexts = await textsOfPart(en, { de: async () => (await import('./de.ts')).de });
