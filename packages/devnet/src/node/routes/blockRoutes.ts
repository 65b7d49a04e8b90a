import { internalError } from '../../../../../src/chain/rpc/rpcErrors.ts';
import type { JsonValue } from '../../../../../src/chain/wire/json.ts';
import {
  base64,
  encodeBlock,
  encodeBlockId,
  encodeBlockMeta,
  encodeCommit,
  encodeConsensusParams,
  encodeConsensusParamUpdates,
  encodeEvents,
  encodeHeader,
  encodeTxResult,
  encodeValidator,
  noBlockId,
} from '../ledger/encode.ts';
import type { CommittedBlock } from '../ledger/types.ts';
import { blockAt, heightOrLatest, type NodeView, pageOf } from '../state/view.ts';
import type { RouteTable } from './route.ts';

/** Encodes the result of `block` and `block_by_hash`, and each result of `block_search`. */
export function encodeBlockResult(block: CommittedBlock | undefined): JsonValue {
  return { block_id: encodeBlockId(block?.blockId ?? noBlockId), block: block === undefined ? null : encodeBlock(block.block) };
}

function byHash(view: NodeView, hash: Uint8Array): CommittedBlock | undefined {
  const block = view.ledger.blockByHash(hash);
  return block !== undefined && block.block.header.height <= view.height ? block : undefined;
}

const mostMetas = 20n;

function blockMetas(view: NodeView, min: bigint, max: bigint): CommittedBlock[] {
  if (min < 0n || max < 0n) throw internalError('heights must be non-negative');
  const high = max === 0n || max > view.height ? view.height : max;
  let low = min > view.base ? min : view.base;
  if (low < high - mostMetas + 1n) low = high - mostMetas + 1n;
  if (low > high) throw internalError(`min height ${low} can't be greater than max height ${high}`);
  const blocks: CommittedBlock[] = [];
  for (let height = high; height >= low; height--) blocks.push(blockAt(view, height));
  return blocks;
}

/** The routes of blocks, validators and parameters. */
export const blockRoutes: RouteTable = {
  blockchain: (view, args) => ({
    last_height: String(view.height),
    block_metas: blockMetas(view, args.integer('minHeight'), args.integer('maxHeight')).map(encodeBlockMeta),
  }),
  block: (view, args) => encodeBlockResult(blockAt(view, args.optional('height'))),
  block_by_hash: (view, args) => encodeBlockResult(byHash(view, args.bytes('hash'))),
  block_results(view, args) {
    const { block, result } = blockAt(view, args.optional('height'));
    return {
      height: String(block.header.height),
      txs_results: block.txs.length > 0 ? result.txResults.map(encodeTxResult) : null,
      finalize_block_events: result.events.length > 0 ? encodeEvents(result.events) : null,
      validator_updates: null,
      consensus_param_updates: encodeConsensusParamUpdates(view.ledger.params),
      app_hash: base64(result.appHash),
    };
  },
  commit(view, args) {
    const { block, seenCommit } = blockAt(view, args.optional('height'));
    const { header } = block;
    const next = header.height < view.height ? view.ledger.block(header.height + 1n) : undefined;
    return {
      signed_header: { header: encodeHeader(header), commit: encodeCommit(next?.block.lastCommit ?? seenCommit) },
      canonical: next !== undefined,
    };
  },
  header: (view, args) => ({ header: encodeHeader(blockAt(view, args.optional('height')).block.header) }),
  header_by_hash(view, args) {
    const block = byHash(view, args.bytes('hash'));
    return { header: block === undefined ? null : encodeHeader(block.block.header) };
  },
  validators(view, args) {
    // The validators of the next height are known, and are the default (docs/chain.md, "Heights of the node RPC").
    const height = heightOrLatest(view, args.optional('height'), view.height + 1n);
    const validators = view.ledger.validatorsAt(height);
    const page = pageOf(validators, args.optional('page'), args.optional('per_page'));
    return {
      block_height: String(height),
      validators: page.map(encodeValidator),
      count: String(page.length),
      total: String(validators.length),
    };
  },
  consensus_params: (view, args) => ({
    block_height: String(heightOrLatest(view, args.optional('height'), view.height + 1n)),
    consensus_params: encodeConsensusParams(view.ledger.params),
  }),
};
