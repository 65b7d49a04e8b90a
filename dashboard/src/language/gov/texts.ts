import { textsOfPart } from '../language.ts';
import { en } from './en.ts';

/** The texts of the page of a proposal of the governance module. */
export const govTexts = await textsOfPart(en, { de: async () => (await import('./de.ts')).de });
