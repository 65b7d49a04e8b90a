import { closedError } from '../../chain/transports/nodeReplies.ts';
import type { CallOptions, NodeHandle, NodeView, SubscriptionListener, Transport } from '../../chain/transports/transport.ts';
import { type HeadBlock, newBlockQuery, type Rewind } from '../../chain/wire/block.ts';
import type { JsonObject } from '../../chain/wire/json.ts';
import type { PrimaryLink } from './link.ts';

/**
 * Creates the transport of a worker: the primary calls the nodes. The newest blocks are those that the primary has accepted, so all
 * workers follow one head.
 */
export function createLinkedTransport(link: PrimaryLink): Transport {
  const rewindListeners = new Set<(rewind: Rewind) => void>();
  const newestListeners = new Set<(block: HeadBlock) => void>();
  const blockListeners = new Set<SubscriptionListener>();
  let nodes: readonly NodeView[] = [];
  let isSubscribed = false;
  link.on('head', (message) => {
    isSubscribed = message.isSubscribed;
    if (isSubscribed) return;
    for (const listener of [...blockListeners]) {
      blockListeners.delete(listener);
      listener.end(closedError());
    }
  });
  link.on('nodes', (message) => {
    nodes = message.nodes;
  });
  link.on('rewind', ({ rewind }) => {
    for (const listener of [...rewindListeners]) listener(rewind);
  });
  link.on('newest', ({ newest }) => {
    for (const listener of [...newestListeners]) listener(newest);
  });
  link.on('block', ({ event }) => {
    for (const { event: deliver } of [...blockListeners]) deliver(event);
  });

  async function call<T>(
    node: string | undefined,
    method: string,
    params: JsonObject,
    { height, signal, span, maySimulate, decode }: CallOptions<T>,
  ): Promise<T> {
    return decode(await link.ask('call', { method, params, height, node, maySimulate }, { signal, span }));
  }

  function handleOf(alias: string): NodeHandle | undefined {
    if (!nodes.some((node) => node.alias === alias)) return undefined;
    return { alias, call: (method, params, options) => call(alias, method, params, options) };
  }

  return {
    call: (method, params, options) => call(undefined, method, params, options),
    subscribe(query, listener) {
      const leaving = new AbortController();
      if (query === newBlockQuery) {
        queueMicrotask(() => {
          if (leaving.signal.aborted) return;
          if (!isSubscribed) return listener.end(closedError());
          blockListeners.add(listener);
          listener.open?.();
        });
        return {
          close() {
            leaving.abort();
            if (blockListeners.delete(listener)) listener.end(undefined);
          },
        };
      }
      let isOpen = false;
      link
        .ask(
          'subscribe',
          { query },
          {
            signal: leaving.signal,
            // The first update says that the node has accepted the subscription.
            onUpdate(event) {
              if (isOpen) listener.event(event);
              else listener.open?.();
              isOpen = true;
            },
          },
        )
        .then(
          () => listener.end(undefined),
          (error: unknown) => listener.end(leaving.signal.aborted || !(error instanceof Error) ? undefined : error),
        );
      return { close: () => leaving.abort() };
    },
    guardsSimulations: true,
    nodes: () => nodes,
    handle: handleOf,
    onRewind(listener) {
      rewindListeners.add(listener);
      return () => rewindListeners.delete(listener);
    },
    onNewest(listener) {
      newestListeners.add(listener);
      return () => newestListeners.delete(listener);
    },
    close: async () => undefined,
  };
}
