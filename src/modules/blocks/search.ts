import { malformed } from '../../chain/wire/json.ts';
import type { SearchKind } from '../events/search.ts';
import { type BlockSummary, decodeSummary } from './blocks.ts';

/** The search of blocks by their own events. */
export const blockSearch: SearchKind<BlockSummary> = {
  method: 'block_search',
  heightTag: 'block.height',
  member: 'blocks',
  decode(json) {
    const block = decodeSummary(json);
    if (block === null) throw malformed('a search result contains no block');
    return block;
  },
  heightOf: ({ header }) => header.height,
  indexOf: () => undefined,
  holds: () => true,
};
