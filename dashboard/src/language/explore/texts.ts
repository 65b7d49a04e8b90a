import { textsOfPart } from '../language.ts';
import { en } from './en.ts';

/** The texts of the pages of the query methods. */
export const exploreTexts = await textsOfPart(en, { de: async () => (await import('./de.ts')).de });
