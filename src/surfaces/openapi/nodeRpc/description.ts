import { isRpcMethod, type Param, type RpcMethod, type RpcMethodName, rpcMethods } from '../../../chain/rpc/methods.ts';
import type { JsonObject } from '../../../chain/wire/json.ts';
import { createDocument, type Examples, heightParameters, needs, parameter } from '../parts/document.ts';
import { failures, heightHeader, jsonResponse } from '../parts/responses.ts';
import { described, ref, type Schema, type Schemas } from '../parts/schemaParts.ts';
import { type NodeDialect, nodeDialects } from './dialects.ts';
import { neededArguments, nodeArguments, nodeMethods, nodeTags } from './methods.ts';
import { nodeParts, nodeResults } from './schemas.ts';
import { socketPaths } from './socketDescription.ts';

const quoted: Schema = { type: 'string', pattern: '^(".*"|0x([0-9A-Fa-f]{2})*)$' };

/** Schema of an argument in a URI. Text and bytes are in quotes, or `0x` followed by hexadecimal digits. */
function uriSchema({ type }: Param): Schema {
  switch (type) {
    case 'int64':
    case 'int':
    case 'uint':
      return { type: 'integer', format: 'int64' };
    case 'bool':
      return { type: 'boolean' };
    case 'string':
      return described(quoted, 'Text in double quotes, or `0x` and the bytes in hexadecimal.');
    case 'bytes':
    case 'hex':
      return described(quoted, '`0x` and the bytes in hexadecimal. Text in double quotes stands for its UTF-8 bytes.');
    case 'evidence':
      return { type: 'string' };
  }
}

function isSending(method: RpcMethodName): boolean {
  return method.startsWith('broadcast_');
}

const ofHeight = heightHeader('x-cosmos-block-height');

const cacheForDay: JsonObject = {
  'Cache-Control': {
    description: '`private, max-age=86400` if clients may cache the response, because its arguments identify immutable data.',
    schema: { type: 'string' },
  },
};

/** Converts `block_by_hash` to `BlockByHash`. */
function inPascalCase(method: string): string {
  return method.replace(/(^|_)(\w)/g, (_, _separator, letter: string) => letter.toUpperCase());
}

/** The schemas of a method in a dialect, by their names in `components`. Generators invent names for inline schemas. */
interface MethodSchemas {
  readonly answer: string;
  readonly schemas: Schemas;
}

/**
 * Returns the schemas of a method's result and of the response that contains it. Dialects with the same result share its
 * schema.
 */
function schemasOf(method: RpcMethodName, dialect: NodeDialect): MethodSchemas {
  const name = inPascalCase(method);
  const isShared = nodeDialects.every(({ results }) => results[method] === undefined);
  const result = dialect.results[method] ?? nodeResults[method];
  const resultName = `${isShared ? '' : dialect.schemaPrefix}${name}Result`;
  const answer = `${dialect.schemaPrefix}${name}Answer`;
  // A reference already has a name.
  const isNamed = '$ref' in result;
  return {
    answer,
    schemas: {
      ...(!isNamed && { [resultName]: result }),
      [answer]: dialect.answer(isNamed ? result : ref(resultName)),
    },
  };
}

/** Describes a method that is called by URI. */
function uriOperation(
  method: RpcMethodName,
  dialect: NodeDialect,
  examples: Examples,
  tokenPath: string | undefined,
): JsonObject {
  const { tag, summary, description } = nodeMethods[method];
  const { params, cache }: RpcMethod = rpcMethods[method];
  const example = examples[`${dialect.base}/${method}`];
  const isCacheable = cache !== 'never' || dialect.cacheable.includes(method);
  const isOfHeight = dialect.namesHeight && !isSending(method);
  const headers = { ...(isOfHeight && ofHeight), ...(isCacheable && cacheForDay) };
  const parameters = params.map((param) =>
    parameter('query', param.name, uriSchema(param), {
      required: neededArguments.has(param.name),
      description: nodeArguments[param.name] ?? param.name,
      given: example?.parameters[param.name],
    }),
  );
  return {
    operationId: `${dialect.prefix}${method}`,
    tags: [tag],
    summary,
    description: `${description} ${dialect.note}`.trim(),
    security: needs(isSending(method) ? 'broadcast' : 'read', tokenPath),
    parameters: isOfHeight ? [...parameters, ...heightParameters] : parameters,
    responses: {
      200: jsonResponse('The result.', ref(schemasOf(method, dialect).answer), { example: example?.body, headers }),
      ...failures(dialect.statuses, ref(dialect.failure)),
    },
  };
}

/** Describes JSON-RPC over POST, single calls and batches. */
function postOperation(dialect: NodeDialect, examples: Examples): JsonObject {
  const path = dialect.base === '' ? '/' : dialect.base;
  return {
    operationId: `${dialect.prefix}call`,
    tags: ['Node'],
    summary: 'JSON-RPC call of any method',
    description:
      `Calls a method, or several in a batch of at most 10 calls. Every method that has a path here can be called, with the same arguments. ${dialect.postNote} ${dialect.note}`.trim(),
    ...(dialect.namesHeight && { parameters: [...heightParameters] }),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { oneOf: [ref('Call'), { type: 'array', maxItems: 10, items: ref('Call') }] },
          example: { jsonrpc: '2.0', id: 1, method: 'block', params: {} },
        },
      },
    },
    responses: {
      200: jsonResponse(
        'One response for each call that has an id, including failed calls.',
        { oneOf: [ref(dialect.callAnswer), { type: 'array', items: ref(dialect.callAnswer) }] },
        { example: examples[path]?.body, headers: { ...(dialect.namesHeight && ofHeight), ...cacheForDay } },
      ),
      ...failures([...dialect.statuses, 413], ref(dialect.failure)),
    },
  };
}

const call: Schema = {
  type: 'object',
  required: ['method'],
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'] },
    // No type: TypeScript clients of openapi-generator drop the non-object values of a `oneOf`.
    id: { description: 'A number or a string.' },
    method: { type: 'string', enum: Object.keys(rpcMethods) },
    params: {
      description:
        'The arguments: an object by name, or an array of all arguments in order. Integers are decimal strings. Bytes are base64, except `data` and the hash of a header, which are hexadecimal.',
    },
  },
};

const about = `The RPC of a CometBFT 0.38 node, in two dialects:

- At the root paths, the documented dialect: \`error\` is text, which is empty on success, and bytes of the application are hexadecimal.
- Under \`/comet\`, the node's own dialect. Clients of CometBFT work with it unchanged.

Methods can be called by URI, by JSON-RPC over POST, and over WebSocket. In a URI, put arguments that are text or bytes in double quotes, or write \`0x\` and
their bytes in hexadecimal.`;

/** Creates the description of the node RPC in both dialects. */
export function describeNode({
  examples,
  tokenPath,
}: {
  readonly examples: Examples;
  readonly tokenPath: string | undefined;
}): JsonObject {
  const methods = Object.keys(rpcMethods).filter(isRpcMethod);
  const paths: Record<string, JsonObject> = {};
  const schemas: Record<string, Schema> = { ...nodeParts, Call: call };
  for (const dialect of nodeDialects) {
    for (const method of methods) {
      paths[`${dialect.base}/${method}`] = { get: uriOperation(method, dialect, examples, tokenPath) };
      Object.assign(schemas, schemasOf(method, dialect).schemas);
    }
    paths[dialect.base === '' ? '/' : dialect.base] = { post: postOperation(dialect, examples) };
    Object.assign(paths, socketPaths(dialect));
    Object.assign(schemas, dialect.schemas);
  }
  return createDocument({
    title: 'Stele: node RPC',
    description: about,
    tags: Object.entries(nodeTags),
    paths,
    schemas,
    tokenPath,
  });
}
