import { typeNameOf } from '../../chain/wire/protoJson.ts';
import { txInput } from '../../reads/bytesInput.ts';
import { badInput } from '../../reads/errors.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { liveField } from '../../schema/fieldMarks.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { typesOf } from '../any/codec.ts';
import type { Coin } from '../bank/model.ts';
import { CoinRef, coinOf } from '../bank/refs.ts';
import { createFlatfeesLoaders } from './loaders.ts';
import { calculateTxFees, type TxFees } from './query.ts';

const MessageFeeRef = createRef<Pinned<{ readonly type: string; readonly cost: readonly Coin[] }>>('MessageFee');
const TxFeesRef = createRef<Pinned<TxFees>>('TxFees');

/** Adds the flatfees module: the fee token, what a message costs, and what a transaction would. */
export function addFlatFees(builder: Builder): void {
  builder.objectType(MessageFeeRef, {
    description: 'What one message of a type costs (flat fees).',
    fields: (t) => ({
      type: t.exposeString('type', { nullable: false }),
      cost: t.field({
        type: [CoinRef],
        nullable: false,
        description: 'Empty when it is free.',
        resolve: (fee) => fee.cost.map((coin) => coinOf(fee, coin)),
      }),
    }),
  });
  builder.objectType(TxFeesRef, {
    description: 'What a transaction would cost.',
    fields: (t) => ({
      totalFees: t.field({
        type: [CoinRef],
        nullable: false,
        resolve: (fees) => fees.totalFees.map((coin) => coinOf(fees, coin)),
      }),
      estimatedGas: t.expose('estimatedGas', { type: 'UInt64', nullable: false }),
    }),
  });
  addHeightFields(builder, (t) => ({
    feeToken: t.string({
      description: 'The denom that fees are paid in.',
      resolve: (root) => pinOf(root).loaders(createFlatfeesLoaders).feeToken.load(''),
    }),
    messageFee: t.field({
      type: MessageFeeRef,
      description: 'What one message of this type costs now, in the base fee token. An unknown message type is BAD_USER_INPUT.',
      args: { type: t.arg.string({ required: true }) },
      resolve: async (root, args) => {
        const pin = pinOf(root);
        const type = args.type.startsWith('/') ? args.type : `/${args.type}`;
        const isKnown = type.length <= 256 && (await typesOf(pin)).getMessage(typeNameOf(type)) !== undefined;
        if (!isKnown)
          throw badInput('type', args.type, 'a message type that the chain has, such as `/cosmos.bank.v1beta1.MsgSend`');
        return pinned(pin, { type, cost: await pin.loaders(createFlatfeesLoaders).msgFee.load(type) });
      },
    }),
  }));
  builder.queryFields((t) => ({
    calculateTxFees: t.field({
      type: TxFeesRef,
      description:
        'What a transaction would cost and the gas it needs, by simulating it on the newest state. `tx` as in broadcastTxSync. Not read at a height.',
      extensions: liveField,
      args: { tx: t.arg.string({ required: true }), gasAdjustment: t.arg.float() },
      resolve: async (root, { tx, gasAdjustment }) => {
        const pin = pinOf(root);
        const adjustment = gasAdjustment ?? 1;
        if (!(adjustment > 0 && adjustment <= 100))
          throw badInput('gasAdjustment', String(adjustment), 'above 0 and up to 100');
        return pinned(pin, await calculateTxFees(pin, txInput('tx', tx), adjustment));
      },
    }),
  }));
}
