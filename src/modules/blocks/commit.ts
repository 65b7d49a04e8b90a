import { type Commit, decodeCommit, decodeWholeBlock, type Evidence } from '../../chain/blocks/committedBlock.ts';
import { decodeHeader, type Header } from '../../chain/wire/block.ts';
import { asObject, booleanAt, type JsonValue, objectAt } from '../../chain/wire/json.ts';

/** A header and the commit that signs it. `canonical` is false while its block is the newest. */
export interface SignedHeader {
  readonly header: Header;
  readonly commit: Commit;
  readonly canonical: boolean;
}

/** The parts of a block besides its header and transactions. */
export interface BlockExtras {
  readonly evidence: readonly Evidence[];
  /** null in the first block. */
  readonly lastCommit: Commit | null;
  readonly height: bigint;
}

/** Decodes the result of `commit` (docs/chain.md, "Headers, blocks and commits"). */
export function decodeSignedHeader(json: JsonValue): SignedHeader {
  const result = asObject(json, 'commit');
  const signed = objectAt(result, 'signed_header');
  return {
    header: decodeHeader(objectAt(signed, 'header')),
    commit: decodeCommit(objectAt(signed, 'commit')),
    canonical: booleanAt(result, 'canonical'),
  };
}

/** Decodes the evidence and the last commit in the result of `block`. */
export function decodeBlockExtras(json: JsonValue): BlockExtras {
  const { evidence, lastCommit, header } = decodeWholeBlock(json);
  return { evidence, lastCommit, height: header.height };
}
