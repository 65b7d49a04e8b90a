import type { RpcMethodName } from '../../../chain/rpc/methods.ts';
import { bigInteger, described, hex, object, ref, type Schema, type Schemas, text } from '../parts/schemaParts.ts';
import { broadcastCommitMembers } from './schemas.ts';

/** The parts of a description that differ between the dialects of the node RPC. */
export interface NodeDialect {
  /** Prefix of its paths. */
  readonly base: '' | '/comet';
  /** Prefix of its operation ids. */
  readonly prefix: '' | 'comet_';
  /** Prefix of the schemas that differ between the dialects. */
  readonly schemaPrefix: '' | 'Comet';
  readonly note: string;
  readonly postNote: string;
  /** Whether the header `x-cosmos-block-height` applies. */
  readonly namesHeight: boolean;
  /** Results that differ from the node's. */
  readonly results: Readonly<Partial<Record<RpcMethodName, Schema>>>;
  /** Methods whose responses are cacheable although the node does not mark them so. */
  readonly cacheable: readonly RpcMethodName[];
  /** Status codes of failed calls. */
  readonly statuses: readonly number[];
  /** Wraps a result in a response. */
  readonly answer: (result: Schema) => Schema;
  /** Names of the schemas of an error response, and of a JSON-RPC response. */
  readonly failure: string;
  readonly callAnswer: string;
  readonly schemas: Schemas;
}

const jsonrpc: Schema = { type: 'string', enum: ['2.0'] };
/** No type: TypeScript clients of openapi-generator drop a number or a string in a `oneOf`. */
const id: Schema = { description: 'The id of the request, a number or a string. -1 if the call came by URI.' };
const anyResult: Schema = {
  type: 'object',
  additionalProperties: true,
  description: 'The result, as described at the path of the method.',
};

/** Results with the names and encodings of the documented dialect. */
const documentedResults: Readonly<Partial<Record<RpcMethodName, Schema>>> = {
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
  broadcast_tx_commit: object({
    ...broadcastCommitMembers,
    deliver_tx: ref('TxResult'),
  }),
};

const documented: NodeDialect = {
  base: '',
  prefix: '',
  schemaPrefix: '',
  note: '',
  postNote: 'On success, `error` is empty.',
  namesHeight: true,
  results: documentedResults,
  cacheable: ['check_tx'],
  statuses: [400, 401, 403, 429, 500, 503, 504],
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
  statuses: [400, 401, 403, 429, 500, 503, 504],
  answer: (result) => object({ jsonrpc, id, result }),
  failure: 'NodeFailure',
  callAnswer: 'NodeAnswer',
  schemas: {
    NodeFailure: object({ jsonrpc, error: failed }, { id }),
    NodeAnswer: object({ jsonrpc }, { id, result: anyResult, error: failed }),
  },
};

/** The documented dialect at the root paths, and the node's dialect under `/comet`. */
export const nodeDialects: readonly NodeDialect[] = [documented, comet];
