import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import type { TxResponseSchema } from '../../../proto/cosmos/base/abci/v1beta1/abci_pb.js';
import { OrderBy, Service } from '../../../proto/cosmos/tx/v1beta1/service_pb.js';
import { type Tx, TxSchema } from '../../../proto/cosmos/tx/v1beta1/tx_pb.js';
import type { IndexedTx } from '../../abci.ts';
import { PlainError, StatusError } from '../abciErrors.ts';
import { type Keeper, onQuery } from '../keeper.ts';
import { rfcTime } from '../time.ts';
import { askNode } from './askNode.ts';
import { idOf, rangeOf, readBlock } from './blocks.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase();

/** The page of a search that names no size. A guess by the SDK's source. */
const usualLimit = 100n;

/** The same bytes: the body and the auth info of a raw transaction are messages. */
function decodeTx(bytes: Uint8Array): Tx {
  return fromBinary(TxSchema, bytes);
}

/** What became of a transaction, in the SDK's terms: `data` is hex, the time is without a fraction, and `logs` is empty since 0.50. */
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
  // The words are those of Go's decoder (chain.md 1.4).
  const bad = /[^0-9a-fA-F]/u.exec(text)?.[0];
  if (bad !== undefined) throw new PlainError(`encoding/hex: invalid byte: U+${codePoint(bad)} '${bad}'`);
  if (text.length % 2 === 1) throw new PlainError('encoding/hex: odd length hex string');
  return Buffer.from(text, 'hex');
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** The part of the transaction service that finds transactions, of whatever height: the node is asked. What is refused but an absent hash is a guess, and so is `GetBlockWithTxs`. */
export const txKeeper: Keeper = {
  messages: [],
  queries: [
    onQuery(Service.method.getTx, (_, { hash }, __, node) => {
      const bytes = hashOf(hash);
      try {
        const found = askNode(node, ({ tx }) => tx(bytes));
        return { tx: decodeTx(found.tx), txResponse: responseOf(found) };
      } catch (error) {
        if (error instanceof PlainError && error.message.endsWith('not found')) {
          throw new StatusError('NotFound', `tx not found: ${hash}`);
        }
        throw error;
      }
    }),
    onQuery(Service.method.getTxsEvent, (_, { events, query, orderBy, page, limit }, __, node) => {
      const asked = query === '' ? events.join(' AND ') : query;
      if (asked === '') throw new PlainError('query cannot be empty');
      const order = orderBy === OrderBy.ASC ? 'asc' : orderBy === OrderBy.DESC ? 'desc' : '';
      const { txs, total } = askNode(node, ({ search }) =>
        search(asked, { page: page === 0n ? 1n : page, perPage: limit === 0n ? usualLimit : limit, order }),
      );
      return { txs: txs.map(({ tx }) => decodeTx(tx)), txResponses: txs.map(responseOf), total: BigInt(total) };
    }),
    onQuery(Service.method.getBlockWithTxs, (_, { height, pagination }, __, node) => {
      const newest = askNode(node, (asked) => asked.height);
      if (height < 1n || height > newest) {
        const text = `requested height ${height} but height must not be less than 1 or greater than the current height ${newest}`;
        throw new StatusError('InvalidArgument', text);
      }
      const found = askNode(node, (asked) => asked.block(height));
      const block = readBlock(found);
      const all = block.data?.txs ?? [];
      const { from, to } = rangeOf(pagination, all.length);
      const txs = all.slice(from, to).map(decodeTx);
      return { txs, blockId: idOf(found), block, pagination: { total: BigInt(all.length) } };
    }),
  ],
};
