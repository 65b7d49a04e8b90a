import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { type ChainRow, type RpcRow, readRecording } from '../recordings/recordings.ts';
import { createSearchAnswers } from './searchAnswers.ts';
import type { Kept } from './stateAnswers.ts';

/** The outcome of a call: a result, the text of an application error, or undefined if nothing was recorded. */
export type Answer = { readonly result: JsonValue } | { readonly error: string } | undefined;

/** The recorded responses of every method except `abci_query`. */
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

/** Height of the calls in rpc.json without a height. */
const RECORDED_HEAD = 1105n;

/** Methods that change the node, so that their responses are not repeatable. */
const CHANGING = new Set(['broadcast_tx_sync', 'broadcast_tx_async', 'broadcast_tx_commit', 'broadcast_evidence', 'check_tx']);

/** Responses while a transaction was pending: the mempool, and the first `check_tx` of each transaction. */
function momentOf(rows: readonly RpcRow[]): (method: string, params: JsonObject) => Answer {
  const pending = (name: string): Answer => {
    const row = rows.find((each) => each.name === name);
    return row && answerOf(row);
  };
  const checks = new Map<string, Answer>();
  for (const row of rows) {
    const call = callOf(row);
    if (call?.method === 'check_tx' && !checks.has(text(call.params))) checks.set(text(call.params), answerOf(row));
  }
  return (method, params) => {
    if (method === 'check_tx') return checks.get(text(params));
    if (method === 'unconfirmed_txs') return pending('unconfirmed while pending');
    return method === 'num_unconfirmed_txs' ? pending('num_unconfirmed while pending') : undefined;
  };
}

const text = (params: JsonObject): string => JSON.stringify(Object.entries(params).sort());

function callOf(row: RpcRow): { method: string; params: JsonObject } | undefined {
  const request = row.request as JsonObject | undefined;
  if (row.via !== 'POST /' || typeof request !== 'object' || Array.isArray(request)) return undefined;
  const { method, params } = request as { method?: string; params?: JsonObject };
  return method === undefined || params === undefined || Array.isArray(params) ? undefined : { method, params };
}

/**
 * Adapts a response to a head other than the recorded one: `abci_info` contains the head, and a hash that was not recorded for
 * it.
 */
function atHead(answer: Answer, method: string, head: bigint): Answer {
  if (method !== 'abci_info' || head === RECORDED_HEAD || answer === undefined || 'error' in answer) return answer;
  const { response } = answer.result as { response: JsonObject };
  return { result: { response: { ...response, last_block_height: String(head), last_block_app_hash: '' } } };
}

function answerOf(row: RpcRow): Answer {
  const { result, error } = row.response as { result?: JsonValue; error?: { code: number; data?: string } };
  if (result !== undefined) return { result };
  return error?.code === -32603 && error.data !== undefined ? { error: error.data } : undefined;
}

/**
 * Reads chain.json and rpc.json. Blocks, results, headers and commits are available by height and hash, with the node's error
 * text for a missing height. `commit` of H is the header of H with the `last_commit` of H + 1. Other methods return the first
 * recorded response for the same arguments. `ofMoment` adds responses that were valid only briefly.
 */
export function createBlockAnswers(pruned: boolean, ofMoment = false): BlockAnswers {
  const blocks = new Map<string, ChainRow['block']>();
  const results = new Map<string, JsonObject>();
  const headers = new Map<string, Header>();
  const recorded = new Map<string, Answer>();
  /** Block metas of `blockchain`, by height. */
  const metas = new Map<string, JsonObject>();
  /** Whole validator sets, by height. */
  const sets = new Map<string, JsonObject>();
  const searches = createSearchAnswers(readRecording('chain'));
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
  const moment = ofMoment ? momentOf(readRecording('rpc')) : undefined;
  for (const row of readRecording('rpc')) {
    const call = callOf(row);
    const answer = answerOf(row);
    if (call === undefined || answer === undefined || CHANGING.has(call.method)) continue;
    const key = `${call.method} ${text(call.params)}`;
    if (!recorded.has(key)) recorded.set(key, answer);
    if ('error' in answer) continue;
    const result = answer.result as JsonObject;
    // `validators` and `consensus_params` without a height return the height that they used.
    if (typeof result.block_height === 'string') {
      recorded.set(`${call.method} ${text({ ...call.params, height: result.block_height })}`, answer);
    }
    if (call.method === 'block') addBlock(result as ChainRow['block']);
    if (call.method === 'header') addHeader(result.header as Header);
    if (call.method === 'block_results') results.set(result.height as string, result);
    if (call.method === 'validators' && result.count === result.total) sets.set(result.block_height as string, result);
    if (call.method === 'blockchain') {
      for (const meta of result.block_metas as JsonObject[]) {
        addHeader(meta.header as Header);
        metas.set((meta.header as Header).height, meta);
      }
    }
  }
  for (const row of readRecording('pruned')) {
    const call = callOf(row);
    const answer = answerOf(row);
    if (call !== undefined && answer !== undefined && 'error' in answer) withoutIndex.set(call.method, answer);
  }

  /** Adapts the recorded `status` to another head, from the header of the head or, if that is missing, from the next header. */
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

  /** At most the 20 newest blocks of a range. `last_height` is the head. */
  function blockchain(params: JsonObject, head: bigint): Answer {
    const match = recorded.get(`blockchain ${text(params)}`);
    if (match !== undefined && ('error' in match || head === RECORDED_HEAD)) return match;
    const [min, max] = [params.minHeight, params.maxHeight].map((height) => BigInt(String(height ?? 0)));
    if (min === undefined || max === undefined || min < 0n || max < min || max > head) return undefined;
    const block_metas: JsonObject[] = [];
    for (let height = max; height >= (min || 1n) && block_metas.length < 20; height -= 1n) {
      const meta = metas.get(String(height));
      if (meta === undefined) return undefined;
      block_metas.push(meta);
    }
    return { result: { last_height: String(head), block_metas } };
  }

  /** The only page of a set that was recorded as a whole. */
  function validators(height: string, params: JsonObject): Answer {
    const set = sets.get(height);
    const whole = (params.page ?? '1') === '1' && Number(params.per_page ?? 30) >= Number(set?.total);
    return recorded.get(`validators ${text({ ...params, height })}`) ?? (set && whole ? { result: set } : undefined);
  }

  /** A search: the recorded response, or the matches in chain.json. */
  function indexed(method: string, params: JsonObject): Answer {
    const exact = recorded.get(`${method} ${text(params)}`);
    if (exact !== undefined) return exact;
    const result =
      method === 'tx_search' || method === 'block_search'
        ? searches.search(method, params)
        : params.prove !== true && typeof params.hash === 'string'
          ? searches.transaction(Buffer.from(params.hash, 'base64'))
          : undefined;
    return result && { result };
  }

  function commit(height: string): Answer {
    const header = headers.get(height);
    const next = blocks.get(String(BigInt(height) + 1n))?.block.last_commit;
    if (header === undefined || next === undefined) return undefined;
    return { result: { signed_header: { header, commit: next }, canonical: true } };
  }

  /** The node's refusal of a missing height. `head` is one higher for methods that already have data of the next block. */
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
      case 'validators':
        return validators(height, params);
      default:
        return recorded.get(`${method} ${text({ ...params, height })}`);
    }
  }

  return {
    answer: (method, params, { head }) => {
      const now = moment?.(method, params);
      if (now !== undefined) return now;
      switch (method) {
        case 'status':
          return status(head);
        case 'tx':
        case 'tx_search':
        case 'block_search':
          return pruned ? withoutIndex.get(method) : indexed(method, params);
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
        case 'blockchain':
          return blockchain(params, head);
        default:
          return atHead(recorded.get(`${method} ${text(params)}`), method, head);
      }
    },
  };
}
