import type { IncomingMessage, ServerResponse } from 'node:http';
import { schemaText } from '../graphql/schema.ts';

/** Answers a request to `/schema.graphql`: the text of the subgraph, which is the same as that of `_service`. */
export type SchemaHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Makes the handler. The text is made when the first one asks. */
export function createSchemaHandler(): SchemaHandler {
  let text: Buffer | undefined;
  return ({ method = '' }, response) => {
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    text ??= Buffer.from(schemaText());
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length });
    response.end(method === 'GET' ? text : undefined);
  };
}
