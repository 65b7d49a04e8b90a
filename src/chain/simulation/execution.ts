import { type DescMessage, fromBinary, isMessage, type MessageShape, type Registry } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import { MsgExecSchema, MsgVoteSchema } from '../../proto/cosmos/group/v1/tx_pb.js';
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../../proto/cosmos/tx/v1beta1/tx_pb.js';
import type { SimulationReason } from '../base/errors.ts';
import { simulatingMethods } from '../transports/transport.ts';
import type { JsonObject } from '../wire/json.ts';

/**
 * What an `abci_query` makes the node execute: a simulation of `txs`, which are undefined if the request does not say; or, at a
 * path that is not known to only read, something unknown.
 */
type Execution =
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
const txReads = /^(Get(Tx|TxsEvent|BlockWithTxs)|Tx(Decode|Encode)(Amino)?)$/;

/** The path of a raw query inside of a query: `path` 2 and `data` 1 of its request. */
const nestedQuery = 'cosmos.base.tendermint.v1beta1.Service/ABCIQuery';

const servicePath = /^\/([\w.]+)\/(\w+)$/;

/** Whether a method of a service executes a transaction that the caller sends. */
export function isSimulation(service: string, method: string): boolean {
  return simulatingMethods.test(method) && (isQueryService(service) || service === txService);
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
    const isQuery = isQueryService(service);
    const isTx = service === txService;
    if ((isQuery || isTx) && simulatingMethods.test(method)) return { kind: 'SIMULATION', txs: txsOf(service, method, data) };
    return isQuery || (isTx && txReads.test(method)) ? undefined : { kind: 'UNKNOWN' };
  }
  const lower = path.toLowerCase();
  const [root, name] = lower.match(/[^/]+/g) ?? [];
  if (root === 'store' || root === 'p2p' || !/app|service|simulat/.test(lower)) return undefined;
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

/** Why a transaction is not plain. `type` is the message type that is the reason. */
export interface NotPlain {
  readonly reason: SimulationReason;
  readonly type?: string;
  readonly max?: number;
}

/**
 * The packages whose messages, and whose other types inside of messages, execute no contract in Provenance v1.29. Everything else
 * is refused: `cosmwasm.wasm` executes contracts; packets and clients of `ibc`, `provenance.ibchooks` and transfers of markers
 * over IBC reach contracts through hooks; `provenance.oracle` queries contracts; `cosmos.crisis` walks over the whole state.
 * Nothing of these packages reaches a contract from its handler (wasmd has no hooks in other modules; the actions of a trigger
 * and the messages of x/gov run at the end of a block, and are still checked here).
 */
const plainPackages = new Set(
  [
    ...'auth.v1beta1 authz.v1beta1 bank.v1beta1 circuit.v1 consensus.v1 crypto.ed25519 crypto.multisig crypto.secp256k1 crypto.secp256r1'.split(
      ' ',
    ),
    ...'distribution.v1beta1 evidence.v1beta1 feegrant.v1beta1 gov.v1 gov.v1beta1 group.v1 mint.v1beta1 nft.v1beta1 params.v1beta1'.split(
      ' ',
    ),
    ...'protocolpool.v1 quarantine.v1beta1 sanction.v1beta1 slashing.v1beta1 staking.v1beta1 upgrade.v1beta1 vesting.v1beta1'.split(
      ' ',
    ),
  ].map((name) => `cosmos.${name}`),
);
for (const name of 'asset attribute exchange flatfees hold ledger marker metadata name registry trigger'.split(' '))
  plainPackages.add(`provenance.${name}.v1`);
const exceptions: readonly string[] = ['provenance.marker.v1.MsgIbcTransferRequest'];

/** EXEC_TRY of `cosmos.group.v1.Exec`. */
const tries = 1;

interface PlainTxOptions {
  /** The most bytes and messages of a transaction. */
  readonly bytes: number;
  readonly messages: number;
  /** The chain's types. */
  readonly registry: Registry;
  /** The messages of a group proposal in the newest state; undefined if there is none. */
  proposal(id: bigint): Promise<readonly Any[] | undefined>;
}

/** Thrown by the walk through a transaction. */
class Refused extends Error {
  readonly why: NotPlain;

  constructor(why: NotPlain) {
    super(why.reason);
    this.why = why;
  }
}

function decoded<D extends DescMessage>(desc: D, bytes: Uint8Array): MessageShape<D> {
  try {
    return fromBinary(desc, bytes);
  } catch {
    throw new Refused({ reason: 'MALFORMED', type: desc.typeName });
  }
}

/**
 * Whether a node refuses the bytes of a transaction before it executes anything: all fields of a `TxRaw` are length-delimited (SDK,
 * x/tx/decode/adr027.go). The caller then gets the error of the node.
 */
function isNoTx(bytes: Uint8Array): boolean {
  try {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [, type] = reader.tag();
      if (type !== WireType.LengthDelimited) return true;
      reader.bytes();
    }
    return false;
  } catch {
    return true;
  }
}

/** Walks through messages, counts what is packed as an `Any`, and collects the stored proposals that they execute. */
class Walk {
  readonly #options: PlainTxOptions;
  #messages = 0;
  readonly proposals: bigint[] = [];

  constructor(options: PlainTxOptions) {
    this.#options = options;
  }

  /** A message of a known type, and everything inside of it. */
  message(message: ReflectMessage): void {
    const { $unknown: unknown } = message.message;
    if (unknown !== undefined && unknown.length > 0) throw new Refused({ reason: 'UNKNOWN_TYPE', type: message.desc.typeName });
    for (const field of message.fields) {
      if (field.message === undefined || !message.isSet(field)) continue;
      if (field.fieldKind === 'message') this.#inner(message.get(field));
      if (field.fieldKind === 'list') for (const item of message.get(field)) this.#inner(item);
      if (field.fieldKind === 'map') for (const item of message.get(field).values()) this.#inner(item);
    }
  }

  /** The bytes of a message by the name of its type. */
  bytes(type: string, value: Uint8Array): void {
    const desc = this.#options.registry.getMessage(type);
    if (desc === undefined) throw new Refused({ reason: 'UNKNOWN_TYPE', type });
    this.message(reflect(desc, decoded(desc, value)));
  }

  any({ typeUrl, value }: Any): void {
    const { messages } = this.#options;
    const type = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
    this.#messages += 1;
    if (this.#messages > messages) throw new Refused({ reason: 'TOO_MANY_MESSAGES', max: messages });
    if (!plainPackages.has(type.slice(0, type.lastIndexOf('.'))) || exceptions.includes(type))
      throw new Refused({ reason: 'CONTRACT', type: type.slice(0, 200) });
    this.bytes(type, value);
    if (type === MsgExecSchema.typeName) this.proposals.push(decoded(MsgExecSchema, value).proposalId);
    if (type !== MsgVoteSchema.typeName) return;
    const vote = decoded(MsgVoteSchema, value);
    if (Number(vote.exec) === tries) this.proposals.push(vote.proposalId);
  }

  #inner(value: unknown): void {
    if (!isReflectMessage(value)) return;
    if (isMessage(value.message, AnySchema)) this.any(value.message);
    else this.message(value);
  }
}

/**
 * Why a node must not simulate a transaction for everybody: something in it, at any depth, executes a contract or may do so, it
 * is too large, or it is not a transaction. undefined if it is plain: what it costs a node is then bounded by its size.
 *
 * The types of messages are those that are known to execute no contract, so that a new module is refused until it is known. A
 * group proposal that is executed by its id counts as part of the transaction. The messages of a proposal never change.
 */
export async function whyNotPlain(tx: Uint8Array, options: PlainTxOptions): Promise<NotPlain | undefined> {
  if (tx.length > options.bytes) return { reason: 'TOO_LARGE', max: options.bytes };
  if (isNoTx(tx)) return undefined;
  try {
    const raw = decoded(TxRawSchema, tx);
    const body = new Walk(options);
    body.message(reflect(TxRawSchema, raw));
    body.bytes(TxBodySchema.typeName, raw.bodyBytes);
    new Walk(options).bytes(AuthInfoSchema.typeName, raw.authInfoBytes);
    // The walk through a stored proposal may add further ones.
    const walked = new Set<bigint>();
    for (const id of body.proposals) {
      if (walked.has(id)) continue;
      walked.add(id);
      const stored = await options.proposal(id);
      if (stored === undefined) return { reason: 'UNKNOWN_PROPOSAL' };
      for (const message of stored) body.any(message);
    }
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.why;
    throw error;
  }
}
