import type { ClientOptions } from 'graphql-ws';

/**
 * Options for `createClient` of graphql-ws. A client that reconnects subscribes again with `after` set to the height up to which
 * everything was delivered. The subscription must declare the variable `$after: Int64`.
 */
export function resumeSockets(): Pick<ClientOptions, 'on' | 'jsonMessageReplacer'> {
  /** The height to resume after, by operation id. */
  const heights = new Map<string, string>();
  return {
    on: {
      // The server sends this before it closes the connection: every event up to and including `after` was delivered.
      ping(_received, payload) {
        const resume = (payload?.resume ?? {}) as Record<string, { after?: string }>;
        for (const [id, { after }] of Object.entries(resume)) if (after) heights.set(id, after);
      },
      // A connection may also be lost without that ping. The events of the last height are then delivered again.
      message(message) {
        if (message.type === 'complete' || message.type === 'error') heights.delete(message.id);
        if (message.type !== 'next') return;
        const height = message.payload.extensions?.height;
        if (height) heights.set(message.id, String(BigInt(String(height)) - 1n));
      },
    },
    // Called for each message that the client sends.
    jsonMessageReplacer(key, message) {
      const after = key === '' ? heights.get(message.id) : undefined;
      if (after === undefined) return message;
      if (message.type === 'complete') heights.delete(message.id);
      if (message.type !== 'subscribe') return message;
      const { payload } = message;
      return { ...message, payload: { ...payload, variables: { ...payload.variables, after } } };
    },
  };
}
