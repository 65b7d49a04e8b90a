import { randomUUID } from 'node:crypto';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { parseJson } from '../chain/parseJson.ts';
import { createAnyCodec } from '../modules/any/codec.ts';
import type { GraphQLContext } from './builder.ts';
import type { RequestContext } from './context.ts';
import { toGraphQLError } from './errors.ts';
import { createLiveCheck } from './live.ts';
import { playgroundTabs } from './playground.ts';
import { schema } from './schema.ts';

/** The GraphQL engine: takes a fetch request with its context, gives a fetch response. */
export type Yoga = YogaServerInstance<RequestContext, GraphQLContext>;

/** What the engine needs beside a request. */
export interface YogaOptions {
  /** Told of each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
}

/** Numbers too long for a JavaScript number: their exact digits are read from the body. */
const longNumber = /[\d.]{16}/;

/** Makes the engine over the schema. */
export function createGraphQLYoga({ report }: YogaOptions): Yoga {
  const anyCodec = createAnyCodec();
  return createYoga<RequestContext, GraphQLContext>({
    schema,
    context: () => ({ anyCodec }),
    graphqlEndpoint: '/graphql',
    landingPage: false,
    logging: false,
    multipart: false,
    // No other origin is let in until there is a list of those that are.
    cors: false,
    // The page is 9 MB of bundled files: loaded when the first browser asks.
    renderGraphiQL: async (options) => (await import('@graphql-yoga/render-graphiql')).renderGraphiQL(options),
    graphiql: { title: 'Stele', defaultTabs: playgroundTabs, defaultHeaders: '{}' },
    maskedErrors: { maskError: (error) => toGraphQLError(error, randomUUID(), report) },
    plugins: [pinPlugin()],
  });
}

/** Gives each operation its root, each answer its height, and each long integer in the variables its exact digits. */
function pinPlugin(): Plugin<RequestContext, RequestContext> {
  const isLive = createLiveCheck(schema);
  return {
    onParams({ params, setParams, context }) {
      if (context.body === undefined || params.variables === undefined || !longNumber.test(context.body.toString('latin1')))
        return;
      const exact = parseJson(context.body.toString());
      if (typeof exact !== 'object' || exact === null || Array.isArray(exact)) return;
      const { variables } = exact;
      if (typeof variables === 'object' && variables !== null && !Array.isArray(variables)) setParams({ ...params, variables });
    },
    onExecute({ args }) {
      const { contextValue, document } = args;
      args.rootValue = contextValue.root;
      contextValue.outcome.immutable = !isLive(document);
    },
    onSubscribe({ args }) {
      args.rootValue = args.contextValue.root;
    },
    onExecutionResult({ result, setResult, context }) {
      if (context.height === undefined || result === undefined || Symbol.asyncIterator in result) return;
      if (result.errors !== undefined) context.outcome.immutable = false;
      setResult({ ...result, extensions: { ...result.extensions, height: context.height.toString() } });
    },
  };
}
