import type { Client } from '../../chain/client.ts';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import { decodeAbciReply } from '../../chain/rpc/rpcErrors.ts';
import { spanOf } from '../../chain/tracing/tracer.ts';
import { decodeBlock } from '../../chain/wire/block.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import type { SharedStore } from '../../shared/sharedStore.ts';
import type { Ask, Operations } from './messages.ts';

/** Answers what workers ask. `update` sends a value before the result. */
export type Answer = (ask: Ask, signal: AbortSignal, update: (value: unknown) => void) => Promise<unknown>;

/** Methods whose calls change nothing, so that equal calls of several workers are joined. */
const joinedMethods: readonly string[] = [
  'abci_query',
  'abci_info',
  'block',
  'block_results',
  'validators',
  'status',
  'commit',
];

/** Throws if a worker could not decode a result, so that another node is tried. */
function check(method: string, result: JsonValue, height: bigint | undefined): void {
  if (method === 'abci_query' && height !== undefined) decodeAbciReply(result, height);
  if (method === 'block') decodeBlock(result);
}

/** Creates the answers to one worker. All workers have the same `call`. The signal of a question names the span that it belongs to. */
export function createAnswers(options: {
  readonly client: Client;
  readonly store: SharedStore;
  readonly call: ReturnType<typeof createCalls>;
}): Answer {
  const { client, store, call } = options;
  const { broadcaster } = client;

  async function submit(tx: Uint8Array, signal: AbortSignal, update: (value: unknown) => void): Promise<undefined> {
    const updates = broadcaster.submit(tx, { signal });
    signal.addEventListener('abort', () => void updates.return?.(), { once: true });
    for await (const step of updates) update(step);
  }

  return async (ask, signal, update) => {
    const { name, args } = ask;
    switch (name) {
      case 'call':
        return call(args, signal);
      case 'subscribe':
        return subscribe(client, args.query, signal, update);
      case 'broadcast': {
        const { method, tx, joinsDuplicate } = args;
        return method === 'commit' ? broadcaster.commit(tx, { signal, joinsDuplicate }) : broadcaster[method](tx, { signal });
      }
      case 'submit':
        return submit(args.tx, signal, update);
      case 'check':
        return broadcaster.check(args.tx, { signal });
      case 'evidence':
        return broadcaster.evidence(args.evidence, { signal });
      case 'find':
        return store.find(args.group, args.keys, args.claim);
      case 'get':
        return store.get(args.group, args.key);
      case 'put':
        return store.put(args.group, args.key, args.value, args.ttl, args.claim);
      case 'release':
        return store.release(args.group, args.key);
      case 'count':
        return store.count(args);
    }
  };
}

/** Subscribes at a node. The first update says that the node has accepted it. */
function subscribe(client: Client, query: string, signal: AbortSignal, update: (value: unknown) => void): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const subscription = client.subscribe(query, {
      open: () => update({}),
      event: update,
      end: (error) => (error === undefined ? resolve(undefined) : reject(error)),
    });
    signal.addEventListener('abort', () => subscription.close(), { once: true });
  });
}

export function createCalls(client: Client) {
  const inFlight = createInFlight<JsonValue>();

  async function run(
    { method, params, height, node, maySimulate }: Operations['call']['args'],
    signal: AbortSignal,
  ): Promise<JsonValue> {
    let last: { readonly result: JsonValue } | undefined;
    const decode = (result: JsonValue): JsonValue => {
      last = { result };
      check(method, result, height);
      return result;
    };
    const handle = node === undefined ? undefined : client.node(node);
    // The worker has recorded the call as a read. Its batch and its request to a node are below that.
    const options = { signal, span: spanOf(signal), maySimulate, decode };
    try {
      if (handle !== undefined) return await handle.call(method, params, options);
      return await client.call(method, params, { ...options, height });
    } catch (error) {
      // The worker decodes it and gets the same error, with all of its facts.
      if (last !== undefined && !signal.aborted) return last.result;
      throw error;
    }
  }

  return (args: Parameters<typeof run>[0], signal: AbortSignal): Promise<JsonValue> => {
    const { method, params, height, node, maySimulate } = args;
    if (!joinedMethods.includes(method)) return run(args, signal);
    const key = JSON.stringify([method, params, height?.toString(), node, maySimulate === true]);
    return inFlight.join(key, signal, (shared) => run(args, shared));
  };
}
