import {
  encodeBlock,
  encodeBlockId,
  encodeCommit,
  encodeEvents,
  encodeExec,
  encodeHeader,
  encodeParamUpdates,
  encodeValidatorUpdate,
} from '../../chain/blocks/blockJson.ts';
import type { Commit, CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import type { HeadBlock } from '../../chain/blocks/head.ts';
import type { Client } from '../../chain/client.ts';
import { internalError } from '../../chain/rpc/rpcErrors.ts';
import { stringify } from '../../chain/wire/goText.ts';
import { arrayAt, asObject, bigintAt, booleanAt, type JsonObject, malformed, objectAt, textAt } from '../../chain/wire/json.ts';
import { type Call, type Handler, headOf, nodeParams, type ReadyResult, type ResultCache } from './call.ts';

/** Encodes an empty list as null, as Go encodes a nil slice. */
function orNull<T>(list: readonly T[]): T[] | null {
  return list.length === 0 ? null : [...list];
}

/** Encodes the result of `block`. */
export function encodeBlockResult(block: CommittedBlock): JsonObject {
  return { block_id: encodeBlockId(block.blockId), block: encodeBlock(block) };
}

/** Encodes the result of `header`. */
export function encodeHeaderResult({ header }: CommittedBlock): JsonObject {
  return { header: encodeHeader(header) };
}

/** Encodes the result of `commit`, from the commit that the next block contains. */
export function encodeSignedHeader({ header }: CommittedBlock, commit: Commit): JsonObject {
  return { signed_header: { header: encodeHeader(header), commit: encodeCommit(commit) }, canonical: true };
}

/** Encodes the result of `block_results`. */
export function encodeBlockResults(block: CommittedBlock): JsonObject {
  const { header, transactions, events, validatorUpdates, consensusParamUpdates, appHash } = block;
  return {
    height: header.height.toString(),
    txs_results: orNull(transactions.map(({ result }) => encodeExec(result))),
    finalize_block_events: orNull(encodeEvents(events)),
    validator_updates: orNull(validatorUpdates.map(encodeValidatorUpdate)),
    consensus_param_updates: consensusParamUpdates && encodeParamUpdates(consensusParamUpdates),
    app_hash: Buffer.from(appHash, 'hex').toString('base64'),
  };
}

type ByHeight = 'block' | 'block_results' | 'commit' | 'header' | 'validators' | 'consensus_params';
type ByHash = 'block_by_hash' | 'header_by_hash';

/** Returns the height of a header. Throws if the header belongs to another chain. */
function heightOfHeader(header: JsonObject, chainId: string): bigint {
  if (textAt(header, 'chain_id') !== chainId) throw malformed('a block of another chain');
  return bigintAt(header, 'height');
}

/** Returns the height of a result. */
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

/**
 * Methods that have a result for the block after the newest, and return it by default
 * (docs/chain.md, "Heights of the node RPC").
 */
const knownAhead: readonly ByHeight[] = ['validators', 'consensus_params'];

/**
 * Returns the height of a call: its argument, else the pinned height, else the newest. Throws the node's error for a height out
 * of range.
 */
function heightOf({ method, args, height }: Call, head: HeadBlock): bigint {
  const newest = head.height + (knownAhead.some((name) => name === method) ? 1n : 0n);
  const requested = args.optional('height') ?? height ?? newest;
  if (requested <= 0n) throw internalError(`height must be greater than 0, but got ${requested}`);
  if (requested <= newest) return requested;
  throw internalError(`height ${requested} must be less than or equal to the current blockchain height ${newest}`);
}

/** Creates the handlers of the block methods. Results at a height come from the block log, or are read once and cached. */
export function createBlockHandlers(
  client: Client,
  results: ResultCache,
): Readonly<Record<ByHeight | ByHash | 'blockchain', Handler>> {
  const { blocks } = client;

  /** Returns the result from the block log. undefined if the block is not in memory or the method needs a node. */
  function fromBlocks(method: ByHeight, height: bigint): string | undefined {
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
        // The next block contains the final commit.
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
      const {
        text,
        keep,
        isRepeated = false,
      } = await results.read(`${method} ${stringify(params)}`, lifetime, async (signal) => {
        const text = fromBlocks(method, height);
        if (text !== undefined) return { text, keep: true };
        return client.call(method, params, {
          height: height < head.height ? height : head.height,
          signal,
          decode(json) {
            const result = asObject(json, method);
            const actual = heightIn(method, result, head.chainId);
            if (actual !== height) throw malformed(`${method} of height ${actual} in place of ${height}`);
            return { text: stringify(result), keep: method !== 'commit' || booleanAt(result, 'canonical') };
          },
        });
      });
      return { result: { text }, height, transient: !keep, isRepeated: isRepeated && call.args.has('height') };
    };

  const byHash =
    (method: ByHash): Handler =>
    async ({ args, lifetime }) => {
      const head = await headOf(client, lifetime);
      const bytes = Buffer.from(args.bytes('hash'));
      // Each method has its own encoding (docs/chain.md, "Arguments of JSON-RPC").
      const params = { hash: method === 'block_by_hash' ? bytes.toString('base64') : bytes.toString('hex').toUpperCase() };
      const {
        text,
        height,
        keep,
        isRepeated = false,
      } = await results.read(`${method} ${bytes.toString('hex')}`, lifetime, (signal) =>
        client.call(method, params, {
          signal,
          decode(json): ReadyResult {
            const result = asObject(json, method);
            const object = method === 'block_by_hash' ? result.block : result.header;
            if (object == null) return { text: stringify(result), keep: false };
            const header =
              method === 'block_by_hash' ? objectAt(objectAt(result, 'block'), 'header') : objectAt(result, 'header');
            return { text: stringify(result), height: heightOfHeader(header, head.chainId), keep: true };
          },
        }),
      );
      return { result: { text }, height, absent: !keep, isRepeated };
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
    /** `last_height` is the head. The summaries are cached by their range, which is immutable. */
    async blockchain({ args, lifetime, height: pinnedTo }) {
      const head = await headOf(client, lifetime);
      const last = pinnedTo ?? head.height;
      const [min, max] = [args.integer('minHeight'), args.integer('maxHeight')];
      if (min < 0n || max < 0n) throw internalError('heights must be non-negative');
      const high = max === 0n || max > last ? last : max;
      const params = { minHeight: min.toString(), maxHeight: high.toString() };
      const { text } = await results.read(`blockchain ${min} ${high}`, lifetime, (signal) =>
        client.call('blockchain', params, {
          height: head.height,
          signal,
          decode(json) {
            const metas = arrayAt(asObject(json, 'blockchain'), 'block_metas');
            const highest = metas.length === 0 ? undefined : objectAt(asObject(metas[0], 'block meta'), 'header');
            if (highest === undefined || heightOfHeader(highest, head.chainId) !== high)
              throw malformed('blocks of another range');
            return { text: stringify(metas), keep: true };
          },
        }),
      );
      const transient = max === 0n || max > last;
      return { result: { text: `{"last_height":"${last}","block_metas":${text}}` }, height: last, transient };
    },
  };
}
