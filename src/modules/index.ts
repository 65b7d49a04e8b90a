import type { Builder } from '../schema/builder.ts';
import { addAccount } from './account/schema.ts';
import { addAny } from './any/schema.ts';
import { addAttributes } from './attribute/schema.ts';
import { addAuthz } from './authz/schema.ts';
import { addBank } from './bank/schema.ts';
import { addBlocks } from './blocks/schema.ts';
import { addBroadcast } from './broadcast/schema.ts';
import { addContractEvents } from './contract/events.ts';
import { addContracts } from './contract/schema.ts';
import { addEvents } from './events/schema.ts';
import { addExchange } from './exchange/schema.ts';
import { addFeeGrants } from './feegrant/schema.ts';
import { addFees } from './fees/schema.ts';
import { addGovAccountVotes } from './gov/accountVotes.ts';
import { addGov } from './gov/schema.ts';
import { addGovUpdates } from './gov/updates.ts';
import { addGroup } from './group/schema.ts';
import { addHolds } from './hold/schema.ts';
import { addIbc } from './ibc/schema.ts';
import { addMarkers } from './marker/schema.ts';
import { addScopeRecords } from './metadata/recordSchema.ts';
import { addMetadata } from './metadata/schema.ts';
import { addSpecifications } from './metadata/specificationSchema.ts';
import { addNames } from './name/schema.ts';
import { addNetAssetValues } from './netAssetValue/schema.ts';
import { addNodes } from './nodes/schema.ts';
import { addGovRecords } from './records/govSchema.ts';
import { addRecords } from './records/schema.ts';
import { addRehearsals } from './rehearsal/schema.ts';
import { addSearch } from './search/schema.ts';
import { addStaking } from './staking/schema.ts';
import { addStake } from './staking/stakeSchema.ts';
import { addStatements } from './statements/schema.ts';
import { addSummaries } from './summaries/schema.ts';
import { addTransactions } from './transactions/schema.ts';
import { addTransfers } from './transfers/schema.ts';
import { addValidators } from './validators/schema.ts';
import { addVesting } from './vesting/schema.ts';
import { addWebhooks } from './webhooks/schema.ts';

/** The function of each module that adds it to the schema. To register a module, add an import and an entry. The order does not matter. */
export const modules: readonly ((builder: Builder) => void)[] = [
  addAccount,
  addAny,
  addAttributes,
  addAuthz,
  addBank,
  addBlocks,
  addBroadcast,
  addContractEvents,
  addContracts,
  addEvents,
  addExchange,
  addFeeGrants,
  addGov,
  addGovAccountVotes,
  addGovUpdates,
  addFees,
  addGroup,
  addHolds,
  addIbc,
  addMarkers,
  addMetadata,
  addScopeRecords,
  addSpecifications,
  addNames,
  addNetAssetValues,
  addNodes,
  addRecords,
  addRehearsals,
  addGovRecords,
  addSearch,
  addStake,
  addStaking,
  addSummaries,
  addTransactions,
  addTransfers,
  addStatements,
  addValidators,
  addVesting,
  addWebhooks,
];
