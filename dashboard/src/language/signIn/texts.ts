import { textsOfPart } from '../language.ts';
import { en } from './en.ts';

/** The texts that a visitor without a token sees. */
export const signInTexts = await textsOfPart(en, { de: async () => (await import('./de.ts')).de });
