import { textsOfPart } from '../language.ts';
import { en } from './en.ts';

/** The texts of forms that send transactions. */
export const actingTexts = await textsOfPart(en, { de: async () => (await import('./de.ts')).de });
