import { arrayAt, asObject, bigintAt, malformed } from '../../chain/wire/decode.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import { pageDefault } from '../../config/bounds.ts';
import { badInput } from '../../reads/errors.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { liveField } from '../../schema/live.ts';
import { postOnlyField } from '../../schema/postOnly.ts';
import { ofSent } from '../../schema/scopes.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import * as refs from '../blocks/refs.ts';
import { txInput } from '../events/argument.ts';
import { type SignedTx, signedTx } from '../transactions/transactions.ts';

interface Mempool {
  readonly nTxs: bigint;
  readonly total: bigint;
  readonly totalBytes: bigint;
  readonly txs: readonly Pinned<SignedTx>[] | null;
}

interface GenesisChunk {
  readonly chunk: bigint;
  readonly total: bigint;
  readonly data: string;
}

const MempoolRef = createRef<Mempool>('UnconfirmedTransactions');
const UnconfirmedTransactionRef = createRef<Pinned<SignedTx>>('UnconfirmedTransaction');
const GenesisChunkRef = createRef<GenesisChunk>('GenesisChunk');

function decodeMempool(pin: Pin, json: JsonValue): Mempool {
  const result = asObject(json, 'unconfirmed_txs');
  return {
    nTxs: bigintAt(result, 'n_txs'),
    total: bigintAt(result, 'total'),
    totalBytes: bigintAt(result, 'total_bytes'),
    txs:
      result.txs == null
        ? null
        : arrayAt(result, 'txs').map((tx) => {
            if (typeof tx !== 'string') throw malformed('a transaction is not base64');
            return pinned(pin, signedTx(tx));
          }),
  };
}

/** Calls a node as it is now, for as long as it is read for. */
function ask({ client, signal }: Pin, method: string, params: JsonObject = {}): Promise<JsonValue> {
  return client.call(method, params, { signal });
}

async function mempool(pin: Pin, first: number): Promise<Mempool> {
  const { pageMax } = pin.bounds;
  if (first < 0 || first > pageMax) throw badInput('first', String(first), `from 0 to ${pageMax}`);
  // A limit of 0 would mean 30 to the node.
  if (first === 0) {
    const counted = decodeMempool(pin, await ask(pin, 'num_unconfirmed_txs'));
    return { ...counted, nTxs: 0n, txs: [] };
  }
  return decodeMempool(pin, await ask(pin, 'unconfirmed_txs', { limit: first.toString() }));
}

async function genesisChunk(pin: Pin, chunk: bigint): Promise<GenesisChunk> {
  if (chunk < 0n) throw badInput('chunk', chunk.toString(), 'an integer of at least 0');
  const result = asObject(await ask(pin, 'genesis_chunked', { chunk: chunk.toString() }), 'genesis_chunked');
  const { data } = result;
  if (typeof data !== 'string') throw malformed('the genesis is not base64');
  return { chunk: bigintAt(result, 'chunk'), total: bigintAt(result, 'total'), data };
}

/** Adds the fields of `Query` that are not read at a height, and the genesis, which is the same at every height. */
export function addLive(builder: Builder): void {
  addTypes(builder);
  addHeightFields(builder, (t) => ({
    genesis: t.field({
      type: GenesisChunkRef,
      description: 'One piece of the genesis file; `total` tells how many there are.',
      args: { chunk: t.arg({ type: 'Int64', defaultValue: 0n }) },
      resolve: (root, { chunk }) => genesisChunk(pinOf(root), chunk ?? 0n),
    }),
  }));
  builder.queryFields((t) => ({
    checkTx: t.field({
      type: refs.TxCheckRef,
      description:
        'Asks a node whether it would take this transaction; nothing is sent. A broadcast right after it still succeeds. Not of a height.',
      extensions: { ...liveField, ...postOnlyField },
      args: { tx: t.arg.string({ required: true }) },
      resolve(root, { tx }) {
        const pin = pinOf(root);
        return pin.client.broadcaster.check(txInput('tx', tx), pin);
      },
    }),
    health: t.boolean({
      description: 'true when the node in use answers `health`. Not of a height.',
      extensions: liveField,
      resolve: async (root) => {
        await ask(pinOf(root), 'health');
        return true;
      },
    }),
    unconfirmedTransactions: t.field({
      type: MempoolRef,
      description: 'Transactions that wait in the mempool of the node in use. Not of a height.',
      extensions: liveField,
      args: { first: t.arg.int({ defaultValue: pageDefault }) },
      resolve: (root, { first }) => mempool(pinOf(root), first ?? pageDefault),
    }),
    numUnconfirmedTransactions: t.field({
      type: MempoolRef,
      description: 'The same without the transactions: `txs` is null. Not of a height.',
      extensions: liveField,
      resolve: async (root) => decodeMempool(pinOf(root), await ask(pinOf(root), 'num_unconfirmed_txs')),
    }),
    consensusState: t.field({
      type: 'JSON',
      description: 'The round state as the node prints it; the node calls it unstable. Not of a height.',
      extensions: liveField,
      resolve: async (root) => asObject(await ask(pinOf(root), 'consensus_state'), 'consensus_state').round_state,
    }),
    dumpConsensusState: t.field({
      type: 'JSON',
      description: 'The round state with that of the peers; the node calls it unstable. Not of a height.',
      extensions: liveField,
      resolve: (root) => ask(pinOf(root), 'dump_consensus_state'),
    }),
  }));
}

function addTypes(builder: Builder): void {
  builder.objectType(GenesisChunkRef, {
    description: 'One piece (up to 16 MiB) of the genesis file.',
    fields: (t) => ({
      chunk: t.expose('chunk', { type: 'Int64', nullable: false }),
      total: t.expose('total', { type: 'Int64', nullable: false, description: 'Number of pieces.' }),
      data: t.expose('data', { type: 'Base64', nullable: false }),
    }),
  });
  builder.objectType(refs.TxCheckRef, {
    extensions: ofSent,
    description: 'What CheckTx said: would a node take the transaction.',
    fields: (t) => ({
      code: t.exposeInt('code', { nullable: false, description: '0 is yes.' }),
      codespace: t.exposeString('codespace', { nullable: false }),
      log: t.exposeString('log', { nullable: false }),
      info: t.exposeString('info', { nullable: false }),
      data: t.expose('data', { type: 'Base64', nullable: true }),
      gasWanted: t.expose('gasWanted', { type: 'Int64', nullable: false }),
      gasUsed: t.expose('gasUsed', { type: 'Int64', nullable: false }),
      events: t.expose('events', { type: [refs.EventRef], nullable: false }),
    }),
  });
  builder.objectType(MempoolRef, {
    description: "Transactions waiting in a node's mempool. Not of a height.",
    fields: (t) => ({
      nTxs: t.expose('nTxs', { type: 'Int64', nullable: false, description: 'Number listed.' }),
      total: t.expose('total', { type: 'Int64', nullable: false, description: 'Number waiting.' }),
      totalBytes: t.expose('totalBytes', { type: 'Int64', nullable: false }),
      txs: t.expose('txs', {
        type: [UnconfirmedTransactionRef],
        nullable: true,
        description: 'null from numUnconfirmedTransactions.',
      }),
    }),
  });
  builder.objectType(UnconfirmedTransactionRef, {
    description: "A transaction waiting in a node's mempool.",
    interfaces: [refs.SignedTransactionRef],
  });
}
