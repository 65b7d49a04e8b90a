import { textsOfPart } from '../language.ts';
import { en } from './en.ts';

/** The texts of the pages of groups and proposals, of lists of changes, and of rehearsals. */
export const governanceTexts = await textsOfPart(en, { de: async () => (await import('./de.ts')).de });
