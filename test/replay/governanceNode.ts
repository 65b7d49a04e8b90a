import { chainStores } from '../../packages/devnet/src/app/keepers/stores.ts';
import { createStore, type VersionedStore } from '../../packages/devnet/src/app/state/store.ts';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { recording } from '../recordings/recording.ts';
import { type AbciResponse, type ChainRow, readRecording } from '../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from './replayNode.ts';

/** One row of governance-queries.json. */
export interface GovernanceRow {
  readonly path: string;
  readonly height: string;
  readonly requestJson: JsonObject;
  /** The request's bytes in hex. */
  readonly request: string;
  readonly response: Pick<AbciResponse, 'code' | 'log' | 'value' | 'height' | 'codespace'>;
}

/** A node that returns the recorded governance chain, block by block. */
export interface GovernanceNode extends Pick<ReplayNode, 'url' | 'subscribed' | 'close'> {
  /** The queries at heights without a recorded answer, as `path height`. */
  readonly unrecorded: readonly string[];
  /** Sends the block at a height to the subscribers. */
  emit(height: bigint): void;
}

/**
 * The stores of the chain at each height, so that the node can prove their roots. No recording has the proof of the `upgrade`
 * store, so the stores are made here: `group` changes at the recorded heights, the stores of every block at each height.
 */
function makeStores(
  first: bigint,
  last: bigint,
): { readonly stores: VersionedStore; readonly appHashes: ReadonlyMap<bigint, Uint8Array> } {
  const { groupStoreChangedAt } = recording<{ groupStoreChangedAt: readonly number[] }>('governance-world');
  const stores = createStore(chainStores);
  const appHashes = new Map<bigint, Uint8Array>();
  for (let height = first - 1n; height <= last; height += 1n) {
    const branch = stores.branch();
    const value = Buffer.from(String(height));
    for (const name of ['distribution', 'mint', 'slashing', 'staking']) branch.set(name, 'block', value);
    if (groupStoreChangedAt.includes(Number(height))) branch.set('group', 'change', value);
    appHashes.set(height, stores.commit(height, branch));
  }
  return { stores, appHashes };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase();
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const refused = (log: string): AbciResponse => ({
  ...{ code: 1, log, info: '', index: '0', key: null, value: null, proofOps: null, height: '0', codespace: 'test' },
});

/**
 * Starts the node at the first recorded height. It answers the group module's queries only at heights with a recorded answer,
 * and refuses them at all others.
 */
export async function createGovernanceNode(): Promise<GovernanceNode> {
  const rows = new Map(readRecording('governance-chain').map((row) => [BigInt(row.height), row]));
  const heights = [...rows.keys()];
  const [first, last] = [heights[0]!, heights.at(-1)!];
  const { stores, appHashes } = makeStores(first, last);
  const answers = new Map(
    recording<readonly GovernanceRow[]>('governance-queries').map((row) => [
      `${row.path} ${row.request} ${row.height}`,
      row.response,
    ]),
  );
  const unrecorded: string[] = [];
  let head = first;

  /** The app hash after the block at a height. */
  function appHash(height: bigint): Uint8Array {
    return appHashes.get(height)!;
  }

  function blockAt({ block }: ChainRow, height: bigint): JsonObject & { readonly block: JsonObject } {
    const header = { ...(block.block.header as JsonObject), app_hash: hex(appHash(height - 1n)) };
    return { ...block, block: { ...block.block, header } };
  }

  function queried({ path, data, height, prove }: JsonObject): AbciResponse | undefined {
    const at = height === '0' || height === undefined ? head : BigInt(String(height));
    const [, kind, store = ''] = String(path).split('/');
    if (kind === 'store' && prove === true) {
      const ops = stores.at(at)!.prove(store, '\xff');
      const proofOps = { ops: ops.map((op) => ({ type: op.type, key: base64(op.key), data: base64(op.data) })) };
      return { ...refused(''), code: 0, codespace: '', height: String(at), proofOps };
    }
    if (!String(path).startsWith('/cosmos.group.')) return undefined;
    const answer = answers.get(`${path} ${data} ${at}`);
    if (answer !== undefined) return { ...refused(''), ...answer };
    unrecorded.push(`${path} ${at}`);
    return refused('not recorded');
  }

  function answer(method: string, params: JsonObject): { readonly result: JsonValue } | undefined {
    switch (method) {
      case 'status': {
        const { header } = blockAt(rows.get(head)!, head).block as { header: JsonObject };
        const id = rows.get(head)!.block.block_id;
        return {
          result: {
            node_info: { network: 'testing', other: { tx_index: 'on' } },
            sync_info: {
              ...{ latest_block_hash: id.hash, latest_app_hash: header.app_hash!, latest_block_height: String(head) },
              ...{ latest_block_time: header.time!, earliest_block_hash: '', earliest_block_height: String(first) },
              catching_up: false,
            },
          },
        };
      }
      case 'abci_info': {
        const state = { last_block_height: String(head), last_block_app_hash: base64(appHash(head)) };
        return { result: { response: { data: 'provenanced', version: 'v1.29.0', ...state } } };
      }
      case 'block': {
        const height = BigInt(String(params.height));
        return { result: blockAt(rows.get(height)!, height) };
      }
      case 'abci_query': {
        const response = queried(params);
        return response && { result: { response: { ...response } } };
      }
      default:
        return undefined;
    }
  }

  const query = "tm.event='NewBlock'";
  const node = await createReplayNode({ head: last, instead: answer });
  return {
    url: node.url,
    subscribed: node.subscribed,
    close: node.close,
    unrecorded,
    emit(height) {
      const row = rows.get(height)!;
      head = height;
      const { finalize_block_events: events = [], txs_results: txs } = row.block_results;
      const result = { events, tx_results: txs ?? null, app_hash: base64(appHash(height)) };
      const value = { ...blockAt(row, height), result_finalize_block: result };
      node.emit(query, { query, data: { type: 'tendermint/event/NewBlock', value }, events: {} });
    },
  };
}
