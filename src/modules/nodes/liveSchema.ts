import { arrayAt, asObject, bigintAt, type JsonObject, type JsonValue, malformed } from '../../chain/wire/json.ts';
import { pageDefault } from '../../config/bounds.ts';
import { badInput } from '../../reads/errors.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, liveField } from '../../schema/builder.ts';
import { checkPageSize } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { SignedTransactionRef } from '../transactions/refs.ts';
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

/** Calls a method of the current node. */
function callNode({ client, signal }: Pin, method: string, params: JsonObject = {}): Promise<JsonValue> {
  return client.call(method, params, { signal });
}

async function mempool(pin: Pin, first: number): Promise<Mempool> {
  checkPageSize(pin, first);
  // A node reads a limit of 0 as 30.
  if (first === 0) {
    const counted = decodeMempool(pin, await callNode(pin, 'num_unconfirmed_txs'));
    return { ...counted, nTxs: 0n, txs: [] };
  }
  return decodeMempool(pin, await callNode(pin, 'unconfirmed_txs', { limit: first.toString() }));
}

async function genesisChunk(pin: Pin, chunk: bigint): Promise<GenesisChunk> {
  if (chunk < 0n) throw badInput('chunk', chunk.toString(), 'an integer of at least 0');
  const result = asObject(await callNode(pin, 'genesis_chunked', { chunk: chunk.toString() }), 'genesis_chunked');
  const { data } = result;
  if (typeof data !== 'string') throw malformed('the genesis is not base64');
  return { chunk: bigintAt(result, 'chunk'), total: bigintAt(result, 'total'), data };
}

/** Adds the mempool, the consensus state and `health`, which are not read at a height, and the genesis. */
export function addLive(builder: Builder): void {
  addTypes(builder);
  addHeightFields(builder, (t) => ({
    genesis: t.field({
      type: GenesisChunkRef,
      description: 'A chunk of the genesis file; `total` is the number of chunks.',
      args: { chunk: t.arg({ type: 'Int64', defaultValue: 0n }) },
      resolve: (root, { chunk }) => genesisChunk(pinOf(root), chunk ?? 0n),
    }),
  }));
  builder.queryFields((t) => ({
    health: t.boolean({
      description: 'true if the current node answers `health`. Not read at a height.',
      extensions: liveField,
      resolve: async (root) => {
        await callNode(pinOf(root), 'health');
        return true;
      },
    }),
    unconfirmedTransactions: t.field({
      type: MempoolRef,
      description: 'The transactions in the mempool of the current node. Not read at a height.',
      extensions: liveField,
      args: { first: t.arg.int({ defaultValue: pageDefault }) },
      resolve: (root, { first }) => mempool(pinOf(root), first ?? pageDefault),
    }),
    numUnconfirmedTransactions: t.field({
      type: MempoolRef,
      description: 'The size of the mempool of the current node; `txs` is null. Not read at a height.',
      extensions: liveField,
      resolve: async (root) => decodeMempool(pinOf(root), await callNode(pinOf(root), 'num_unconfirmed_txs')),
    }),
    consensusState: t.field({
      type: 'JSON',
      description: 'The round state in the JSON of the node. CometBFT does not guarantee its format. Not read at a height.',
      extensions: liveField,
      resolve: async (root) => asObject(await callNode(pinOf(root), 'consensus_state'), 'consensus_state').round_state,
    }),
    dumpConsensusState: t.field({
      type: 'JSON',
      description:
        'The round state of the node and its peers in the JSON of the node. CometBFT does not guarantee its format. Not read at a height.',
      extensions: liveField,
      resolve: (root) => callNode(pinOf(root), 'dump_consensus_state'),
    }),
  }));
}

function addTypes(builder: Builder): void {
  builder.objectType(GenesisChunkRef, {
    description: 'A chunk of the genesis file, up to 16 MiB.',
    fields: (t) => ({
      chunk: t.expose('chunk', { type: 'Int64', nullable: false }),
      total: t.expose('total', { type: 'Int64', nullable: false, description: 'Number of chunks.' }),
      data: t.expose('data', { type: 'Base64', nullable: false }),
    }),
  });
  builder.objectType(MempoolRef, {
    description: 'The transactions in the mempool of a node. Not read at a height.',
    fields: (t) => ({
      nTxs: t.expose('nTxs', { type: 'Int64', nullable: false, description: 'Number of transactions in `txs`.' }),
      total: t.expose('total', { type: 'Int64', nullable: false, description: 'Number of transactions in the mempool.' }),
      totalBytes: t.expose('totalBytes', { type: 'Int64', nullable: false }),
      txs: t.expose('txs', {
        type: [UnconfirmedTransactionRef],
        nullable: true,
        description: 'null in numUnconfirmedTransactions.',
      }),
    }),
  });
  builder.objectType(UnconfirmedTransactionRef, {
    description: 'A transaction in the mempool of a node.',
    interfaces: [SignedTransactionRef],
  });
}
