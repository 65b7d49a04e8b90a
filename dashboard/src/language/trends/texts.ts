import { textsOfPart } from '../language.ts';
import { en } from './en.ts';

/** The texts of charts of participation, treasuries and holders. */
export const trendTexts = await textsOfPart(en, { de: async () => (await import('./de.ts')).de });
