import type { Param } from '../../../chain/rpc/args.ts';
import { isRpcMethod, type RpcMethod, type RpcMethodName, rpcMethods } from '../../../chain/rpc/methods.ts';
import type { JsonObject } from '../../../chain/wire/json.ts';
import { createDocument, type Examples, heightParameters, needs, parameter } from '../parts/document.ts';
import { failures, heightHeader, jsonResponse } from '../parts/responses.ts';
import { described, ref, type Schema, type Schemas } from '../parts/schemaParts.ts';
import { type NodeDialect, nodeDialects } from './dialects.ts';
import { neededArguments, nodeArguments, nodeMethods, nodeTags } from './methods.ts';
import { nodeParts, nodeResults } from './schemas.ts';
import { socketPaths } from './socketDescription.ts';

const quoted: Schema = { type: 'string', pattern: '^(".*"|0x([0-9A-Fa-f]{2})*)$' };

/** How an argument stands in a URI: text within quotes, bytes so too or as `0x` and hexadecimal. */
function uriSchema({ type }: Param): Schema {
  switch (type) {
    case 'int64':
    case 'int':
    case 'uint':
      return { type: 'integer', format: 'int64' };
    case 'bool':
      return { type: 'boolean' };
    case 'string':
      return described(quoted, 'Within quotes, or `0x` and hexadecimal.');
    case 'bytes':
    case 'hex':
      return described(quoted, '`0x` and hexadecimal; what is within quotes is the bytes of the text.');
    case 'evidence':
      return { type: 'string' };
  }
}

function isSending(method: RpcMethodName): boolean {
  return method.startsWith('broadcast_');
}

const ofHeight = heightHeader('x-cosmos-block-height');

const dayLong: JsonObject = {
  'Cache-Control': {
    description: '`private, max-age=86400` where the answer may be kept: its arguments name what cannot change.',
    schema: { type: 'string' },
  },
};

/** `block_by_hash` as `BlockByHash`. */
function inPascalCase(method: string): string {
  return method.replace(/(^|_)(\w)/g, (_, _separator, letter: string) => letter.toUpperCase());
}

/** The schemas of a method in a dialect, with their names in `components`: inline ones get names of the generators' own. */
interface MethodSchemas {
  readonly answer: string;
  readonly schemas: Schemas;
}

/** The schemas of the result of a method and of the answer around it. Dialects share the name of a result that is the same in all of them. */
function schemasOf(method: RpcMethodName, dialect: NodeDialect): MethodSchemas {
  const name = inPascalCase(method);
  const isShared = nodeDialects.every(({ results }) => results[method] === undefined);
  const result = dialect.results[method] ?? nodeResults[method];
  const resultName = `${isShared ? '' : dialect.schemaPrefix}${name}Result`;
  const answer = `${dialect.schemaPrefix}${name}Answer`;
  // A result that is a reference has a name already.
  const isNamed = '$ref' in result;
  return {
    answer,
    schemas: {
      ...(!isNamed && { [resultName]: result }),
      [answer]: dialect.answer(isNamed ? result : ref(resultName)),
    },
  };
}

/** A method as it is called by URI. */
function uriOperation(
  method: RpcMethodName,
  dialect: NodeDialect,
  examples: Examples,
  tokenPath: string | undefined,
): JsonObject {
  const { tag, summary, description } = nodeMethods[method];
  const { params, cache }: RpcMethod = rpcMethods[method];
  const example = examples[`${dialect.base}/${method}`];
  const mayBeKept = cache !== 'never' || dialect.keeps.includes(method);
  const isOfHeight = dialect.namesHeight && !isSending(method);
  const headers = { ...(isOfHeight && ofHeight), ...(mayBeKept && dayLong) };
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
    description: `${description} ${dialect.note}`,
    security: needs(isSending(method) ? 'broadcast' : 'read', tokenPath),
    parameters: isOfHeight ? [...parameters, ...heightParameters] : parameters,
    responses: {
      200: jsonResponse('The result.', ref(schemasOf(method, dialect).answer), { example: example?.body, headers }),
      ...failures(dialect.statuses, ref(dialect.failure)),
    },
  };
}

/** The calls of JSON-RPC by POST, alone or several at once. */
function postOperation(dialect: NodeDialect, examples: Examples): JsonObject {
  const path = dialect.base === '' ? '/' : dialect.base;
  return {
    operationId: `${dialect.prefix}call`,
    tags: ['Node'],
    summary: 'Any method, as JSON-RPC',
    description: `The methods are those of the paths beside this one, with the same arguments. A batch has 10 calls at most. ${dialect.postNote} ${dialect.note}`,
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
        'The answer of each call, of one that failed too. There is none to calls without an id.',
        { oneOf: [ref(dialect.callAnswer), { type: 'array', items: ref(dialect.callAnswer) }] },
        { example: examples[path]?.body, headers: { ...(dialect.namesHeight && ofHeight), ...dayLong } },
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
    // Without types: clients that openapi-generator makes for TypeScript drop values of `oneOf` that are no objects.
    id: { description: 'A number or text.' },
    method: { type: 'string', enum: Object.keys(rpcMethods) },
    params: {
      description:
        'The arguments: an object with their names, or an array with all of them in their order. Integers are decimal text, bytes base64, `data` and the hash of a header hexadecimal.',
    },
  },
};

const about = `The RPC of the node (CometBFT 0.38.x), in two dialects. At the root paths \`error\` is text, empty on success, and bytes of the application are in
hexadecimal; under \`/comet\` it is the node's own, so that its clients work unchanged. Methods are called by URI, by JSON-RPC over POST, and over the WebSocket.

Arguments in a URI that are text or bytes are within quotes, or \`0x\` and hexadecimal digits.`;

/** The description of the node RPC, both dialects. */
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
