import type { ClientOptions } from 'graphql-ws';

/**
 * Options for `createClient` of graphql-ws. A client that reconnects subscribes again with `after` set to the height up to which
 * everything was delivered, and with the chain of that height. If the chain was restarted meanwhile, the subscription fails with
 * CHAIN_RESET. The subscription must declare the variable `$after: Int64`.
 */
export function resumeSockets(): Pick<ClientOptions, 'on' | 'jsonMessageReplacer'> {
  /** The height to resume after and its chain, by operation id. */
  const positions = new Map<string, { readonly after: string; readonly chain: unknown }>();
  /** The chain of the connection. */
  let connected: unknown;
  return {
    on: {
      connected(_socket, payload) {
        connected = payload?.chain;
      },
      // The server sends this before it closes the connection: every event up to and including `after` was delivered.
      ping(_received, payload) {
        const resume = (payload?.resume ?? {}) as Record<string, { after?: string }>;
        for (const [id, { after }] of Object.entries(resume)) if (after) positions.set(id, { after, chain: connected });
      },
      // A connection may also be lost without that ping. The events of the last height are then delivered again.
      message(message) {
        if (message.type === 'complete' || message.type === 'error') positions.delete(message.id);
        if (message.type !== 'next') return;
        const { height, chain } = message.payload.extensions ?? {};
        if (height) positions.set(message.id, { after: String(BigInt(String(height)) - 1n), chain });
      },
    },
    // Called for each message that the client sends.
    jsonMessageReplacer(key, message) {
      const position = key === '' ? positions.get(message.id) : undefined;
      if (position === undefined) return message;
      if (message.type === 'complete') positions.delete(message.id);
      if (message.type !== 'subscribe') return message;
      const { payload } = message;
      const { after, chain } = position;
      const variables = { ...payload.variables, after };
      return { ...message, payload: { ...payload, variables, extensions: { ...payload.extensions, chain } } };
    },
  };
}
