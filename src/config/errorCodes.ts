/** One error code: when it occurs, and what the client does about it. */
interface ErrorCodeEntry {
  /** When the error occurs, in one or two sentences. It is the description of the value in the schema. */
  readonly when: string;
  readonly action: string;
  /** Names of further fields of `extensions`, if any. A field is absent if it does not apply. */
  readonly facts?: readonly string[];
  /** The HTTP status of a response whose whole request failed with this code; null for an error that only ends streams. */
  readonly status: number | null;
}

const again = 'Send the request again later, with a growing delay.';
const resume = 'Subscribe again with `after` as given. No event is lost or repeated.';

const entries = {
  UNAUTHENTICATED: {
    when: 'The request has no token, or its token is not valid.',
    action: 'Get a new token and send the request again.',
    status: 401,
  },
  FORBIDDEN: {
    when: 'The token does not have the scope that the operation needs.',
    action: 'Get a token with the scope in `scope`.',
    facts: ['scope'],
    status: 403,
  },
  BAD_USER_INPUT: {
    when: 'An argument, a variable or a parameter of the request is not valid.',
    action: 'Correct the value that `argument` names. `bound` says what is valid.',
    facts: ['argument', 'value', 'bound', 'limit', 'max'],
    status: 400,
  },
  BAD_CURSOR: {
    when: 'The cursor is malformed, or belongs to another list.',
    action: 'Pass the cursor unchanged to the list that returned it, or start from the first page.',
    status: 400,
  },
  GRAPHQL_PARSE_FAILED: {
    when: 'The document is not valid GraphQL syntax.',
    action: 'Correct the document at `locations`.',
    status: 400,
  },
  GRAPHQL_VALIDATION_FAILED: {
    when: 'The document is not valid against the schema.',
    action: 'Correct the document at `locations`. The playground and `/schema.graphql` show the schema.',
    status: 400,
  },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    when: 'The request names a persisted query in a form other than version 1 with a SHA-256, and has no document.',
    action: 'Send the document. Apollo Client and urql do so by themselves.',
    status: 400,
  },
  NOT_FOUND: {
    when: 'The object that a path under `/v1` names does not exist. In GraphQL, such an object is null.',
    action: 'Correct the path. The object may also not exist yet, or not any more.',
    facts: ['argument', 'bound'],
    status: 404,
  },
  MODULE_ABSENT: {
    when: 'The chain does not have the module that the field or path reads. In an object, a field that such a module adds is null instead, without an error.',
    action: 'Do not ask for it on this chain. `modules` lists what the chain serves.',
    facts: ['module'],
    status: 400,
  },
  PERSISTED_QUERY_NOT_FOUND: {
    when: 'The request names a document by an id or a hash that the server does not have.',
    action:
      'Send the document with its hash. Apollo Client and urql do so by themselves. An id must be in `--trusted-documents`.',
    status: 400,
  },
  DOCUMENT_NOT_TRUSTED: {
    when: 'The server executes trusted documents only (`--only-trusted-documents`), and this is none of them.',
    action: 'Send the id of a trusted document, or a token with the scope `introspect`.',
    status: 403,
  },
  OPERATION_TOO_COMPLEX: {
    when: 'The operation exceeds a limit on its size, its shape, its cost or the length of a list that it reads whole.',
    action: 'Ask for less: fewer fields, smaller pages, fewer nested lists. `limit` names the limit, `max` is its value.',
    facts: ['limit', 'value', 'max'],
    status: 400,
  },
  RATE_LIMITED: {
    when: 'The caller has used up a limit of requests, points or concurrent work.',
    action: 'Wait for `retryAfter` seconds. Without `retryAfter`, wait until one of your own requests or streams has ended.',
    facts: ['limit', 'retryAfter'],
    status: 429,
  },
  HEIGHT_PRUNED: {
    when: 'No node has the block or the state at this height any more.',
    action: 'Use `earliestHeight` or a later height, or configure a node that keeps more history.',
    facts: ['height', 'earliestHeight', 'earliestTime'],
    status: 400,
  },
  HEIGHT_NOT_YET_AVAILABLE: {
    when: 'The height is above the newest block, or above the height that the operation is read at.',
    action: 'Wait for the block, or use `latestHeight`.',
    facts: ['height', 'latestHeight', 'latestTime'],
    status: 400,
  },
  HISTORY_DEPENDS_ON_HEIGHT: {
    when: 'A history was asked for, and a field depends on the block itself: on its time, its height, or state that changes in every block. So the blocks that change it cannot be found.',
    action: 'Remove the field that `field` names, or ask for a result at each n-th block with `every: n`.',
    facts: ['field', 'height'],
    status: 400,
  },
  HISTORY_LIMIT: {
    when: 'The stream of a history has reached `limit`. Every result up to the height `next` was delivered.',
    action: 'Continue with `next` as `from`. No change is lost.',
    facts: ['limit', 'max', 'next'],
    status: null,
  },
  NODE_UNREACHABLE: {
    when: 'No node can be reached, or of the nodes that must agree (`quorum`) only `available` have an answer. `sent` is true if a node may have received the request.',
    action: again,
    facts: ['sent', 'retryAfter', 'quorum', 'available'],
    status: 503,
  },
  NODE_TIMEOUT: {
    when: 'No node answered within `milliseconds`, or the operation took longer than its deadline.',
    action: again,
    facts: ['milliseconds'],
    status: 504,
  },
  NODE_INVALID_RESPONSE: {
    when: 'The response of a node is malformed, too large or fails verification.',
    action: `${again} If it persists, report it to the operator.`,
    facts: ['status'],
    status: 502,
  },
  NODE_INCONSISTENT: {
    when: 'Two nodes hold different blocks at the same height, and Stele uses neither from that height on. Or nodes that must agree gave different answers, and none has a majority.',
    action: `${again} If it persists, report it to the operator: one of the nodes is on a fork, or returns wrong answers.`,
    facts: ['height'],
    status: 502,
  },
  CHAIN_RESET: {
    when: 'The chain was reset under the same id, and its heights begin again.',
    action: 'Discard cached data. Subscribe again without `after`.',
    facts: ['latestHeight'],
    status: 503,
  },
  CHAIN_CONFLICT: {
    when: 'The validators of the chain signed two different blocks, which is an attack on the chain. Stele accepts no block after it.',
    action: 'Do not act on data of this chain. Report it to the operator, who has both blocks as evidence.',
    facts: ['height'],
    status: 503,
  },
  PROOF_UNAVAILABLE: {
    when: 'The request asks for a proof, and the answer has none. `reason` is `OFF` (the server verifies no headers), `OPERATION` (only queries have proofs), `PRUNED` (no node has the state any more), `NO_PROOFS` (the nodes prove nothing at this height), `INVALID` (the proof of a node does not verify) or `TOO_LARGE` (`limit` names the limit). With the last four, the data is beside the error.',
    action: 'Ask without a proof, at a later height, or for less. Treat data beside this error as not proven.',
    facts: ['reason', 'limit', 'max'],
    status: 400,
  },
  INDEX_UNAVAILABLE: {
    when: 'The search needs the transaction index of a node, and no node has one. The blocks in memory do not reach back far enough. Or a statement of more than 1,000 blocks needs an index.',
    action: 'Configure a node with `tx_index` on, or an archive of mode `full`. Ask for the statement of fewer blocks.',
    status: 400,
  },
  ARCHIVE_UNAVAILABLE: {
    when: 'The database of the archive cannot be read at the moment. Everything that is not a record is still served.',
    action: 'Retry later.',
    status: 503,
  },
  WEBHOOKS_UNAVAILABLE: {
    when: 'The server delivers no webhooks. It has no archive (`--archive off`), or its archive is a PostgreSQL database and it has no `--shared-secret`, which encrypts the keys of webhooks.',
    action: 'Ask the operator for an archive and a shared secret.',
    status: 501,
  },
  RPC_ERROR: {
    when: "A node's RPC rejected the call. The message is the node's own.",
    action: 'Correct the request. The message says what the node rejected.',
    facts: ['rpcCode', 'data'],
    status: 400,
  },
  ABCI_QUERY_FAILED: {
    when: 'The application rejected a read. `log` is its own text.',
    action: 'Correct the request. `codespace` and `abciCode` identify the error of the chain.',
    facts: ['abciCode', 'codespace', 'log'],
    status: 400,
  },
  SIMULATION_DISABLED: {
    when: 'No node may simulate this transaction for this token, because a simulation has no gas limit and can stop a node. `reason` says why, `type` names the message type.',
    action:
      'Use a token with the scope `broadcast` or `simulate`, and a transaction that executes no contract. For everything else, the operator sets `--simulation-node`.',
    facts: ['reason', 'type', 'max'],
    status: 403,
  },
  MEMPOOL_REJECTED: {
    when: 'The mempool of the node rejected the transaction before it ran CheckTx. `reason` is `FULL`, `RECHECKING`, `TOO_LARGE` or `PRE_CHECK`.',
    action: 'For `FULL` and `RECHECKING`, send the same bytes again later. For the others, correct the transaction.',
    facts: ['hash', 'reason'],
    status: 400,
  },
  COMMIT_TIMEOUT: {
    when: 'No block included the transaction in time. A later block may still include it.',
    action: 'Look the transaction up by `hash`, or subscribe to `transactionResult`. Sending the same bytes again is safe.',
    facts: ['hash', 'checkTx'],
    status: 400,
  },
  SLOW_CONSUMER: {
    when: 'The subscriber read more slowly than events arrived, and its queue is full.',
    action: `${resume} Read faster, or select fewer fields.`,
    facts: ['lastHeight', 'after'],
    status: null,
  },
  SCHEMA_CHANGED: {
    when: 'The chain was upgraded, and the document of the stream is not valid for its new schema. `differences` has the reasons.',
    action: `Change the document. ${resume}`,
    facts: ['differences', 'lastHeight', 'after'],
    status: null,
  },
  SUBSCRIPTION_JWT_EXPIRED: {
    when: 'The token of the subscription expired.',
    action: `Get a new token. ${resume}`,
    facts: ['lastHeight', 'after'],
    status: null,
  },
  SERVER_SHUTDOWN: {
    when: 'The server is stopping.',
    action: `Connect again. ${resume}`,
    facts: ['lastHeight', 'after'],
    status: 503,
  },
  INTERNAL_SERVER_ERROR: {
    when: 'The server failed in a way that it did not expect. The log has the cause under `requestId`.',
    action: 'Send the request again. If it persists, report `requestId` to the operator.',
    facts: ['requestId'],
    status: 500,
  },
} satisfies Readonly<Record<string, ErrorCodeEntry>>;

/** Every error code. `ErrorCode` in the schema, HTTP statuses and docs/errors.md read this table. Codes are never reused. */
export const errorTable: Readonly<Record<keyof typeof entries, ErrorCodeEntry>> = entries;

/** Values of `extensions.code`, by name: the type of fields that hold one. */
// The type of Object.fromEntries does not keep the names.
export const ErrorCode = Object.fromEntries(Object.keys(entries).map((code) => [code, code])) as {
  readonly [C in keyof typeof entries]: C;
};

export function isErrorCode(code: unknown): code is keyof typeof ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ErrorCode, code);
}
