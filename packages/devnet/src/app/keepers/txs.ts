import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { ArgumentError, decodeBytes } from '../../../../../src/chain/rpc/methods.ts';
import type { TxResponseSchema } from '../../../../../src/proto/cosmos/base/abci/v1beta1/abci_pb.js';
import { OrderBy, Service } from '../../../../../src/proto/cosmos/tx/v1beta1/service_pb.js';
import { type Tx, TxSchema } from '../../../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import type { IndexedTx } from '../../abci/abci.ts';
import { PlainError, StatusError } from '../runtime/abciErrors.ts';
import { type Keeper, onQuery } from '../runtime/keeper.ts';
import { rfcTime } from '../runtime/time.ts';
import { limitOf } from './base/page.ts';
import { idOf, rangeOf, readBlock } from './blocks.ts';
import { callNode } from './callNode.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase();

/** Decodes a transaction. The body and the auth info of a TxRaw have the bytes of their messages. */
function decodeTx(bytes: Uint8Array): Tx {
  return fromBinary(TxSchema, bytes);
}

/**
 * Converts the result of a transaction to the SDK's format: `data` is hex, the time has no decimals, and `logs` is empty since
 * 0.50.
 */
function responseOf({ height, time, tx, hash, result }: IndexedTx): MessageInitShape<typeof TxResponseSchema> {
  return {
    height,
    txhash: hex(hash),
    codespace: result.codespace,
    code: result.code,
    data: hex(result.data ?? new Uint8Array()),
    rawLog: result.log,
    info: result.info,
    gasWanted: result.gasWanted,
    gasUsed: result.gasUsed,
    tx: { typeUrl: `/${TxSchema.typeName}`, value: tx },
    timestamp: rfcTime(time),
    events: result.events.map(({ type, attributes }) => ({ type, attributes: [...attributes] })),
  };
}

function hashOf(text: string): Uint8Array {
  if (text === '') throw new StatusError('InvalidArgument', 'tx hash cannot be empty');
  try {
    return decodeBytes(text, 'hex');
  } catch (error) {
    if (error instanceof ArgumentError) throw new PlainError(error.message);
    throw error;
  }
}

/**
 * The methods of the transaction service that find transactions. They read from the node, whatever the height of the query.
 * Guesses: all errors except that for an unknown hash, and `GetBlockWithTxs`.
 */
export const txKeeper: Keeper = {
  messages: [],
  queries: [
    onQuery(Service.method.getTx, (_, { hash }, __, node) => {
      const bytes = hashOf(hash);
      try {
        const tx = callNode(node, ({ tx }) => tx(bytes));
        return { tx: decodeTx(tx.tx), txResponse: responseOf(tx) };
      } catch (error) {
        if (error instanceof PlainError && error.message.endsWith('not found')) {
          throw new StatusError('NotFound', `tx not found: ${hash}`);
        }
        throw error;
      }
    }),
    onQuery(Service.method.getTxsEvent, (_, { events, query, orderBy, page, limit }, __, node) => {
      const askedQuery = query === '' ? events.join(' AND ') : query;
      if (askedQuery === '') throw new PlainError('query cannot be empty');
      const order = orderBy === OrderBy.ASC ? 'asc' : orderBy === OrderBy.DESC ? 'desc' : '';
      const { txs, total } = callNode(node, ({ search }) =>
        search(askedQuery, { page: page === 0n ? 1n : page, perPage: limitOf(limit), order }),
      );
      return { txs: txs.map(({ tx }) => decodeTx(tx)), txResponses: txs.map(responseOf), total: BigInt(total) };
    }),
    onQuery(Service.method.getBlockWithTxs, (_, { height, pagination }, __, node) => {
      const newest = callNode(node, (reader) => reader.height);
      if (height < 1n || height > newest) {
        const text = `requested height ${height} but height must not be less than 1 or greater than the current height ${newest}`;
        throw new StatusError('InvalidArgument', text);
      }
      const nodeBlock = callNode(node, (reader) => reader.block(height));
      const block = readBlock(nodeBlock);
      const all = block.data?.txs ?? [];
      const { from, to } = rangeOf(pagination, all.length);
      const txs = all.slice(from, to).map(decodeTx);
      return { txs, blockId: idOf(nodeBlock), block, pagination: { total: BigInt(all.length) } };
    }),
  ],
};
