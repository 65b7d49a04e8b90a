import { actingTexts } from '../language/acting/texts.ts';
/** How many bytes the chain takes for the reason of a vote, a title, or the metadata of a group. */
export const maxMetadata = 255;

/** How many bytes the chain takes for the summary of a group proposal. */
export const maxSummary = 40 * maxMetadata;

const encoder = new TextEncoder();

/** Why a text is too long for the chain, which counts bytes. undefined if it is not. `name` is what the text is called at the start of a sentence. */
export function lengthProblem(name: string, text: string, max: number): string | undefined {
  const bytes = encoder.encode(text.trim()).length;
  return bytes <= max
    ? undefined
    : actingTexts.value.sending.tooLong(name, bytes.toLocaleString('en'), max.toLocaleString('en'));
}
