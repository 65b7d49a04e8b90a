import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client } from '../chain/client.ts';
import { ChainError } from '../chain/errors.ts';
import { heightHeader, pickRoot } from '../graphql/context.ts';
import { createGraphQLYoga } from '../graphql/yoga.ts';
import { readBody } from './body.ts';

/** Largest body: a transaction of 1 MiB in base64 is 1.40 MB (reliability.md 1). */
const maxBody = 1_500_000;

/** Longest an operation may take (reliability.md 1). */
const deadline = 15_000;

/** The playground loads nothing from another host, whatever is in its bundle. */
const pagePolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; worker-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

const methods: readonly string[] = ['GET', 'POST', 'OPTIONS'];

/** Answers a request to `/graphql`: the operation itself, or the playground for a browser. */
export type GraphQLHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Makes the handler. */
export function createGraphQLHandler(options: {
  readonly client: Client;
  readonly report: (error: unknown, requestId: string) => void;
}): GraphQLHandler {
  const { client, report } = options;
  const yoga = createGraphQLYoga({ report });

  return async (request, response) => {
    if (!methods.includes(request.method ?? '')) {
      response.writeHead(405, { allow: methods.join(', ') }).end();
      return;
    }
    const body = request.method === 'POST' ? await readBody(request, maxBody) : undefined;
    if (body === null) {
      response.writeHead(413, { 'content-type': 'text/plain', connection: 'close' }).end(`body over ${maxBody} bytes`);
      return;
    }
    const signal = lifeOf(response);
    const named = request.headers[heightHeader];
    const { height, root } = await pickRoot(client, typeof named === 'string' ? named : undefined, signal);

    // The body, the height and (later) the viewer are known here: an answer kept for them as bytes would be sent from this place.

    const answer = await yoga.fetch(
      new Request(new URL(request.url ?? '/', 'http://localhost'), {
        method: request.method ?? 'GET',
        headers: headersOf(request),
        ...(body && { body: body.toString() }),
      }),
      { height, root, body },
    );
    if (height !== undefined) response.setHeader(heightHeader, height.toString());
    if (answer.headers.get('content-type')?.startsWith('text/html') === true)
      response.setHeader('content-security-policy', pagePolicy);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
}

/** A signal that ends the reads of a request: when its caller leaves, or at the deadline, which is NODE_TIMEOUT for what still waits. */
function lifeOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const late = (): void =>
    controller.abort(new ChainError('NODE_TIMEOUT', `Not all was read within ${deadline} ms.`, { milliseconds: deadline }));
  const timer = setTimeout(late, deadline);
  response.once('close', () => {
    clearTimeout(timer);
    controller.abort(new ChainError('NODE_UNREACHABLE', 'The caller has left.', {}));
  });
  return controller.signal;
}

function headersOf(request: IncomingMessage): [string, string][] {
  return Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] satisfies [string, string]],
  );
}
