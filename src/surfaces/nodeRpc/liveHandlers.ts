import type { Client } from '../../chain/client.ts';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import { internalError } from '../../chain/rpc/rpcErrors.ts';
import { isTooLarge } from '../../chain/transports/http.ts';
import { stringify } from '../../chain/wire/goText.ts';
import { asObject, bigintAt, objectAt } from '../../chain/wire/json.ts';
import type { ReadonlyLifetime } from '../../server/lifetime.ts';
import { type Handler, headOf, nodeParams, type Outcome, type ResultCache } from './call.ts';

type LiveMethod =
  | 'health'
  | 'net_info'
  | 'consensus_state'
  | 'dump_consensus_state'
  | 'unconfirmed_txs'
  | 'num_unconfirmed_txs'
  | 'tx_search'
  | 'block_search';

type Genesis = 'genesis' | 'genesis_chunked';

/**
 * How long a call waits for the head to reach the height of the node that responded, in ms. Without a subscription, the head is
 * polled each second.
 */
const catchUp = 1_500;

/**
 * Creates the handlers of methods that return the current state of a node, which are never cached, and of the genesis, which
 * is. Concurrent equal calls share one request to a node.
 */
export function createLiveHandlers(
  client: Client,
  results: ResultCache,
): Readonly<Record<LiveMethod | Genesis | 'status' | 'abci_info', Handler>> {
  const forward =
    (keep: boolean): Handler =>
    async (call) => {
      const { method, lifetime } = call;
      const params = nodeParams(call);
      const { text } = await results.read(`${method} ${stringify(params)}`, lifetime, (signal) =>
        client.call(method, params, { signal, decode: (result) => ({ text: stringify(result), keep }) }),
      );
      return { result: { text } };
    };
  const uncached = forward(false);
  /** A genesis larger than `upstream.answer` gets the error that a node returns for a genesis of several chunks. */
  const genesis: Handler = (call) =>
    forward(true)(call).catch((error: unknown) => {
      if (isTooLarge(error)) throw internalError('genesis response is large, please use the genesis_chunked API instead');
      throw error;
    });

  const inFlight = createInFlight<Outcome>();
  const once =
    (name: string, make: (lifetime: ReadonlyLifetime) => Promise<Outcome>): Handler =>
    ({ lifetime }) =>
      inFlight.join(name, lifetime.signal, (signal) => make({ signal }));

  /** Returns the status of a node, with the head as its newest block. */
  async function status(lifetime: ReadonlyLifetime): Promise<Outcome> {
    const { height } = await headOf(client, lifetime);
    const node = asObject(await client.call('status', {}, { height, signal: lifetime.signal }), 'status');
    const head = await headOf(client, lifetime);
    const sync = objectAt(node, 'sync_info');
    if (sync.latest_block_height === head.height.toString()) return { result: { value: node }, height: head.height };
    const latest = {
      latest_block_hash: head.hash,
      latest_app_hash: head.appHash,
      latest_block_height: head.height.toString(),
      latest_block_time: head.time,
    };
    return { result: { value: { ...node, sync_info: { ...sync, ...latest } } }, height: head.height };
  }

  /**
   * Returns the application's info at the head. A node that is ahead returns the hash of a later block, which is replaced by
   * that of the head. If the hash at the head is not known, for example before the first block event, waits until the head
   * reaches the node's height.
   */
  async function abciInfo(lifetime: ReadonlyLifetime): Promise<Outcome> {
    const head = await headOf(client, lifetime);
    const info = asObject(await client.call('abci_info', {}, { height: head.height, signal: lifetime.signal }), 'abci_info');
    const response = objectAt(info, 'response');
    const nodeHeight = bigintAt(response, 'last_block_height');
    const isKnown = client.blocks.at((await headOf(client, lifetime)).height)?.appHash !== undefined;
    if (!isKnown)
      await client.head.waitFor(nodeHeight, { milliseconds: catchUp, signal: lifetime.signal }).catch(() => undefined);
    const { height } = await headOf(client, lifetime);
    const appHash = client.blocks.at(height)?.appHash;
    if (nodeHeight === height || appHash === undefined) return { result: { value: info }, height };
    const latest = {
      last_block_height: height.toString(),
      last_block_app_hash: Buffer.from(appHash, 'hex').toString('base64'),
    };
    return { result: { value: { response: { ...response, ...latest } } }, height };
  }

  return {
    health: uncached,
    net_info: uncached,
    consensus_state: uncached,
    dump_consensus_state: uncached,
    unconfirmed_txs: uncached,
    num_unconfirmed_txs: uncached,
    tx_search: uncached,
    block_search: uncached,
    genesis,
    genesis_chunked: forward(true),
    status: once('status', status),
    abci_info: once('abci_info', abciInfo),
  };
}
