import { isRpcMethod, type Param, type RpcMethod, type RpcMethodName, rpcMethods } from '../../chain/rpc/methods.ts';
import type { JsonObject } from '../../chain/wire/json.ts';
import {
  bigInteger,
  createDocument,
  described,
  type Examples,
  failures,
  heightHeader,
  heightParameters,
  hex,
  jsonResponse,
  needs,
  object,
  parameter,
  ref,
  type Schema,
  type Schemas,
  text,
} from './document.ts';
import { broadcastCommitMembers, nodeParts, nodeResults } from './nodeRpcSchemas.ts';

interface NodeDialect {
  readonly base: '' | '/comet';
  readonly prefix: '' | 'comet_';
  readonly schemaPrefix: '' | 'Comet';
  readonly note: string;
  readonly postNote: string;
  readonly namesHeight: boolean;
  readonly results: Readonly<Partial<Record<RpcMethodName, Schema>>>;
  /** Methods whose responses are cacheable although the node does not mark them so. */
  readonly cacheable: readonly RpcMethodName[];
  readonly answer: (result: Schema) => Schema;
  readonly failure: string;
  readonly callAnswer: string;
  readonly schemas: Schemas;
}

const statuses: readonly number[] = [400, 401, 403, 429, 500, 503, 504];

const jsonrpc: Schema = { type: 'string', enum: ['2.0'] };
/** No type: TypeScript clients of openapi-generator drop a number or a string in a `oneOf`. */
const id: Schema = { description: 'The id of the request, a number or a string. -1 if the call came by URI.' };
const anyResult: Schema = {
  type: 'object',
  additionalProperties: true,
  description: 'The result, as described at the path of the method.',
};

const documented: NodeDialect = {
  base: '',
  prefix: '',
  schemaPrefix: '',
  note: '',
  postNote: 'On success, `error` is empty.',
  namesHeight: true,
  results: {
    abci_info: object({
      response: object({
        data: text,
        version: text,
        app_version: text,
        last_block_height: bigInteger,
        last_block_app_hash: hex,
      }),
    }),
    abci_query: object({
      response: object({
        log: text,
        height: bigInteger,
        proof: described(hex, 'The proof: a protobuf `ProofOps` message. Empty if no proof was requested.'),
        value: hex,
        key: hex,
        index: bigInteger,
        code: described(bigInteger, 'Code of the application: 0 is success.'),
        info: text,
        codespace: described(text, 'The namespace of the code.'),
      }),
    }),
    broadcast_tx_commit: object({ ...broadcastCommitMembers, deliver_tx: ref('TxResult') }),
  },
  cacheable: ['check_tx'],
  answer: (result) => object({ jsonrpc, id, result, error: described(text, 'Empty on success.') }),
  failure: 'Failure',
  callAnswer: 'Answer',
  schemas: {
    Failure: object({ jsonrpc, error: described(text, 'The error message.') }, { id }),
    Answer: object({ jsonrpc, error: described(text, 'Empty on success.') }, { id, result: anyResult }),
  },
};

const failed = object({ code: { type: 'integer' }, message: text }, { data: text });

const comet: NodeDialect = {
  base: '/comet',
  prefix: 'comet_',
  schemaPrefix: 'Comet',
  note: "Uses the node's dialect.",
  postNote: 'Pass arguments by name, or all of them in order.',
  namesHeight: false,
  results: {},
  cacheable: [],
  answer: (result) => object({ jsonrpc, id, result }),
  failure: 'NodeFailure',
  callAnswer: 'NodeAnswer',
  schemas: {
    NodeFailure: object({ jsonrpc, error: failed }, { id }),
    NodeAnswer: object({ jsonrpc }, { id, result: anyResult, error: failed }),
  },
};

const timeInUrl = parameter(
  'query',
  'time',
  { type: 'string', format: 'date-time' },
  { description: 'The time to read at, in place of `height`: at the last block that is not after it. RFC 3339 in UTC.' },
);

const nodeDialects: readonly NodeDialect[] = [documented, comet];

const protocol = `A WebSocket for JSON-RPC. Each message is one request. Every method can be called, and three more that handle subscriptions:

\`{"jsonrpc":"2.0","method":"subscribe","id":1,"params":{"query":"tm.event='NewBlock'"}}\`

subscribes to events. Each event arrives as a response with the id of this request: \`result.query\`, \`result.data\` and \`result.events\`. \`unsubscribe\` with the
same query ends the subscription, and \`unsubscribe_all\` ends all subscriptions. A query consists of conditions joined by \`AND\`: \`tm.event='Tx' AND tx.hash='…'\`
selects the result of one transaction.

Send the token in the \`Authorization\` header of the upgrade request, as \`Bearer <token>\` or as Basic credentials \`token:<token>\`. Clients send the latter for
\`wss://token:<token>@host/websocket\`.`;

function socketOperation({ prefix, note, failure }: NodeDialect): JsonObject {
  return {
    operationId: `${prefix}websocket`,
    tags: ['Events'],
    summary: 'Events and method calls over WebSocket',
    description: `${protocol} ${note}`.trim(),
    responses: {
      101: { description: 'The connection is upgraded to a WebSocket.' },
      ...failures([400, 401, 403, 426, 429], ref(failure)),
    },
  };
}

const nodeTags = {
  Transactions: 'Send and check transactions.',
  Application: 'Query the application of the chain (ABCI).',
  Blocks: 'Read blocks, their results and their commits.',
  Search: 'Search the transactions and blocks that the node has indexed.',
  Validators: 'Read validators, consensus parameters and the state of consensus.',
  Node: 'Read the state of the node and of its network.',
  Events: 'Subscribe to events over WebSocket.',
} as const;

const latest = 'Without a height, the newest block is used.';

const nodeMethods: Readonly<
  Record<RpcMethodName, readonly [tag: keyof typeof nodeTags, summary: string, description: string]>
> = {
  broadcast_tx_sync: [
    'Transactions',
    'Broadcast, wait for check',
    'Sends a transaction and returns the response of CheckTx, without waiting for a block. To learn whether a block includes the transaction, subscribe to its result over the WebSocket. If no block includes it within a few blocks, send the same bytes again.',
  ],
  broadcast_tx_async: [
    'Transactions',
    'Broadcast, no wait',
    'Sends a transaction and returns immediately, without waiting for CheckTx or for a block.',
  ],
  broadcast_tx_commit: [
    'Transactions',
    'Broadcast, wait for commit',
    'Sends a transaction, waits until a block includes it, and returns the responses of CheckTx (without gas and events) and of its execution. For testing and development only. If CheckTx or the execution fails, the result has a nonzero code. The call returns an error only if the mempool itself fails or the wait times out.',
  ],
  check_tx: ['Transactions', 'Check only', 'Checks a transaction without executing it and without adding it to the mempool.'],
  broadcast_evidence: [
    'Transactions',
    'Broadcast evidence of misbehavior',
    'Sends evidence of misbehavior of a validator to the node.',
  ],
  abci_info: ['Application', 'Application info', 'Returns the version and the last block of the application.'],
  abci_query: [
    'Application',
    'Application query',
    'Queries the application at a path: a method of a query service (`/cosmos.group.v1.Query/Proposal`), or a key of a store (`/store/group/key`). A nonzero code is a result, not an error.',
  ],
  block: ['Blocks', 'A block', `Returns the block at a height. ${latest}`],
  block_by_hash: ['Blocks', 'A block by its hash', 'Returns the block with a hash.'],
  block_results: [
    'Blocks',
    'The results of a block',
    `Returns the results of executing a block: the results of its transactions, its events, and its changes to validators and parameters. ${latest}`,
  ],
  blockchain: [
    'Blocks',
    'Headers of a range of blocks',
    'Returns at most 20 headers of the blocks from `minHeight` to `maxHeight`, newest first.',
  ],
  commit: ['Blocks', 'The commit of a block', `Returns the header of a block and the validators' signatures of it. ${latest}`],
  header: ['Blocks', 'The header of a block', `Returns the header of the block at a height. ${latest}`],
  header_by_hash: ['Blocks', 'A header by its hash', 'Returns the header of the block with a hash.'],
  tx: ['Search', 'A transaction by its hash', 'Returns a transaction and its result from the block that includes it.'],
  tx_search: [
    'Search',
    'Transactions by their events',
    "Returns the transactions whose events match a query such as `message.action='/cosmos.group.v1.MsgVote'`.",
  ],
  block_search: [
    'Search',
    'Blocks by their events',
    'Returns the blocks whose events match a query such as `block.height=102`.',
  ],
  validators: [
    'Validators',
    'The validators at a height',
    'Returns the validators at a height, those with the most voting power first. Without a height, returns the validators of the block after the newest.',
  ],
  consensus_params: [
    'Validators',
    'The parameters of consensus',
    'Returns the parameters at a height. Without a height, returns those of the block after the newest.',
  ],
  consensus_state: [
    'Validators',
    'The state of consensus',
    'Returns the state of the current round. Its format depends on the version of the node.',
  ],
  dump_consensus_state: [
    'Validators',
    'The state of consensus, in full',
    'Returns the state of the current round and the states that peers report. Its format depends on the version of the node.',
  ],
  health: ['Node', 'Whether the node responds', 'Returns an empty object if a node responds.'],
  status: ['Node', 'The state of the node', 'Returns information about the node, its newest block and its validator.'],
  net_info: ['Node', 'The peers of the node', 'Returns the peers that the node is connected to.'],
  genesis: [
    'Node',
    'The genesis document',
    'Returns the genesis document. If it is larger than 16 MiB, the call fails: use `genesis_chunked`.',
  ],
  genesis_chunked: [
    'Node',
    'A chunk of the genesis document',
    'Returns one chunk of the genesis document, of at most 16 MiB. Chunks are numbered from 0.',
  ],
  unconfirmed_txs: ['Node', 'Unconfirmed transactions', 'Returns transactions in the mempool: 30 by default, at most 100.'],
  num_unconfirmed_txs: [
    'Node',
    'Number of unconfirmed transactions',
    'Returns the number and the size of the transactions in the mempool.',
  ],
};

const nodeArguments: Readonly<Record<string, string>> = {
  tx: 'The transaction.',
  hash: 'The hash.',
  path: 'Path of the query, separated by slashes.',
  data: 'The request: protobuf for a method of a query service, the key for a store.',
  height: 'The height. 0 or absent: the newest.',
  prove: 'Whether to return a proof.',
  query: 'Conditions in the event query language of CometBFT, joined by `AND`.',
  page: 'Number of the page, from 1.',
  per_page: 'Items on a page. Default 30, at most 100.',
  order_by: 'Order of the results: `asc` or `desc`.',
  limit: 'Largest number of transactions to return.',
  minHeight: 'The lowest height.',
  maxHeight: 'The highest height. 0 or absent: the newest.',
  chunk: 'Number of the chunk, from 0.',
  evidence: 'The evidence: JSON with `type` and `value`.',
};

const neededArguments: ReadonlySet<string> = new Set(['tx', 'hash', 'path', 'data', 'query', 'evidence']);

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

const ofHeight = heightHeader('x-cosmos-block-height');

const cacheForDay: JsonObject = {
  'Cache-Control': {
    description: '`private, max-age=86400` if clients may cache the response, because its arguments identify immutable data.',
    schema: { type: 'string' },
  },
};

/**
 * Returns the schemas of a method's result and of the response that contains it, by their names in `components`: generators invent names for inline
 * schemas. Dialects with the same result share its schema. `answer` is the name of the schema of the response.
 */
function schemasOf(method: RpcMethodName, dialect: NodeDialect): { readonly answer: string; readonly schemas: Schemas } {
  // `block_by_hash` becomes `BlockByHash`.
  const name = method.replace(/(^|_)(\w)/g, (_, _separator, letter: string) => letter.toUpperCase());
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

function uriOperation(
  method: RpcMethodName,
  dialect: NodeDialect,
  examples: Examples,
  tokenPath: string | undefined,
): JsonObject {
  const [tag, summary, description] = nodeMethods[method];
  const { params, cache }: RpcMethod = rpcMethods[method];
  const example = examples[`${dialect.base}/${method}`];
  const isCacheable = cache !== 'never' || dialect.cacheable.includes(method);
  const isSending = method.startsWith('broadcast_');
  const isOfHeight = dialect.namesHeight && !isSending;
  const headers = { ...(isOfHeight && ofHeight), ...(isCacheable && cacheForDay) };
  const ofArguments = params.map((param) =>
    parameter('query', param.name, uriSchema(param), {
      required: neededArguments.has(param.name),
      description: nodeArguments[param.name] ?? param.name,
      given: example?.parameters[param.name],
    }),
  );
  const ofTime = params.some(({ name }) => name === 'height') ? [timeInUrl] : [];
  return {
    operationId: `${dialect.prefix}${method}`,
    tags: [tag],
    summary,
    description: `${description} ${dialect.note}`.trim(),
    security: needs(isSending ? 'broadcast' : 'read', tokenPath),
    parameters: isOfHeight ? [...ofArguments, ...ofTime, ...heightParameters] : ofArguments,
    responses: {
      200: jsonResponse('The result.', ref(schemasOf(method, dialect).answer), { example: example?.body, headers }),
      ...failures(statuses, ref(dialect.failure)),
    },
  };
}

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
      ...failures([...statuses, 413], ref(dialect.failure)),
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

export function nodeDescription(examples: Examples, tokenPath: string | undefined): JsonObject {
  const methods = Object.keys(rpcMethods).filter(isRpcMethod);
  const paths: Record<string, JsonObject> = {};
  const schemas: Record<string, Schema> = { ...nodeParts, Call: call };
  for (const dialect of nodeDialects) {
    for (const method of methods) {
      paths[`${dialect.base}/${method}`] = { get: uriOperation(method, dialect, examples, tokenPath) };
      Object.assign(schemas, schemasOf(method, dialect).schemas);
    }
    paths[dialect.base === '' ? '/' : dialect.base] = { post: postOperation(dialect, examples) };
    paths[`${dialect.base}/websocket`] = { get: socketOperation(dialect) };
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
