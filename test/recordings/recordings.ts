import { readBytes, recording } from './recording.ts';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';

/** The `response` of an `abci_query`, as the node printed it. Bytes are base64. */
export interface AbciResponse {
  readonly code: number;
  readonly log: string;
  readonly info: string;
  readonly index: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly proofOps: JsonValue;
  readonly height: string;
  readonly codespace: string;
}

/** One row of queries.json. */
export interface QueryRow {
  readonly name: string;
  readonly path: string;
  /** The requested height. `0` is the newest height, see `response.height`. */
  readonly height: string;
  readonly prove: boolean;
  /** The request in protobuf JSON. */
  readonly requestJson: JsonObject;
  /** The request's bytes in hex. */
  readonly request: string;
  readonly response: AbciResponse;
  /** The content of the response, decoded with the chain's descriptors, in snake_case. Absent if `code` is not 0. */
  readonly decoded?: JsonObject;
  /** The node's REST response at this height. Absent if it was not requested. */
  readonly rest?: RestAnswer;
}

/** A REST response of the node. */
export interface RestAnswer {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** One exchange of rpc.json, pruned.json, limits.json or proofs.json. */
export interface RpcRow {
  readonly name: string;
  /** Method and path, as `POST /` or `GET /status`. */
  readonly via: string;
  /** The request body: parsed JSON, or a string with its text or with a description in parentheses. Absent for URI calls. */
  readonly request?: JsonValue;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The response body, parsed if it was JSON. */
  readonly response: JsonValue;
}

/** One frame of a socket. `ms` is the time since the socket was opened. */
export interface Frame {
  readonly ms: number;
  readonly from: 'client' | 'node';
  readonly frame?: string;
  readonly ping?: string;
  readonly close?: { readonly code: number; readonly reason: string };
}

/** One height of chain.json: the results of `block` and `block_results`. */
export interface ChainRow {
  readonly height: string;
  readonly block: JsonObject & { readonly block_id: { readonly hash: string }; readonly block: JsonObject };
  readonly block_results: JsonObject;
}

/**
 * A transaction of the scenario. `height` is absent if no block includes it. All fields except the name are absent if it was
 * not sent.
 */
export interface TransactionRow {
  readonly name: string;
  readonly hash?: string;
  readonly height?: string;
  readonly code?: number;
  readonly log?: string;
}

interface Named {
  readonly group: string;
  readonly policy: string;
}

/** The accounts and objects in the recordings. */
export interface World {
  readonly addr: Readonly<Record<'validator' | 'alice' | 'bob' | 'carol' | 'dave', string>>;
  readonly treasury: Named;
  readonly fast: Named;
  readonly council: Named;
  readonly aborting: Named;
  /** By the proposal's title: its id and the height at which it was submitted. */
  readonly proposals: Readonly<Record<string, { readonly id: string; readonly height: string }>>;
  readonly beforeExec: number;
  readonly fastVotingHeight: number;
  readonly boardHeight: number;
  readonly recordHeight: number;
}

/** A simulation: by `abci_query` (`method` and `params`) or by POST over REST (`rest` and `body`). A loop has no response. */
export interface SimulationRow {
  readonly name: string;
  readonly request: {
    readonly params?: { readonly path: string; readonly data: string; readonly height: string; readonly prove: boolean };
    readonly rest?: string;
    readonly body?: { readonly tx_bytes: string };
  };
  readonly response?: {
    readonly response?: JsonObject;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: JsonObject;
  };
}

/** A row of unordered.json: a call of the node's RPC, or of its REST. */
export interface UnorderedRow {
  readonly name: string;
  readonly request: {
    readonly method?: string;
    readonly params?: JsonObject;
    /** Method and path of a REST request. */
    readonly rest?: string;
    readonly body?: JsonObject;
  };
  /** The result of the call, or the whole response if it is an error. For REST, status and body. */
  readonly response: JsonObject;
}

interface Files {
  readonly chain: readonly ChainRow[];
  readonly 'governance-chain': readonly ChainRow[];
  readonly queries: readonly QueryRow[];
  readonly rpc: readonly RpcRow[];
  readonly pruned: readonly RpcRow[];
  readonly proofs: readonly RpcRow[];
  readonly limits: readonly (RpcRow | { readonly name: string; readonly frames: readonly Frame[] })[];
  readonly rest: readonly (RestAnswer & { readonly name: string })[];
  readonly transactions: readonly TransactionRow[];
  readonly websocket: Readonly<Record<string, readonly Frame[]>>;
  readonly 'live-newblock': readonly Frame[];
  readonly 'live-events': readonly Frame[];
  readonly 'node-stops': readonly Frame[];
  readonly 'validator-set': readonly Frame[];
  readonly simulations: readonly SimulationRow[];
  readonly world: World;
  readonly unordered: { readonly accounts: readonly string[]; readonly rows: readonly UnorderedRow[] };
}

/**
 * Reads one file of recordings of a real node. README.md describes the files. Each call reads and parses the file, so keep the
 * result. 64-bit integers are strings in all files.
 */
export function readRecording<F extends keyof Files>(file: F): Files[F] {
  return recording<Files[F]>(file);
}

/** Reads the chain's descriptors: the bytes of a `google.protobuf.FileDescriptorSet`, in alphabetical order. */
export function readDescriptors(): Uint8Array {
  return readBytes('descriptors.binpb');
}

/** Converts the field names of recorded JSON from those of the wire to the camelCase of protobuf JSON. */
export function camelCased(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [camel(name), camelCased(member)]));
}
