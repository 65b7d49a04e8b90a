import { both, type Pinned, pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { type Builder, createInterfaceRef, createRef, nonNull } from '../../schema/builder.ts';
import { addConnection, type Connection, pageField } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import { type Account, AccountRef, accountField } from '../account/schema.ts';
import { decodeAny } from '../any/codec.ts';
import { coinsField } from '../bank/schema.ts';
import {
  type AllowedMsgAllowance,
  type BasicAllowance,
  createFeegrantLoaders,
  type FeeAllowance,
  type FeeGrant,
  issuedList,
  type OtherFeeAllowance,
  type PeriodicAllowance,
  receivedList,
} from './query.ts';

/** References of the module's types. */
const FeeGrantRef = createRef<Pinned<FeeGrant>>('FeeGrant');
const FeeGrantConnectionRef = createRef<Connection<Pinned<FeeGrant>>>('FeeGrantConnection');
const FeeAllowanceRef = createInterfaceRef<Pinned<FeeAllowance>>('FeeAllowance');
const BasicAllowanceRef = createRef<Pinned<BasicAllowance>>('BasicAllowance');
const PeriodicAllowanceRef = createRef<Pinned<PeriodicAllowance>>('PeriodicAllowance');
const AllowedMsgAllowanceRef = createRef<Pinned<AllowedMsgAllowance>>('AllowedMsgAllowance');
const OtherFeeAllowanceRef = createRef<Pinned<OtherFeeAllowance>>('OtherFeeAllowance');

const typeNames: Readonly<Record<FeeAllowance['kind'], string>> = {
  basic: BasicAllowanceRef.name,
  periodic: PeriodicAllowanceRef.name,
  allowedMsg: AllowedMsgAllowanceRef.name,
  other: OtherFeeAllowanceRef.name,
};

/** Adds the interface `FeeAllowance` and the four types that implement it. */
function addAllowances(builder: Builder): void {
  builder.interfaceType(FeeAllowanceRef, {
    description: "Terms of a fee grant: how much of the granter's coins the grantee can spend on fees.",
    resolveType: ({ kind }) => typeNames[kind],
    fields: (t) => ({
      type: t.field({
        ...nonNull('String', 'Protobuf type URL, such as `/cosmos.feegrant.v1beta1.BasicAllowance`.'),
        resolve: ({ any }) => any.type,
      }),
      json: t.field({
        type: 'JSON',
        description: 'The allowance as canonical protobuf JSON. null if the chain has no descriptor of the type.',
        resolve: (allowance) => decodeAny(pinOf(allowance), allowance.any),
      }),
    }),
  });
  builder.objectType(BasicAllowanceRef, {
    description: 'An allowance up to a total amount, until a time.',
    interfaces: [FeeAllowanceRef],
    fields: (t) => ({
      spendLimit: coinsField(t, 'Amount that is left to spend; empty means no limit.', (allowance) => allowance.spendLimit),
      expiration: t.expose('expiration', {
        type: 'DateTime',
        description: 'Block time at which the allowance expires; null if it does not expire.',
      }),
    }),
  });
  builder.objectType(PeriodicAllowanceRef, {
    description: 'An allowance with a limit for each period, within the limits of a basic allowance.',
    interfaces: [FeeAllowanceRef],
    fields: (t) => ({
      basic: t.field({
        ...nonNull(BasicAllowanceRef, 'Limits that apply to all periods together.'),
        resolve: (allowance) => pinned(pinOf(allowance), allowance.basic),
      }),
      period: t.expose('period', { type: 'Duration', nullable: false, description: 'Length of a period.' }),
      periodSpendLimit: coinsField(t, 'Limit for each period.', (allowance) => allowance.periodSpendLimit),
      periodCanSpend: coinsField(t, 'Amount that is left in the current period.', (allowance) => allowance.periodCanSpend),
      periodReset: t.expose('periodReset', nonNull('DateTime', 'Block time at which the next period begins.')),
    }),
  });
  builder.objectType(AllowedMsgAllowanceRef, {
    description: 'An allowance that pays only for certain message types.',
    interfaces: [FeeAllowanceRef],
    fields: (t) => ({
      allowance: t.field({
        ...nonNull(FeeAllowanceRef, 'Limits of the allowance.'),
        resolve: (allowance) => pinned(pinOf(allowance), allowance.allowance),
      }),
      allowedMessages: t.exposeStringList('allowedMessages', {
        nullable: false,
        description: 'Type URLs of the messages that the allowance pays for.',
      }),
    }),
  });
  builder.objectType(OtherFeeAllowanceRef, {
    description: 'An allowance of a type that this server does not recognize.',
    interfaces: [FeeAllowanceRef],
    fields: (t) => ({
      value: t.field({
        ...nonNull('Base64', 'Protobuf encoding of the allowance.'),
        resolve: ({ any }) => any.value,
      }),
    }),
  });
}

/** Adds the feegrant module: single fee grants and those of an account. */
export function addFeeGrants(builder: Builder): void {
  addAllowances(builder);
  builder.objectType(FeeGrantRef, {
    description: 'A fee grant: the granter pays transaction fees of the grantee, within the allowance.',
    fields: (t) => ({
      granter: accountField(t, 'The account that pays the fees.', (grant) => grant.granter),
      grantee: accountField(t, 'The account whose fees are paid.', (grant) => grant.grantee),
      allowance: t.field({
        ...nonNull(FeeAllowanceRef, 'Terms of the grant.'),
        resolve: (grant) => pinned(pinOf(grant), grant.allowance),
      }),
    }),
  });
  addConnection(builder, FeeGrantRef, FeeGrantConnectionRef, 'fee grants');
  addHeightFields(builder, (t) => ({
    feeGrant: t.field({
      type: FeeGrantRef,
      description: 'The fee grant of `granter` to `grantee`; null if there is none.',
      args: { granter: t.arg.string({ required: true }), grantee: t.arg.string({ required: true }) },
      resolve: (root, args) => {
        const pin = pinOf(root);
        const grant = both(
          accountInput(pin, 'granter', args.granter),
          accountInput(pin, 'grantee', args.grantee),
          (granter, grantee) => pin.loaders(createFeegrantLoaders).grant.load({ granter, grantee }),
        );
        return pinnedValue(pin, grant);
      },
    }),
  }));
  builder.objectFields(AccountRef, (t) => ({
    feeGrantsReceived: t.field({
      type: FeeGrantConnectionRef,
      description: 'Fee grants that the account received, by granter.',
      ...pageField(builder, (pin, { address }: Account) => receivedList(pin, address)),
    }),
    feeGrantsIssued: t.field({
      type: FeeGrantConnectionRef,
      description: 'Fee grants that the account issued, by grantee.',
      ...pageField(builder, (pin, { address }: Account) => issuedList(pin, address)),
    }),
  }));
}
