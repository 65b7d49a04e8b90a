import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import { createFieldCheck } from './live.ts';

/**
 * Extensions of a field that must not be asked for by GET, which browsers and caches repeat as they like: it sends something, or uses
 * something up. (Mutations are not executed by GET whatever they select.)
 */
export const postOnlyField = { postOnly: true } as const;

/** Refuses operations with a {@link postOnlyField} that have come by GET: BAD_USER_INPUT, with HTTP status 405. */
export function postOnlyPlugin(schema: GraphQLSchema): Plugin {
  const isPostOnly = createFieldCheck(schema, 'postOnly');
  /** What comes over a WebSocket has no request. */
  function check(document: DocumentNode, { request }: Partial<YogaInitialContext>): void {
    if (request?.method !== 'GET' || !isPostOnly(document)) return;
    throw new GraphQLError('This operation is not taken by GET: send it by POST or over a WebSocket.', {
      extensions: { code: 'BAD_USER_INPUT', http: { status: 405, headers: { Allow: 'POST' } } },
    });
  }
  return {
    onExecute: ({ args }) => check(args.document, args.contextValue),
    onSubscribe: ({ args }) => check(args.document, args.contextValue),
  };
}
