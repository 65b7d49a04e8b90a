import type { Client } from '../../chain/client.ts';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import { stringify } from '../../chain/rpc/goJson.ts';
import { internalError } from '../../chain/rpc/rpcError.ts';
import { isTooLarge } from '../../chain/transports/nodeErrors.ts';
import { asObject, bigintAt, objectAt } from '../../chain/wire/decode.ts';
import type { ReadonlyLifetime } from '../handlers/lifetime.ts';
import { type Handler, headOf, nodeParams, type Outcome } from './call.ts';
import type { KeptResults } from './keptResults.ts';

type AsItIs =
  | 'health'
  | 'net_info'
  | 'consensus_state'
  | 'dump_consensus_state'
  | 'unconfirmed_txs'
  | 'num_unconfirmed_txs'
  | 'tx_search'
  | 'block_search';

type Genesis = 'genesis' | 'genesis_chunked';

/** How long a call waits for the head to be where the node that answered is, ms: without a subscription it looks each second. */
const catchUp = 1_500;

/** Makes what answers the methods that tell of a node as it is now, each asked anew, once for all who ask at the same time; and the genesis, which is kept. */
export function createLiveHandlers(
  client: Client,
  kept: KeptResults,
): Readonly<Record<AsItIs | Genesis | 'status' | 'abci_info', Handler>> {
  const asked =
    (keep: boolean): Handler =>
    async (call) => {
      const { method, lifetime } = call;
      const params = nodeParams(call);
      const { text } = await kept.read(`${method} ${stringify(params)}`, lifetime, (joined) =>
        client.call(method, params, { signal: joined, decode: (result) => ({ text: stringify(result), keep }) }),
      );
      return { result: { text } };
    };
  const live = asked(false);
  /** A genesis beyond `upstream.answer` is refused as the node refuses one of several chunks. */
  const genesis: Handler = (call) =>
    asked(true)(call).catch((error: unknown) => {
      if (isTooLarge(error)) throw internalError('genesis response is large, please use the genesis_chunked API instead');
      throw error;
    });

  const inFlight = createInFlight<Outcome>();
  const joined =
    (name: string, make: (lifetime: ReadonlyLifetime) => Promise<Outcome>): Handler =>
    ({ lifetime }) =>
      inFlight.join(name, lifetime.signal, (signal) => make({ signal }));

  /** The newest block that it tells of is the head, whichever node it is that answers. */
  async function status(lifetime: ReadonlyLifetime): Promise<Outcome> {
    const { height } = await headOf(client, lifetime);
    const told = asObject(await client.call('status', {}, { height, signal: lifetime.signal }), 'status');
    const head = await headOf(client, lifetime);
    const sync = objectAt(told, 'sync_info');
    if (sync.latest_block_height === head.height.toString()) return { result: { value: told }, height: head.height };
    const latest = {
      latest_block_hash: head.hash,
      latest_app_hash: head.appHash,
      latest_block_height: head.height.toString(),
      latest_block_time: head.time,
    };
    return { result: { value: { ...told, sync_info: { ...sync, ...latest } } }, height: head.height };
  }

  /**
   * Of the application of the head: a node that is further has the hash of a later block. Where that of the head's is not known,
   * as before the first event of a block, the head catches up first: what is told here can be read.
   */
  async function abciInfo(lifetime: ReadonlyLifetime): Promise<Outcome> {
    const head = await headOf(client, lifetime);
    const info = asObject(await client.call('abci_info', {}, { height: head.height, signal: lifetime.signal }), 'abci_info');
    const response = objectAt(info, 'response');
    const told = bigintAt(response, 'last_block_height');
    const isKnown = client.blocks.at((await headOf(client, lifetime)).height)?.appHash !== undefined;
    if (!isKnown) await client.head.waitFor(told, { milliseconds: catchUp, signal: lifetime.signal }).catch(() => undefined);
    const { height } = await headOf(client, lifetime);
    const appHash = client.blocks.at(height)?.appHash;
    if (told === height || appHash === undefined) return { result: { value: info }, height };
    const latest = {
      last_block_height: height.toString(),
      last_block_app_hash: Buffer.from(appHash, 'hex').toString('base64'),
    };
    return { result: { value: { response: { ...response, ...latest } } }, height };
  }

  return {
    health: live,
    net_info: live,
    consensus_state: live,
    dump_consensus_state: live,
    unconfirmed_txs: live,
    num_unconfirmed_txs: live,
    tx_search: live,
    block_search: live,
    genesis,
    genesis_chunked: asked(true),
    status: joined('status', status),
    abci_info: joined('abci_info', abciInfo),
  };
}
