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
import { createFlatfeesLoaders } from './flatFees.ts';
import { calculateTxFees, type TxFeeRule, type TxFees } from './txFees.ts';

const MessageFeeRef = createRef<Pinned<{ readonly type: string; readonly cost: readonly Coin[] }>>('MessageFee');
const TxFeesRef = createRef<Pinned<TxFees>>('TxFees');

/** Adds the fee token and the cost of a message type (provenance.flatfees.v1), and the cost of a transaction on any chain. */
export function addFees(builder: Builder): void {
  builder.objectType(MessageFeeRef, {
    description: 'Cost of one message of a type (provenance.flatfees.v1).',
    fields: (t) => ({
      type: t.exposeString('type', { nullable: false, description: 'Type URL of the message.' }),
      cost: coinsField(t, 'Cost of one message; empty if the message is free.', (fee) => fee.cost),
    }),
  });
  const TxFeeRuleRef = builder.enumType('TxFeeRule', {
    description: 'How the fees of a transaction were found.',
    values: {
      FLAT_FEES: { description: 'The chain has flat fees for messages (provenance.flatfees.v1).' },
      SIMULATED_GAS: { description: 'Gas of a simulation, times the minimum gas price of a node, rounded up.' },
      GAS_TABLE: {
        description:
          'Gas by a table of message types, because no node may simulate the transaction, times the minimum gas price of a node.',
      },
    } satisfies Record<TxFeeRule, object>,
  });
  builder.objectType(TxFeesRef, {
    description: 'Fees and gas of a transaction, by the rule of the chain.',
    fields: (t) => ({
      totalFees: coinsField(
        t,
        'Fees of all messages together. Empty if the node has no minimum gas price.',
        (fees) => fees.totalFees,
      ),
      estimatedGas: t.expose('estimatedGas', nonNull('UInt64', 'Gas, multiplied by `gasAdjustment`.')),
      rule: t.expose('rule', { type: TxFeeRuleRef, nullable: false, description: 'How the fees were found.' }),
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
        'Fees and gas of a transaction on the latest state, before it is sent. `tx` is encoded as in `broadcastTxSync`. On a chain with flat fees, a simulation\ngives both. On others, the fee is gas times the minimum gas price of a node, in a denomination of the fee that `tx` carries, or else in the first that the\nnode accepts. `gasAdjustment` multiplies the gas: above 0, at most 100, by default 1.4 for `SIMULATED_GAS` and 1 otherwise. Not read at a height.\nA transaction that executes a contract is SIMULATION_DISABLED unless the server has a node for simulations; others need the scope `broadcast` or\n`simulate` without one. On chains without flat fees, a table has the gas of frequent messages that may not be simulated.',
      extensions: liveField,
      args: { tx: t.arg.string({ required: true }), gasAdjustment: t.arg.float() },
      resolve: usesContext(async (root, { tx, gasAdjustment }, { viewer }) => {
        const pin = pinOf(root);
        const adjustment = gasAdjustment ?? undefined;
        if (adjustment !== undefined && !(adjustment > 0 && adjustment <= 100))
          throw badInput('gasAdjustment', String(adjustment), 'greater than 0 and at most 100');
        return pinned(pin, await calculateTxFees(pin, maySimulate(viewer), txInput('tx', tx), adjustment));
      }),
    }),
  }));
}
