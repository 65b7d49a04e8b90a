import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import { createFieldCheck } from '../documents/fieldChecks.ts';

/** Rejects GET requests that select a `postOnlyField`: BAD_USER_INPUT with HTTP status 405. */
export function postOnlyPlugin(schema: GraphQLSchema): Plugin {
  const isPostOnly = createFieldCheck(schema, 'postOnly');
  /** Operations over a WebSocket have no `request`. */
  function check(document: DocumentNode, { request }: Partial<YogaInitialContext>): void {
    if (request?.method !== 'GET' || !isPostOnly(document)) return;
    throw new GraphQLError('GET does not allow this operation. Send it with POST or over a WebSocket.', {
      extensions: { code: 'BAD_USER_INPUT', http: { status: 405, headers: { Allow: 'POST' } } },
    });
  }
  return {
    onExecute: ({ args }) => check(args.document, args.contextValue),
    onSubscribe: ({ args }) => check(args.document, args.contextValue),
  };
}
