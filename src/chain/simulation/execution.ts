import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject } from '../wire/json.ts';

/**
 * What an `abci_query` makes the node execute: a simulation of `txs`, which are undefined if the request does not say; or, at a
 * path that is not known to only read, something unknown.
 */
export type Execution =
  | { readonly kind: 'SIMULATION'; readonly txs: readonly Uint8Array[] | undefined }
  | { readonly kind: 'UNKNOWN' };

/** Query services whose names do not end in `Query`. */
const otherServices: readonly string[] = [
  'cosmos.base.node.v1beta1.Service',
  'cosmos.base.reflection.v1beta1.ReflectionService',
  'cosmos.base.reflection.v2alpha1.ReflectionService',
  'cosmos.base.tendermint.v1beta1.Service',
  'cosmos.reflection.v1.ReflectionService',
];

/** Whether a service only answers queries and changes nothing. Some of its methods may simulate. */
export function isQueryService(name: string): boolean {
  return name.endsWith('.Query') || otherServices.includes(name);
}

/** The transaction service. */
export const txService = 'cosmos.tx.v1beta1.Service';

/** The methods of the transaction service that only read. */
const txReads: readonly string[] = [
  'GetTx',
  'GetTxsEvent',
  'GetBlockWithTxs',
  'TxDecode',
  'TxEncode',
  'TxDecodeAmino',
  'TxEncodeAmino',
];

/** The path of a raw query inside of a query: `path` 2 and `data` 1 of its request. */
const nestedQuery = 'cosmos.base.tendermint.v1beta1.Service/ABCIQuery';

/** Names of methods that execute what the caller sends, on any chain. Provenance has `Simulate` and `CalculateTxFees`. */
const simulates = /simulat|calculatetxfees|ethcall|estimategas|tracetx|traceblock|tracecall|dryrun/i;

const servicePath = /^\/([\w.]+)\/(\w+)$/;

/** Whether a method of a service executes a transaction that the caller sends. */
export function isSimulation(service: string, method: string): boolean {
  return simulates.test(method) && (isQueryService(service) || service === txService);
}

/**
 * The length-delimited fields of a message by number. undefined if the bytes are no message, or if a field occurs twice: decoders
 * differ in what they make of that.
 */
function fieldsOf(bytes: Uint8Array): ReadonlyMap<number, Uint8Array> | undefined {
  const fields = new Map<number, Uint8Array>();
  try {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (type !== WireType.LengthDelimited) reader.skip(type);
      else if (fields.has(field)) return undefined;
      else fields.set(field, reader.bytes());
    }
    return fields;
  } catch {
    return undefined;
  }
}

/** The transactions in the request of a method that simulates, at most one; undefined if it cannot be said which. */
export function txsOf(service: string, method: string, request: Uint8Array): readonly Uint8Array[] | undefined {
  const fields = fieldsOf(request);
  if (fields === undefined) return undefined;
  // `tx` 1 is a `Tx`, whose encoding is that of a `TxRaw`; `tx_bytes` is 2.
  if (service === txService) return fields.size > 1 ? undefined : [...fields.values()];
  const bytes = fields.get(1);
  if (method !== 'CalculateTxFees') return undefined;
  return bytes === undefined ? [] : [bytes];
}

/**
 * What a query of the application executes; undefined if it only reads. A node finds a method by its exact path (SDK,
 * baseapp/grpcrouter.go). It splits any other path at `/`, without a first one, and ignores further parts (baseapp/abci.go).
 */
export function executionOf(path: string, data: Uint8Array): Execution | undefined {
  const [, service, method] = servicePath.exec(path) ?? [];
  if (service !== undefined && method !== undefined && service.includes('.')) {
    if (`${service}/${method}` === nestedQuery) {
      const inner = fieldsOf(data);
      const innerPath = inner && new TextDecoder().decode(inner.get(2));
      return innerPath === undefined ? { kind: 'UNKNOWN' } : executionOf(innerPath, inner?.get(1) ?? new Uint8Array());
    }
    if (isSimulation(service, method)) return { kind: 'SIMULATION', txs: txsOf(service, method, data) };
    return isQueryService(service) || (service === txService && txReads.includes(method)) ? undefined : { kind: 'UNKNOWN' };
  }
  const [root, name] = path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '');
  if (root === 'store' || root === 'p2p' || !/app|service|simulat/.test(path.toLowerCase())) return undefined;
  if (root === 'app' && name === 'version') return undefined;
  return root === 'app' && name === 'simulate' ? { kind: 'SIMULATION', txs: [data] } : { kind: 'UNKNOWN' };
}

/** What a call of a node's RPC executes; undefined if it only reads. */
export function executionOfCall(method: string, { path, data }: JsonObject): Execution | undefined {
  if (method !== 'abci_query' || typeof path !== 'string') return undefined;
  const hex = data ?? '';
  if (typeof hex !== 'string' || !/^([0-9a-f]{2})*$/i.test(hex)) return { kind: 'UNKNOWN' };
  return executionOf(path, Buffer.from(hex, 'hex'));
}
