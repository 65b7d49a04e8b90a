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

/** Adds the interface `FeeAllowance` and its four kinds. */
export function addAllowances(builder: Builder): void {
  builder.interfaceType(refs.FeeAllowanceRef, {
    description: 'Terms of a fee grant.',
    resolveType: ({ kind }) => typeNames[kind],
    fields: (t) => ({
      type: t.string({
        nullable: false,
        description: 'Protobuf type, such as `/cosmos.feegrant.v1beta1.BasicAllowance`.',
        resolve: ({ any }) => any.type,
      }),
      json: t.field({
        type: 'JSON',
        description: 'Decoded; null when the chain does not describe the type.',
        resolve: (allowance) => decodeAny(pinOf(allowance), allowance.any),
      }),
    }),
  });
  builder.objectType(refs.BasicAllowanceRef, {
    description: 'Up to a sum, until a time.',
    interfaces: [refs.FeeAllowanceRef],
    fields: (t) => ({
      spendLimit: t.field({
        type: [CoinRef],
        nullable: false,
        description: 'What is left to spend; empty means no limit.',
        resolve: (allowance) => allowance.spendLimit.map((coin) => coinOf(allowance, coin)),
      }),
      expiration: t.expose('expiration', { type: 'DateTime', description: 'null when it does not expire.' }),
    }),
  });
  builder.objectType(refs.PeriodicAllowanceRef, {
    description: 'A sum for each period, within a basic allowance.',
    interfaces: [refs.FeeAllowanceRef],
    fields: (t) => ({
      basic: t.field({
        type: refs.BasicAllowanceRef,
        nullable: false,
        resolve: (allowance) => pinned(pinOf(allowance), allowance.basic),
      }),
      period: t.expose('period', { type: 'Duration', nullable: false }),
      periodSpendLimit: t.field({
        type: [CoinRef],
        nullable: false,
        resolve: (allowance) => allowance.periodSpendLimit.map((coin) => coinOf(allowance, coin)),
      }),
      periodCanSpend: t.field({
        type: [CoinRef],
        nullable: false,
        description: 'What is left of the present period.',
        resolve: (allowance) => allowance.periodCanSpend.map((coin) => coinOf(allowance, coin)),
      }),
      periodReset: t.expose('periodReset', { type: 'DateTime', nullable: false }),
    }),
  });
  builder.objectType(refs.AllowedMsgAllowanceRef, {
    description: 'Another allowance, for certain messages only.',
    interfaces: [refs.FeeAllowanceRef],
    fields: (t) => ({
      allowance: t.field({
        type: refs.FeeAllowanceRef,
        nullable: false,
        resolve: (allowance) => pinned(pinOf(allowance), allowance.allowance),
      }),
      allowedMessages: t.exposeStringList('allowedMessages', {
        nullable: false,
        description: 'Types of the messages that it pays for.',
      }),
    }),
  });
  builder.objectType(refs.OtherFeeAllowanceRef, {
    description: 'An allowance of a type unknown to this server.',
    interfaces: [refs.FeeAllowanceRef],
    fields: (t) => ({ value: t.field({ type: 'Base64', nullable: false, resolve: ({ any }) => any.value }) }),
  });
}
