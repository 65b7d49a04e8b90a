import type { RpcMethodName } from '../../../chain/rpc/methods.ts';
import { bigInteger, described, hex, object, ref, type Schema, type Schemas, text } from '../parts/schemaParts.ts';
import { broadcastCommitMembers } from './schemas.ts';

/** One way of speaking the node RPC, as far as a description tells it apart. */
export interface NodeDialect {
  /** What its paths begin with. */
  readonly base: '' | '/comet';
  /** What the ids of its operations begin with. */
  readonly prefix: '' | 'comet_';
  /** Prefix of its schemas where the dialects differ. */
  readonly schemaPrefix: '' | 'Comet';
  readonly note: string;
  readonly postNote: string;
  /** Whether it knows the header that names a height. */
  readonly namesHeight: boolean;
  /** Results that are not as the node has them. */
  readonly results: Readonly<Partial<Record<RpcMethodName, Schema>>>;
  /** Methods whose answers may be kept although the node does not say so. */
  readonly keeps: readonly RpcMethodName[];
  /** Statuses of calls that failed. */
  readonly statuses: readonly number[];
  /** The answer with a result. */
  readonly answer: (result: Schema) => Schema;
  /** Names of the schemas of a failure, and of what answers a call. */
  readonly failure: string;
  readonly callAnswer: string;
  readonly schemas: Schemas;
}

const jsonrpc: Schema = { type: 'string', enum: ['2.0'] };
/** Without a type: clients that openapi-generator makes for TypeScript drop a value of `oneOf` that is a number or text. */
const id: Schema = { description: 'The id of the request, a number or text; -1 by URI.' };
const anyResult: Schema = {
  type: 'object',
  additionalProperties: true,
  description: 'The result, as at the path of the method.',
};

/** Results of the application with the seed's names and encodings. */
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
      proof: described(hex, 'The proof, a `ProofOps` of protobuf. Empty where none was asked for.'),
      value: hex,
      key: hex,
      index: bigInteger,
      code: described(bigInteger, 'The code of the application: 0 is success.'),
      info: text,
      codespace: described(text, 'What the code is one of.'),
    }),
  }),
  broadcast_tx_commit: object({
    ...broadcastCommitMembers,
    deliver_tx: ref('TxResult'),
  }),
};

const seed: NodeDialect = {
  base: '',
  prefix: '',
  schemaPrefix: '',
  note: '',
  postNote: '`error` of an answer is empty on success.',
  namesHeight: true,
  results: documentedResults,
  keeps: ['check_tx'],
  statuses: [400, 401, 403, 429, 500, 503, 504],
  answer: (result) => object({ jsonrpc, id, result, error: described(text, 'Empty on success.') }),
  failure: 'Failure',
  callAnswer: 'Answer',
  schemas: {
    Failure: object({ jsonrpc, error: described(text, 'What failed.') }, { id }),
    Answer: object({ jsonrpc, error: described(text, 'Empty on success.') }, { id, result: anyResult }),
  },
};

const failed = object({ code: { type: 'integer' }, message: text }, { data: text });

const comet: NodeDialect = {
  base: '/comet',
  prefix: 'comet_',
  schemaPrefix: 'Comet',
  note: 'In the dialect of the node.',
  postNote: 'Arguments are by name, or all of them in their order.',
  namesHeight: false,
  results: {},
  keeps: [],
  statuses: [400, 401, 403, 429, 500, 503, 504],
  answer: (result) => object({ jsonrpc, id, result }),
  failure: 'NodeFailure',
  callAnswer: 'NodeAnswer',
  schemas: {
    NodeFailure: object({ jsonrpc, error: failed }, { id }),
    NodeAnswer: object({ jsonrpc }, { id, result: anyResult, error: failed }),
  },
};

/** The documented dialect at the root paths, and the node's own. */
export const nodeDialects: readonly NodeDialect[] = [seed, comet];
