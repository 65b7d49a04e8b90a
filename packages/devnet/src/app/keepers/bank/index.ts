import { create } from '@bufbuild/protobuf';
import { MetadataSchema } from '../../../../../../src/proto/cosmos/bank/v1beta1/bank_pb.js';
import { decodeAddress } from '../../runtime/address.ts';
import type { Keeper } from '../../runtime/keeper.ts';
import { createAccount, readAccount, writeAnyAccount } from '../base/auth.ts';
import { createBankMessages, type SendRestriction } from './messages.ts';
import { bankQueries } from './queries.ts';
import { writeMetadata } from './state.ts';
import { createVestingAccount } from './vesting.ts';

/** The bank module: balances, transfers, supply and display units. Vesting and held coins cannot be spent. */
export const createBankKeeper = (restrict: SendRestriction): Keeper => ({
  messages: createBankMessages(restrict),
  queries: bankQueries,
  initGenesis(context, { denomMetadata = [], vesting = [] }) {
    for (const metadata of denomMetadata) writeMetadata(context, create(MetadataSchema, metadata));
    for (const terms of vesting) {
      const address = decodeAddress(terms.address);
      const baseAccount = readAccount(context, address) ?? createAccount(context, address);
      writeAnyAccount(context, address, createVestingAccount(terms, baseAccount, context.block.time));
    }
  },
});
