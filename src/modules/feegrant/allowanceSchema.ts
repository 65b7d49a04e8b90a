import { pinned, pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { decodeAny } from '../any/codec.ts';
import { CoinRef, coinOf } from '../bank/refs.ts';
import type { FeeAllowance } from './model.ts';
import * as refs from './refs.ts';

const typeNames: Readonly<Record<FeeAllowance['kind'], string>> = {
  basic: refs.BasicAllowanceRef.name,
  periodic: refs.PeriodicAllowanceRef.name,
  allowedMsg: refs.AllowedMsgAllowanceRef.name,
  other: refs.OtherFeeAllowanceRef.name,
};

/** Adds the interface `FeeAllowance` and the four types that implement it. */
export function addAllowances(builder: Builder): void {
  builder.interfaceType(refs.FeeAllowanceRef, {
    description: "Terms of a fee grant: how much of the granter's coins the grantee can spend on fees.",
    resolveType: ({ kind }) => typeNames[kind],
    fields: (t) => ({
      type: t.string({
        nullable: false,
        description: 'Protobuf type URL, such as `/cosmos.feegrant.v1beta1.BasicAllowance`.',
        resolve: ({ any }) => any.type,
      }),
      json: t.field({
        type: 'JSON',
        description: 'The allowance as canonical protobuf JSON. null if the chain has no descriptor of the type.',
        resolve: (allowance) => decodeAny(pinOf(allowance), allowance.any),
      }),
    }),
  });
  builder.objectType(refs.BasicAllowanceRef, {
    description: 'An allowance up to a total amount, until a time.',
    interfaces: [refs.FeeAllowanceRef],
    fields: (t) => ({
      spendLimit: t.field({
        type: [CoinRef],
        nullable: false,
        description: 'Amount that is left to spend; empty means no limit.',
        resolve: (allowance) => allowance.spendLimit.map((coin) => coinOf(allowance, coin)),
      }),
      expiration: t.expose('expiration', {
        type: 'DateTime',
        description: 'Block time at which the allowance expires; null if it does not expire.',
      }),
    }),
  });
  builder.objectType(refs.PeriodicAllowanceRef, {
    description: 'An allowance with a limit for each period, within the limits of a basic allowance.',
    interfaces: [refs.FeeAllowanceRef],
    fields: (t) => ({
      basic: t.field({
        type: refs.BasicAllowanceRef,
        nullable: false,
        description: 'Limits that apply to all periods together.',
        resolve: (allowance) => pinned(pinOf(allowance), allowance.basic),
      }),
      period: t.expose('period', { type: 'Duration', nullable: false, description: 'Length of a period.' }),
      periodSpendLimit: t.field({
        type: [CoinRef],
        nullable: false,
        description: 'Limit for each period.',
        resolve: (allowance) => allowance.periodSpendLimit.map((coin) => coinOf(allowance, coin)),
      }),
      periodCanSpend: t.field({
        type: [CoinRef],
        nullable: false,
        description: 'Amount that is left in the current period.',
        resolve: (allowance) => allowance.periodCanSpend.map((coin) => coinOf(allowance, coin)),
      }),
      periodReset: t.expose('periodReset', {
        type: 'DateTime',
        nullable: false,
        description: 'Block time at which the next period begins.',
      }),
    }),
  });
  builder.objectType(refs.AllowedMsgAllowanceRef, {
    description: 'An allowance that pays only for certain message types.',
    interfaces: [refs.FeeAllowanceRef],
    fields: (t) => ({
      allowance: t.field({
        type: refs.FeeAllowanceRef,
        nullable: false,
        description: 'Limits of the allowance.',
        resolve: (allowance) => pinned(pinOf(allowance), allowance.allowance),
      }),
      allowedMessages: t.exposeStringList('allowedMessages', {
        nullable: false,
        description: 'Type URLs of the messages that the allowance pays for.',
      }),
    }),
  });
  builder.objectType(refs.OtherFeeAllowanceRef, {
    description: 'An allowance of a type that this server does not recognize.',
    interfaces: [refs.FeeAllowanceRef],
    fields: (t) => ({
      value: t.field({
        type: 'Base64',
        nullable: false,
        description: 'Protobuf encoding of the allowance.',
        resolve: ({ any }) => any.value,
      }),
    }),
  });
}
