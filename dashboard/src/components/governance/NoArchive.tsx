import { archive } from '../../data/nodes.ts';

/** Says that the server keeps no archive. Nothing if it does, or if it is not known yet. */
export function NoArchive() {
  if (archive.value !== null) return null;
  return <p class="note">This server runs without an archive, so it shows only what the chain still has.</p>;
}
