import type { Event, TxExec } from '../../chain/base/execution.ts';
import type { ValidatorUpdate } from '../../chain/wire/results.ts';
import { checkHeight } from '../../reads/height.ts';
import { pinOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { ofSent } from '../../schema/scopes.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { eventFields, msgIndex, ofType } from '../events/events.ts';
import { PublicKeyRef } from '../nodes/statusSchema.ts';
import { createBlockLoaders } from './loaders.ts';
import * as refs from './refs.ts';

const EventAttributeRef = createRef<Event['attributes'][number]>('EventAttribute');
const ValidatorUpdateRef = createRef<ValidatorUpdate>('ValidatorUpdate');

/** Adds events, what execution gives and `Query.blockResults`. */
export function addResults(builder: Builder): void {
  addEvents(builder);
  addTxExec(builder);
  builder.objectType(refs.BlockResultsRef, {
    description: 'What executing a block gave.',
    fields: (t) => ({
      height: t.expose('height', { type: 'Int64', nullable: false }),
      txsResults: t.field({
        type: [refs.TxExecRef],
        nullable: false,
        description: 'One for each transaction, in block order.',
        resolve: ({ txs }) => txs,
      }),
      finalizeBlockEvents: t.field({
        type: [refs.EventRef],
        nullable: false,
        description: "The block's own events (begin and end block); with `type`, only these.",
        args: { type: t.arg.string() },
        resolve: ({ outcome }, { type }) => ofType(outcome.events, type),
      }),
      validatorUpdates: t.field({
        type: [ValidatorUpdateRef],
        nullable: false,
        resolve: ({ outcome }) => outcome.validatorUpdates,
      }),
      consensusParamUpdates: t.field({
        type: refs.ConsensusParamsRef,
        description: 'null when the block changed none; within it, null for the groups that did not change.',
        resolve: ({ outcome }) => outcome.consensusParamUpdates,
      }),
      appHash: t.field({ type: 'Hex', nullable: false, resolve: ({ outcome }) => outcome.appHash }),
    }),
  });
  builder.objectType(ValidatorUpdateRef, {
    description: 'A change of the validator set; power 0 removes.',
    fields: (t) => ({
      publicKey: t.expose('publicKey', { type: PublicKeyRef, nullable: false }),
      power: t.expose('power', { type: 'Int64', nullable: false }),
    }),
  });
  addHeightFields(builder, (t) => ({
    blockResults: t.field({
      type: refs.BlockResultsRef,
      description: 'What executing a block gave; without a height, the block read at.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => {
        const pin = pinOf(root);
        return pin.loaders(createBlockLoaders).results.load(checkHeight('height', height ?? pin.height, pin.height));
      },
    }),
  }));
}

function addEvents(builder: Builder): void {
  builder.objectType(refs.EventRef, {
    extensions: ofSent,
    description: 'An event of a transaction or block.',
    fields: (t) => ({
      type: t.exposeString('type', {
        nullable: false,
        description: 'A protobuf name (`cosmos.group.v1.EventVote`) for typed events, else a plain word (`transfer`).',
      }),
      attributes: t.expose('attributes', { type: [EventAttributeRef], nullable: false }),
      msgIndex: t.int({
        description: 'derived: place of the message that emitted it; null for events of fees and blocks.',
        resolve: msgIndex,
      }),
      json: t.field({
        type: 'JSON',
        description: "derived: a typed event's fields, decoded; null for plain events.",
        resolve: eventFields,
      }),
    }),
  });
  builder.objectType(EventAttributeRef, {
    extensions: ofSent,
    description: 'One key and value of an event.',
    fields: (t) => ({
      key: t.exposeString('key', { nullable: false }),
      value: t.exposeString('value', {
        nullable: false,
        description: 'As on the wire: in typed events it is JSON text, with its quotes.',
      }),
      index: t.exposeBoolean('index', { nullable: false, description: 'Whether nodes index it.' }),
    }),
  });
}

function addTxExec(builder: Builder): void {
  builder.objectType(refs.TxExecRef, {
    extensions: ofSent,
    description: 'What executing a transaction in a block gave.',
    fields: (t) => ({
      code: t.exposeInt('code', { nullable: false, description: '0 is success.' }),
      codespace: t.exposeString('codespace', { nullable: false }),
      log: t.exposeString('log', { nullable: false }),
      info: t.exposeString('info', { nullable: false }),
      data: t.expose('data', { type: 'Base64', nullable: true }),
      gasWanted: t.expose('gasWanted', { type: 'Int64', nullable: false }),
      gasUsed: t.expose('gasUsed', { type: 'Int64', nullable: false }),
      events: t.field({
        type: [refs.EventRef],
        nullable: false,
        args: { type: t.arg.string() },
        resolve: ({ events }: TxExec, { type }) => ofType(events, type),
      }),
    }),
  });
}
