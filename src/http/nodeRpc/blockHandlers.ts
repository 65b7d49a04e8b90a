import type { HeadBlock } from '../../chain/blocks/head.ts';
import type { Client } from '../../chain/client.ts';
import { stringify } from '../../chain/rpc/goJson.ts';
import { internalError } from '../../chain/rpc/rpcError.ts';
import { arrayAt, asObject, bigintAt, booleanAt, malformed, objectAt, textAt } from '../../chain/wire/decode.ts';
import type { JsonObject } from '../../chain/wire/json.ts';
import { encodeBlockResult, encodeBlockResults, encodeHeaderResult, encodeSignedHeader } from './blockResultJson.ts';
import { type Call, type Handler, headOf, nodeParams } from './call.ts';
import type { KeptResults, ReadyResult } from './keptResults.ts';

type ByHeight = 'block' | 'block_results' | 'commit' | 'header' | 'validators' | 'consensus_params';
type ByHash = 'block_by_hash' | 'header_by_hash';

/** The height that a header is of; of another chain it is malformed. */
function heightOfHeader(header: JsonObject, chainId: string): bigint {
  if (textAt(header, 'chain_id') !== chainId) throw malformed('a block of another chain');
  return bigintAt(header, 'height');
}

/** The height that a result is of. */
function heightIn(method: ByHeight, result: JsonObject, chainId: string): bigint {
  switch (method) {
    case 'block':
      return heightOfHeader(objectAt(objectAt(result, 'block'), 'header'), chainId);
    case 'header':
      return heightOfHeader(objectAt(result, 'header'), chainId);
    case 'commit':
      return heightOfHeader(objectAt(objectAt(result, 'signed_header'), 'header'), chainId);
    case 'block_results':
      return bigintAt(result, 'height');
    case 'validators':
    case 'consensus_params':
      return bigintAt(result, 'block_height');
  }
}

/** Of these two the block after the newest is known already, and is what a call without a height gets (chain.md finding 15). */
const knowsNext: readonly ByHeight[] = ['validators', 'consensus_params'];

/** The height that a call names, else the one it is pinned to, else the newest. Throws in the node's words. */
function heightOf({ method, args, height }: Call, head: HeadBlock): bigint {
  const newest = head.height + (knowsNext.some((name) => name === method) ? 1n : 0n);
  const asked = args.optional('height') ?? height ?? newest;
  if (asked <= 0n) throw internalError(`height must be greater than 0, but got ${asked}`);
  if (asked <= newest) return asked;
  throw internalError(`height ${asked} must be less than or equal to the current blockchain height ${newest}`);
}

/** Makes what answers the methods of blocks: what is of a height is read once and kept, or told out of the block log. */
export function createBlockHandlers(
  client: Client,
  kept: KeptResults,
): Readonly<Record<ByHeight | ByHash | 'blockchain', Handler>> {
  const { blocks } = client;

  /** What the block log has in memory; undefined for all else. */
  function known(method: ByHeight, height: bigint): string | undefined {
    const block = blocks.at(height);
    if (block === undefined) return undefined;
    switch (method) {
      case 'block':
        return stringify(encodeBlockResult(block));
      case 'block_results':
        return stringify(encodeBlockResults(block));
      case 'header':
        return stringify(encodeHeaderResult(block));
      case 'commit': {
        // The block after it holds the commit that is final.
        const commit = blocks.at(height + 1n)?.lastCommit;
        return commit ? stringify(encodeSignedHeader(block, commit)) : undefined;
      }
      default:
        return undefined;
    }
  }

  const byHeight =
    (method: ByHeight): Handler =>
    async (call) => {
      const { lifetime } = call;
      const head = await headOf(client, lifetime);
      const height = heightOf(call, head);
      const params = { ...nodeParams(call), height: height.toString() };
      const { text, keep } = await kept.read(`${method} ${stringify(params)}`, lifetime, async (joined) => {
        const own = known(method, height);
        if (own !== undefined) return { text: own, keep: true };
        return client.call(method, params, {
          height: height < head.height ? height : head.height,
          signal: joined,
          decode(json) {
            const result = asObject(json, method);
            const answered = heightIn(method, result, head.chainId);
            if (answered !== height) throw malformed(`${method} of height ${answered} in place of ${height}`);
            return { text: stringify(result), keep: method !== 'commit' || booleanAt(result, 'canonical') };
          },
        });
      });
      return { result: { text }, height, passing: !keep };
    };

  const byHash =
    (method: ByHash): Handler =>
    async ({ args, lifetime }) => {
      const head = await headOf(client, lifetime);
      const bytes = Buffer.from(args.bytes('hash'));
      // In the encodings of their arguments (chain.md 1.4).
      const params = { hash: method === 'block_by_hash' ? bytes.toString('base64') : bytes.toString('hex').toUpperCase() };
      const { text, height, keep } = await kept.read(`${method} ${bytes.toString('hex')}`, lifetime, (joined) =>
        client.call(method, params, {
          signal: joined,
          decode(json): ReadyResult {
            const result = asObject(json, method);
            const found = method === 'block_by_hash' ? result.block : result.header;
            if (found == null) return { text: stringify(result), keep: false };
            const header =
              method === 'block_by_hash' ? objectAt(objectAt(result, 'block'), 'header') : objectAt(result, 'header');
            return { text: stringify(result), height: heightOfHeader(header, head.chainId), keep: true };
          },
        }),
      );
      return { result: { text }, height, absent: !keep };
    };

  return {
    block: byHeight('block'),
    block_results: byHeight('block_results'),
    commit: byHeight('commit'),
    header: byHeight('header'),
    validators: byHeight('validators'),
    consensus_params: byHeight('consensus_params'),
    block_by_hash: byHash('block_by_hash'),
    header_by_hash: byHash('header_by_hash'),
    /** The newest of them all is the head; the summaries are of a range that does not change, and so are kept. */
    async blockchain({ args, lifetime, height: pinnedTo }) {
      const head = await headOf(client, lifetime);
      const last = pinnedTo ?? head.height;
      const [min, max] = [args.integer('minHeight'), args.integer('maxHeight')];
      if (min < 0n || max < 0n) throw internalError('heights must be non-negative');
      const high = max === 0n || max > last ? last : max;
      const params = { minHeight: min.toString(), maxHeight: high.toString() };
      const { text } = await kept.read(`blockchain ${min} ${high}`, lifetime, (joined) =>
        client.call('blockchain', params, {
          height: head.height,
          signal: joined,
          decode(json) {
            const metas = arrayAt(asObject(json, 'blockchain'), 'block_metas');
            const highest = metas.length === 0 ? undefined : objectAt(asObject(metas[0], 'block meta'), 'header');
            if (highest === undefined || heightOfHeader(highest, head.chainId) !== high)
              throw malformed('blocks of another range');
            return { text: stringify(metas), keep: true };
          },
        }),
      );
      const passing = max === 0n || max > last;
      return { result: { text: `{"last_height":"${last}","block_metas":${text}}` }, height: last, passing };
    },
  };
}
