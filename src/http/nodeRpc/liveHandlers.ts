import type { Client } from '../../chain/client.ts';
import { asObject, objectAt } from '../../chain/decode.ts';
import type { JsonValue } from '../../chain/json.ts';
import { stringify } from '../../chain/rpc/goJson.ts';
import { type Handler, headOf } from './call.ts';
import type { KeptResults } from './keptResults.ts';

type Live = 'health' | 'status' | 'net_info' | 'consensus_state' | 'dump_consensus_state' | 'abci_info';

/** The methods that tell of a node as it is now: each is asked anew, by one for all who ask at once. */
export function createLiveHandlers(client: Client, kept: KeptResults): Readonly<Record<Live, Handler>> {
  const live =
    (method: Live): Handler =>
    async ({ signal }) => {
      const text = await kept.join(method, signal, (joined) =>
        client.call(method, {}, { signal: joined, decode: (result) => stringify(result) }),
      );
      return { result: { text } };
    };

  return {
    health: live('health'),
    net_info: live('net_info'),
    consensus_state: live('consensus_state'),
    dump_consensus_state: live('dump_consensus_state'),
    /** The newest block that it tells of is the head, whichever node it is that answers. */
    async status({ signal }) {
      const head = await headOf(client, signal);
      const status = asObject(await client.call('status', {}, { height: head.height, signal }), 'status');
      const { height, hash, time, block } = client.head.current() ?? head;
      const header = block && objectAt(objectAt(block, 'block'), 'header');
      const sync = objectAt(status, 'sync_info');
      const isSame = sync.latest_block_height === height.toString();
      const latest: Record<string, JsonValue> = {
        latest_block_hash: hash,
        latest_app_hash: header?.app_hash ?? sync.latest_app_hash ?? '',
        latest_block_height: height.toString(),
        latest_block_time: time,
      };
      const value = isSame || header === undefined ? status : { ...status, sync_info: { ...sync, ...latest } };
      return { result: { value }, height };
    },
    /** Of the application of the head: of a node that is further the hash is of a later block. */
    async abci_info({ signal }) {
      const head = await headOf(client, signal);
      const info = asObject(await client.call('abci_info', {}, { height: head.height, signal }), 'abci_info');
      const { height } = client.head.current() ?? head;
      const response = objectAt(info, 'response');
      const appHash = client.blocks.at(height)?.appHash;
      if (response.last_block_height === height.toString() || appHash === undefined) return { result: { value: info }, height };
      const hash = Buffer.from(appHash, 'hex').toString('base64');
      return {
        result: { value: { response: { ...response, last_block_height: height.toString(), last_block_app_hash: hash } } },
        height,
      };
    },
  };
}
