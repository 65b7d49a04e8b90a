import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type DocumentNode, type ExecutionArgs, GraphQLError } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Client } from '../chain/client.ts';
import { ChainError } from '../chain/errors.ts';
import { createRequestContext, heightHeader, minHeightHeader, pickHeight } from '../graphql/context.ts';
import { schema } from '../graphql/schema.ts';
import type { Yoga } from '../graphql/yoga.ts';
import { headerOf } from './headers.ts';

/** Largest message of a client (reliability.md 1). */
const maxMessage = 64 * 1024;

/** Time between pings; a socket that does not answer until the next one is closed (reliability.md 1). */
const pingInterval = 12_000;

/** GraphQL over WebSocket, in the protocol graphql-transport-ws. */
export interface GraphQLSockets {
  /** Takes over a connection that asked to be a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every socket: 1001, going away. */
  close(): Promise<void>;
}

const left = (): ChainError => new ChainError('NODE_UNREACHABLE', 'The caller has left.', {});

type Enveloped = ReturnType<Yoga['getEnveloped']>;

function coded(error: GraphQLError, code: string): GraphQLError {
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    extensions: { code },
  });
}

function parsed({ parse }: Enveloped, query: string): DocumentNode | GraphQLError {
  try {
    return parse(query);
  } catch (error) {
    return coded(
      error instanceof GraphQLError ? error : new GraphQLError('The document cannot be parsed.'),
      'GRAPHQL_PARSE_FAILED',
    );
  }
}

/** Makes the sockets. Operations run through the same engine as those of HTTP: same pins, same errors. */
export function createGraphQLSockets({ client, yoga }: { readonly client: Client; readonly yoga: Yoga }): GraphQLSockets {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessage,
    handleProtocols: (offered) => (offered.has('graphql-transport-ws') ? 'graphql-transport-ws' : false),
  });

  /** Each operation is run by the engine that its own context was made for. */
  const engines = new WeakMap<ExecutionArgs, Pick<Enveloped, 'execute' | 'subscribe'>>();
  const engineOf = (args: ExecutionArgs): Pick<Enveloped, 'execute' | 'subscribe'> => {
    const engine = engines.get(args);
    if (engine === undefined) throw new Error('an operation that was not begun here');
    return engine;
  };

  /** What ends the reads of each operation of a socket, by its id, when the socket closes. */
  const ends = new WeakMap<WebSocket, Map<string, AbortController>>();
  const endsOf = (socket: WebSocket): Map<string, AbortController> => {
    const known = ends.get(socket) ?? new Map<string, AbortController>();
    ends.set(socket, known);
    return known;
  };

  const server = useServer(
    {
      onClose({ extra: { socket } }) {
        for (const end of endsOf(socket).values()) end.abort(left());
      },
      onComplete({ extra: { socket } }, id) {
        endsOf(socket).delete(id);
      },
      execute: (args) => engineOf(args).execute(args),
      subscribe: (args) => engineOf(args).subscribe(args),
      async onSubscribe({ extra: { request, socket } }, id, { query, variables, operationName, extensions }) {
        const end = new AbortController();
        endsOf(socket).set(id, end);
        const minHeight = extensions?.minHeight;
        const picked = await pickHeight(client, {
          height: headerOf(request, heightHeader),
          minHeight: minHeight == null ? headerOf(request, minHeightHeader) : String(minHeight),
        });
        const enveloped = yoga.getEnveloped(createRequestContext(client, picked, undefined, end.signal));
        const document = parsed(enveloped, query);
        if (document instanceof GraphQLError) return [document];
        const errors: readonly GraphQLError[] = enveloped.validate(schema, document);
        if (errors.length > 0) return errors.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED'));
        const args: ExecutionArgs = {
          schema,
          document,
          operationName: operationName ?? null,
          variableValues: variables ?? {},
          contextValue: await enveloped.contextFactory(),
        };
        engines.set(args, enveloped);
        return args;
      },
    },
    sockets,
    pingInterval,
  );

  return {
    upgrade(request, socket, head) {
      sockets.handleUpgrade(request, socket, head, (accepted) => sockets.emit('connection', accepted, request));
    },
    async close() {
      await server.dispose();
      sockets.close();
    },
  };
}
