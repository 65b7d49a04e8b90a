import type { ValidatorUpdate } from '../../chain/wire/block.ts';
import { checkHeight } from '../../reads/height.ts';
import { pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, PublicKeyRef } from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { eventsOfType } from '../events/events.ts';
import { EventRef } from '../events/refs.ts';
import { ConsensusParamsRef } from '../validators/refs.ts';
import { createBlockLoaders } from './loaders.ts';
import * as refs from './refs.ts';

const ValidatorUpdateRef = createRef<ValidatorUpdate>('ValidatorUpdate');

/** Adds `BlockResults` and `Query.blockResults`. */
export function addResults(builder: Builder): void {
  builder.objectType(refs.BlockResultsRef, {
    description: 'The results of executing a block.',
    fields: (t) => ({
      height: t.expose('height', { type: 'Int64', nullable: false }),
      finalizeBlockEvents: t.field({
        type: [EventRef],
        nullable: false,
        description: 'The events of the begin and end of the block; with `type`, only those of this type.',
        args: { type: t.arg.string() },
        resolve: ({ outcome }, { type }) => eventsOfType(outcome.events, type),
      }),
      validatorUpdates: t.field({
        type: [ValidatorUpdateRef],
        nullable: false,
        resolve: ({ outcome }) => outcome.validatorUpdates,
      }),
      consensusParamUpdates: t.field({
        type: ConsensusParamsRef,
        description: 'null if the block changed no parameter. Groups without a change are null.',
        resolve: ({ outcome }) => outcome.consensusParamUpdates,
      }),
      appHash: t.field({ type: 'Hex', nullable: false, resolve: ({ outcome }) => outcome.appHash }),
    }),
  });
  builder.objectType(ValidatorUpdateRef, {
    description: 'A change of the validator set. Power 0 removes the validator.',
    fields: (t) => ({
      publicKey: t.expose('publicKey', { type: PublicKeyRef, nullable: false }),
      power: t.expose('power', { type: 'Int64', nullable: false }),
    }),
  });
  addHeightFields(builder, (t) => ({
    blockResults: t.field({
      type: refs.BlockResultsRef,
      description: 'The results of executing the block at `height`. Default: the height of the operation.',
      args: { height: t.arg({ type: 'Int64' }) },
      resolve: (root, { height }) => {
        const pin = pinOf(root);
        return pin.loaders(createBlockLoaders).results.load(checkHeight('height', height ?? pin.height, pin.height));
      },
    }),
  }));
}
