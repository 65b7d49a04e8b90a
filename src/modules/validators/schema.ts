import type { Builder } from '../../schema/builder.ts';
import { addConsensusParams } from './consensusParamsSchema.ts';
import { addValidator } from './validatorSchema.ts';

/** Adds validator sets and consensus parameters. */
export function addValidators(builder: Builder): void {
  addValidator(builder);
  addConsensusParams(builder);
}
