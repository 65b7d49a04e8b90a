import { archive } from '../../data/nodes.ts';
import { texts } from '../../language/language.ts';

/** Says that the server keeps no archive. Nothing if it does, or if it is not known yet. */
export function NoArchive() {
  if (archive.value !== null) return null;
  return <p class="note">{texts.value.proposal.noArchive}</p>;
}
