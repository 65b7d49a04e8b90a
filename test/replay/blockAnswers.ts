import type { JsonObject, JsonValue } from '../../src/chain/json.ts';
import { type ChainRow, type RpcRow, readRecording } from '../recordings/recordings.ts';
import type { Kept } from './stateAnswers.ts';

/** What a call gave: a result, an application error's text, or nothing that was recorded. */
export type Answer = { readonly result: JsonValue } | { readonly error: string } | undefined;

/** The recorded answers of every method but `abci_query`. */
export interface BlockAnswers {
  /** `params` by name. */
  answer(method: string, params: JsonObject, kept: Kept): Answer;
}

interface Header extends JsonObject {
  readonly height: string;
  readonly time: string;
  readonly app_hash: string;
  readonly last_block_id: JsonObject;
}

/** The height of rpc.json's calls that name none. */
const RECORDED_HEAD = 1105n;

/** Sent to the node, they change it: an answer of then would be none of now. */
const CHANGING = new Set(['broadcast_tx_sync', 'broadcast_tx_async', 'broadcast_tx_commit', 'broadcast_evidence', 'check_tx']);

const text = (params: JsonObject): string => JSON.stringify(Object.entries(params).sort());

function callOf(row: RpcRow): { method: string; params: JsonObject } | undefined {
  const request = row.request as JsonObject | undefined;
  if (row.via !== 'POST /' || typeof request !== 'object' || Array.isArray(request)) return undefined;
  const { method, params } = request as { method?: string; params?: JsonObject };
  return method === undefined || params === undefined || Array.isArray(params) ? undefined : { method, params };
}

function answerOf(row: RpcRow): Answer {
  const { result, error } = row.response as { result?: JsonValue; error?: { code: number; data?: string } };
  if (result !== undefined) return { result };
  return error?.code === -32603 && error.data !== undefined ? { error: error.data } : undefined;
}

/**
 * Reads chain.json and rpc.json. Blocks, results, headers and commits are by height and hash, with the node's own words for a
 * height that it does not have; `commit` of H is the header of H with the `last_commit` of H + 1. The rest is as it was
 * recorded for the same arguments, the first time that they were asked.
 */
export function createBlockAnswers(pruned: boolean): BlockAnswers {
  const blocks = new Map<string, ChainRow['block']>();
  const results = new Map<string, JsonObject>();
  const headers = new Map<string, Header>();
  const recorded = new Map<string, Answer>();
  const withoutIndex = new Map<string, Answer>();
  const addBlock = (block: ChainRow['block']): void => {
    const header = block.block.header as Header;
    blocks.set(header.height, block).set(block.block_id.hash, block);
    headers.set(header.height, header).set(block.block_id.hash, header);
  };
  const addHeader = (header: Header): void => {
    headers.set(header.height, header);
  };
  for (const row of readRecording('chain')) {
    addBlock(row.block);
    results.set(row.height, row.block_results);
  }
  for (const row of readRecording('rpc')) {
    const call = callOf(row);
    const answer = answerOf(row);
    if (call === undefined || answer === undefined || CHANGING.has(call.method)) continue;
    const key = `${call.method} ${text(call.params)}`;
    if (!recorded.has(key)) recorded.set(key, answer);
    if ('error' in answer) continue;
    const result = answer.result as JsonObject;
    // Of `validators` and `consensus_params` without a height: it tells which one it took.
    if (typeof result.block_height === 'string') {
      recorded.set(`${call.method} ${text({ ...call.params, height: result.block_height })}`, answer);
    }
    if (call.method === 'block') addBlock(result as ChainRow['block']);
    if (call.method === 'header') addHeader(result.header as Header);
    if (call.method === 'block_results') results.set(result.height as string, result);
    if (call.method === 'blockchain') for (const meta of result.block_metas as JsonObject[]) addHeader(meta.header as Header);
  }
  for (const row of readRecording('pruned')) {
    const call = callOf(row);
    const answer = answerOf(row);
    if (call !== undefined && answer !== undefined && 'error' in answer) withoutIndex.set(call.method, answer);
  }

  /** The recorded `status` at another head: what the head's own header tells or, where only the next one is known, that one. */
  function status(head: bigint): Answer {
    const answer = recorded.get(`status ${text({})}`);
    if (answer === undefined || 'error' in answer) return undefined;
    const { node_info: node, sync_info: sync, ...rest } = answer.result as Record<string, JsonObject>;
    const next = headers.get(String(head + 1n));
    const near = headers.get(String(head)) ?? next;
    const other = { ...(node?.other as JsonObject), ...(pruned ? { tx_index: 'off' } : {}) };
    return {
      result: {
        node_info: { ...node, other },
        sync_info: {
          ...sync,
          latest_block_height: String(head),
          latest_block_hash:
            blocks.get(String(head))?.block_id.hash ?? next?.last_block_id.hash ?? sync?.latest_block_hash ?? null,
          latest_app_hash: near?.app_hash ?? sync?.latest_app_hash ?? null,
          latest_block_time: near?.time ?? sync?.latest_block_time ?? null,
        },
        ...rest,
      },
    };
  }

  function commit(height: string): Answer {
    const header = headers.get(height);
    const next = blocks.get(String(BigInt(height) + 1n))?.block.last_commit;
    if (header === undefined || next === undefined) return undefined;
    return { result: { signed_header: { header, commit: next }, canonical: true } };
  }

  /** The node's refusal of a height that it does not have. `head` is one more for what is known of the next block already. */
  function refusal(height: bigint, head: bigint): Answer {
    if (height <= 0n) return { error: `height must be greater than 0, but got ${height}` };
    return height > head
      ? { error: `height ${height} must be less than or equal to the current blockchain height ${head}` }
      : undefined;
  }

  function ofHeight(method: string, height: string, params: JsonObject, head: bigint): Answer {
    const known = (value: JsonValue | undefined): Answer => (value === undefined ? undefined : { result: value });
    switch (method) {
      case 'block':
        return known(blocks.get(height));
      case 'block_results':
        return known(results.get(height));
      case 'header':
        return known(headers.has(height) ? { header: headers.get(height) } : undefined);
      case 'commit':
        return BigInt(height) < head ? commit(height) : recorded.get(`commit ${text({ height })}`);
      default:
        return recorded.get(`${method} ${text({ ...params, height })}`);
    }
  }

  return {
    answer: (method, params, { head }) => {
      switch (method) {
        case 'status':
          return status(head);
        case 'tx':
        case 'tx_search':
        case 'block_search':
          return (pruned ? withoutIndex : recorded).get(pruned ? method : `${method} ${text(params)}`);
        case 'block_by_hash':
        case 'header_by_hash': {
          const { hash } = params;
          if (typeof hash !== 'string') return undefined;
          const key =
            method === 'header_by_hash' ? hash.toUpperCase() : Buffer.from(hash, 'base64').toString('hex').toUpperCase();
          const header = headers.get(key);
          if (header === undefined || BigInt(header.height) > head) return recorded.get(`${method} ${text(params)}`);
          return ofHeight(method.slice(0, -'_by_hash'.length), header.height, {}, head);
        }
        case 'block':
        case 'block_results':
        case 'header':
        case 'commit':
        case 'validators':
        case 'consensus_params': {
          const newest = method === 'validators' || method === 'consensus_params' ? head + 1n : head;
          const { height, ...rest } = params;
          const at = typeof height === 'string' ? BigInt(height) : newest;
          return refusal(at, newest) ?? ofHeight(method, String(at), rest, head);
        }
        default:
          // These two tell the head.
          if (head !== RECORDED_HEAD && (method === 'abci_info' || method === 'blockchain')) return undefined;
          return recorded.get(`${method} ${text(params)}`);
      }
    },
  };
}
