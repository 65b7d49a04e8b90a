import type { Builder } from '../graphql/builder.ts';
import { addAccount } from './account/schema.ts';
import { addAny } from './any/schema.ts';
import { addAttributes } from './attribute/schema.ts';
import { addBank } from './bank/schema.ts';
import { addFeeGrants } from './feegrant/schema.ts';
import { addFlatFees } from './flatfees/schema.ts';
import { addGroup } from './group/schema.ts';
import { addHolds } from './hold/schema.ts';
import { addMarkers } from './marker/schema.ts';
import { addMetadata } from './metadata/schema.ts';
import { addNames } from './name/schema.ts';
import { addNetAssetValues } from './netAssetValue/schema.ts';
import { addNode } from './node/schema.ts';
import { addStaking } from './staking/schema.ts';

/** Every module's part of the schema, in any order. A new module is one line here and one in `loaders.ts`. */
export const moduleSchemas: readonly ((builder: Builder) => void)[] = [
  addAny,
  addAccount,
  addNode,
  addAttributes,
  addBank,
  addGroup,
  addMarkers,
  addMetadata,
  addNames,
  addFeeGrants,
  addFlatFees,
  addHolds,
  addStaking,
  addNetAssetValues,
];
