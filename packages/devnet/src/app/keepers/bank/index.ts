import { create } from '@bufbuild/protobuf';
import { MetadataSchema } from '../../../../../../src/proto/cosmos/bank/v1beta1/bank_pb.js';
import {
  BaseVestingAccountSchema,
  ContinuousVestingAccountSchema,
} from '../../../../../../src/proto/cosmos/vesting/v1beta1/vesting_pb.js';
import { decodeAddress } from '../../runtime/address.ts';
import { type Keeper, packAny } from '../../runtime/keeper.ts';
import { createAccount, readAccount, writeAnyAccount } from '../base/auth.ts';
import { createBankMessages, type SendRestriction } from './messages.ts';
import { bankQueries } from './queries.ts';
import { writeMetadata } from './state.ts';

const second = 1_000_000_000n;

/** The bank module: balances, transfers, supply and display units. Vesting and held coins cannot be spent. */
export const createBankKeeper = (restrict: SendRestriction): Keeper => ({
  messages: createBankMessages(restrict),
  queries: bankQueries,
  initGenesis(context, { denomMetadata = [], vesting = [] }) {
    for (const metadata of denomMetadata) writeMetadata(context, create(MetadataSchema, metadata));
    const now = context.block.time / second;
    for (const { address, coins, startsSecondsBefore, endsSecondsAfter } of vesting) {
      const bytes = decodeAddress(address);
      const baseAccount = readAccount(context, bytes) ?? createAccount(context, bytes);
      const account = create(ContinuousVestingAccountSchema, {
        baseVestingAccount: create(BaseVestingAccountSchema, {
          baseAccount,
          originalVesting: coins.map(({ denom, amount }) => ({ denom, amount: String(amount) })),
          endTime: now + BigInt(endsSecondsAfter),
        }),
        startTime: now - BigInt(startsSecondsBefore),
      });
      writeAnyAccount(context, bytes, packAny(ContinuousVestingAccountSchema, account));
    }
  },
});
