import type { Builder } from '../schema/builder.ts';
import { addAccount } from './account/schema.ts';
import { addAny } from './any/schema.ts';
import { addAttributes } from './attribute/schema.ts';
import { addBank } from './bank/schema.ts';
import { addNode } from './blocks/schema.ts';
import { addFeeGrants } from './feegrant/schema.ts';
import { addFlatFees } from './flatfees/schema.ts';
import { addGroup } from './group/schema.ts';
import { addHolds } from './hold/schema.ts';
import { addMarkers } from './marker/schema.ts';
import { addMetadata } from './metadata/schema.ts';
import { addNames } from './name/schema.ts';
import { addNetAssetValues } from './netAssetValue/schema.ts';
import { addStaking } from './staking/schema.ts';
import { addSummaries } from './summaries/schema.ts';
import { addTransfers } from './transfers/schema.ts';

/**
 * Every module: the function that adds its types and fields to the schema. To register a module, add two lines: an import and an entry.
 * The order does not matter, because refs are only names.
 */
export const modules: readonly ((builder: Builder) => void)[] = [
  addAccount,
  addAny,
  addAttributes,
  addBank,
  addFeeGrants,
  addFlatFees,
  addGroup,
  addHolds,
  addMarkers,
  addMetadata,
  addNames,
  addNetAssetValues,
  addNode,
  addStaking,
  addTransfers,
  addSummaries,
];
