import { textsOfPart } from '../language.ts';
import { en } from './en.ts';

/** The texts of the pages of limits, webhooks and the search. */
export const serverTexts = await textsOfPart(en, { de: async () => (await import('./de.ts')).de });
