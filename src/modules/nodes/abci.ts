import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { ChainError } from '../../chain/base/errors.ts';
import type { Client } from '../../chain/client.ts';
import { isPrunedLog } from '../../chain/rpc/rpcErrors.ts';
import type { CallOptions } from '../../chain/transports/transport.ts';
import {
  arrayAt,
  asObject,
  bigintAt,
  bytesAt,
  type JsonObject,
  type JsonValue,
  malformed,
  objectAt,
  textAt,
} from '../../chain/wire/json.ts';
import { badInput } from '../../reads/errors.ts';
import { hexOf } from '../../reads/input.ts';
import type { ChainAccess } from '../../reads/pin.ts';

/** The result of `abci_info`. The hash is upper case hex. */
export interface AbciInfo {
  readonly data: string;
  readonly version: string;
  readonly appVersion: bigint;
  readonly lastBlockHeight: bigint;
  readonly lastBlockAppHash: string;
}

/** One step of a proof. Bytes are base64. */
export interface ProofStep {
  readonly type: string;
  readonly key: string;
  readonly data: string;
}

/** The result of a raw application query. Bytes are upper case hex; null if there are none. */
export interface AbciQueryResult {
  readonly code: bigint;
  readonly codespace: string;
  readonly log: string;
  readonly info: string;
  readonly index: bigint;
  readonly height: bigint;
  readonly key: string | null;
  readonly value: string | null;
  readonly proofOps: readonly ProofStep[] | null;
  /** The steps as a protobuf `tendermint.crypto.ProofOps`. */
  readonly proof: string | null;
}

/** A raw application query. The caller has checked the height. */
export interface AbciQueryRequest {
  readonly path: string;
  readonly data: Uint8Array;
  readonly height: bigint;
  readonly prove: boolean;
}

/** Calls `abci_info` of the current node. Absent members are zero. */
export async function abciInfo({ client, signal }: ChainAccess): Promise<AbciInfo> {
  const response = objectAt(asObject(await client.call('abci_info', {}, { signal }), 'abci_info'), 'response');
  return {
    data: textAt(response, 'data'),
    version: textAt(response, 'version'),
    appVersion: bigintAt(response, 'app_version'),
    lastBlockHeight: bigintAt(response, 'last_block_height'),
    lastBlockAppHash: hexOf(bytesAt(response, 'last_block_app_hash')),
  };
}

/** A query path of a node that sends a transaction. It must not be reachable with the scope `read` alone. */
export const broadcastPath = '/cosmos.tx.v1beta1.Service/BroadcastTx';

/**
 * Checks a query path: a method of a service, a raw store, or the version of the application. Other paths are BAD_USER_INPUT.
 * Whether the service exists is not checked here; the chain reports it.
 */
export function pathInput(argument: string, path: string): string {
  const allowed = /^\/[A-Za-z_]\w*(\.\w+)+\/[A-Za-z_]\w*$|^\/store\/[\w.-]+\/(key|subspace)$|^\/app\/version$/;
  if (path.length <= 256 && allowed.test(path) && path !== broadcastPath) return path;
  throw badInput(argument, path, '`/package.Service/Method`, `/store/<name>/key`, `/store/<name>/subspace` or `/app/version`');
}

/** Encodes the steps of a proof as a protobuf `tendermint.crypto.ProofOps`, in upper case hex. */
export function encodeProof(steps: readonly ProofStep[]): string {
  const writer = new BinaryWriter();
  for (const { type, key, data } of steps) {
    writer.uint32((1 << 3) | 2).fork();
    if (type !== '') writer.uint32((1 << 3) | 2).string(type);
    if (key !== '') writer.uint32((2 << 3) | 2).bytes(Buffer.from(key, 'base64'));
    if (data !== '') writer.uint32((3 << 3) | 2).bytes(Buffer.from(data, 'base64'));
    writer.join();
  }
  return hexOf(writer.finish());
}

/** The steps of the proof in a `response` of `abci_query`; null if it has none. */
export function decodeSteps(response: JsonObject): readonly ProofStep[] | null {
  if (response.proofOps == null) return null;
  return arrayAt(objectAt(response, 'proofOps'), 'ops').map((item) => {
    const op = asObject(item, 'proof op');
    return { type: textAt(op, 'type'), key: textAt(op, 'key'), data: textAt(op, 'data') };
  });
}

/** Decodes the result of `abci_query` at a height. */
function decodeAnswer(result: JsonValue, height: bigint): AbciQueryResult {
  const response = objectAt(asObject(result, 'abci_query'), 'response');
  const log = textAt(response, 'log');
  const code = bigintAt(response, 'code');
  const codespace = textAt(response, 'codespace');
  if (isPrunedLog(log)) throw new ChainError('HEIGHT_PRUNED', `The state at height ${height} is pruned: ${log}`, { height });
  if (code === 26n && codespace === 'sdk') throw new ChainError('HEIGHT_NOT_YET_AVAILABLE', log, { height });
  const answered = bigintAt(response, 'height');
  if (code === 0n && answered !== height) throw malformed(`abci_query returned height ${answered} instead of ${height}`);
  const key = bytesAt(response, 'key');
  const value = bytesAt(response, 'value');
  const proofOps = decodeSteps(response);
  return {
    code,
    codespace,
    log,
    info: textAt(response, 'info'),
    index: bigintAt(response, 'index'),
    height: answered,
    key: key === undefined ? null : hexOf(key),
    value: value === undefined ? null : hexOf(value),
    proofOps,
    proof: proofOps && encodeProof(proofOps),
  };
}

/**
 * Calls `abci_query`. A code other than 0 is part of the result, not an error. Fails with HEIGHT_PRUNED if the state at the
 * height is gone, also on paths that answer with code 0 and no value then, and with HEIGHT_NOT_YET_AVAILABLE if no node has the
 * height yet.
 */
export function abciQuery(
  client: Client,
  { path, data, height, prove }: AbciQueryRequest,
  { signal, maySimulate }: Partial<CallOptions<never>> = {},
): Promise<AbciQueryResult> {
  const params = { path, data: Buffer.from(data).toString('hex'), height: height.toString(), prove };
  return client.call('abci_query', params, { height, signal, maySimulate, decode: (result) => decodeAnswer(result, height) });
}
