import { typeNameOf } from '../../chain/wire/protoJson.ts';
import { badInput } from '../../reads/errors.ts';
import { txInput } from '../../reads/input.ts';
import { andThen, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { maySimulate } from '../../reads/viewer.ts';
import { type Builder, createRef, liveField, nonNull, usesContext } from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { typesOf } from '../any/codec.ts';
import type { Coin } from '../bank/query.ts';
import { coinsField } from '../bank/schema.ts';
import { calculateTxFees, createFlatfeesLoaders, type TxFees } from './flatFees.ts';

const MessageFeeRef = createRef<Pinned<{ readonly type: string; readonly cost: readonly Coin[] }>>('MessageFee');
const TxFeesRef = createRef<Pinned<TxFees>>('TxFees');

/** Adds the flatfees module: the fee token, the cost of a message type, and the cost of a transaction. */
export function addFees(builder: Builder): void {
  builder.objectType(MessageFeeRef, {
    description: 'Cost of one message of a type (provenance.flatfees.v1).',
    fields: (t) => ({
      type: t.exposeString('type', { nullable: false, description: 'Type URL of the message.' }),
      cost: coinsField(t, 'Cost of one message; empty if the message is free.', (fee) => fee.cost),
    }),
  });
  builder.objectType(TxFeesRef, {
    description: 'Fees and gas of a simulated transaction.',
    fields: (t) => ({
      totalFees: coinsField(t, 'Fees of all messages together.', (fees) => fees.totalFees),
      estimatedGas: t.expose('estimatedGas', nonNull('UInt64', 'Gas that the simulation used, multiplied by `gasAdjustment`.')),
    }),
  });
  addHeightFields(builder, (t) => ({
    feeToken: t.string({
      description: 'The denom in which fees are paid, such as `nhash`. null if the chain names none.',
      resolve: (root) => pinOf(root).loaders(createFlatfeesLoaders).feeToken.load(''),
    }),
    messageFee: t.field({
      type: MessageFeeRef,
      description:
        'Cost of one message of this type at this height, in base units of the fee token. An unknown message type is BAD_USER_INPUT.',
      args: { type: t.arg.string({ required: true }) },
      resolve: (root, args) => {
        const pin = pinOf(root);
        const type = args.type.startsWith('/') ? args.type : `/${args.type}`;
        return andThen(typesOf(pin), (types) => {
          const isKnown = type.length <= 256 && types.getMessage(typeNameOf(type)) !== undefined;
          if (!isKnown)
            throw badInput('type', args.type, 'a message type of the chain, such as `/cosmos.bank.v1beta1.MsgSend`');
          return andThen(pin.loaders(createFlatfeesLoaders).msgFee.load(type), (cost) => pinned(pin, { type, cost }));
        });
      },
    }),
  }));
  builder.queryFields((t) => ({
    calculateTxFees: t.field({
      type: TxFeesRef,
      description:
        'Simulates a transaction on the latest state and returns its fees and gas. `tx` is encoded as in `broadcastTxSync`. `gasAdjustment`\nmultiplies the gas: above 0, at most 100, 1 by default. Not read at a height.\nA transaction that executes a contract is SIMULATION_DISABLED unless the server has a node for simulations; others need the scope `broadcast` or\n`simulate` without one.',
      extensions: liveField,
      args: { tx: t.arg.string({ required: true }), gasAdjustment: t.arg.float() },
      resolve: usesContext(async (root, { tx, gasAdjustment }, { viewer }) => {
        const { client, signal } = pinOf(root);
        const adjustment = gasAdjustment ?? 1;
        if (!(adjustment > 0 && adjustment <= 100))
          throw badInput('gasAdjustment', String(adjustment), 'greater than 0 and at most 100');
        const source = { client, signal, maySimulate: maySimulate(viewer) };
        return pinned(pinOf(root), await calculateTxFees(source, txInput('tx', tx), adjustment));
      }),
    }),
  }));
}
