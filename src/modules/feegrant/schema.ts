import { addressKey } from '../../reads/input.ts';
import { andThen, both } from '../../reads/loader.ts';
import { chainList } from '../../reads/page.ts';
import { pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs } from '../../schema/builder.ts';
import { addConnection, chainConnection } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/addressInput.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { addAllowances } from './allowanceSchema.ts';
import { createFeegrantLoaders } from './loaders.ts';
import type { FeeGrant } from './model.ts';
import { FeeAllowanceRef, FeeGrantConnectionRef, FeeGrantRef } from './refs.ts';

/**
 * Adds the feegrant module: single fee grants and those of an account. Lists are paged by offset: no page key of them was
 * recorded.
 */
export function addFeeGrants(builder: Builder): void {
  addAllowances(builder);
  builder.objectType(FeeGrantRef, {
    description: 'A fee grant: the granter pays transaction fees of the grantee, within the allowance.',
    fields: (t) => ({
      granter: t.field({
        type: AccountRef,
        nullable: false,
        description: 'The account that pays the fees.',
        resolve: (grant) => accountOf(grant, grant.granter),
      }),
      grantee: t.field({
        type: AccountRef,
        nullable: false,
        description: 'The account whose fees are paid.',
        resolve: (grant) => accountOf(grant, grant.grantee),
      }),
      allowance: t.field({
        type: FeeAllowanceRef,
        nullable: false,
        description: 'Terms of the grant.',
        resolve: (grant) => pinned(pinOf(grant), grant.allowance),
      }),
    }),
  });
  addConnection(builder, FeeGrantRef, FeeGrantConnectionRef, 'fee grants');
  addHeightFields(builder, (t) => ({
    feeGrant: t.field({
      type: FeeGrantRef,
      description: 'The fee grant of `granter` to `grantee`; null if there is none.',
      args: { granter: t.arg.string({ required: true }), grantee: t.arg.string({ required: true }) },
      resolve: (root, args) => {
        const pin = pinOf(root);
        const grant = both(
          accountInput(pin, 'granter', args.granter),
          accountInput(pin, 'grantee', args.grantee),
          (granter, grantee) => pin.loaders(createFeegrantLoaders).grant.load({ granter, grantee }),
        );
        return andThen(grant, (found) => found && pinned(pin, found));
      },
    }),
  }));
  builder.objectFields(AccountRef, (t) => ({
    feeGrantsReceived: t.field({
      type: FeeGrantConnectionRef,
      description: 'Fee grants that the account received, by granter.',
      args: connectionArgs(builder),
      resolve: ({ address, ...account }, args, _context, info) => {
        const pin = pinOf(account);
        const list = chainList(pin.loaders(createFeegrantLoaders).received, address, ({ granter }: FeeGrant) =>
          grantKey(granter),
        );
        return chainConnection(pin, `feeGrantsReceived/${address}`, list, args, info);
      },
    }),
    feeGrantsIssued: t.field({
      type: FeeGrantConnectionRef,
      description: 'Fee grants that the account issued, by grantee.',
      args: connectionArgs(builder),
      resolve: ({ address, ...account }, args, _context, info) => {
        const pin = pinOf(account);
        const list = chainList(pin.loaders(createFeegrantLoaders).issued, address, ({ grantee }: FeeGrant) =>
          grantKey(grantee),
        );
        return chainConnection(pin, `feeGrantsIssued/${address}`, list, args, info);
      },
    }),
  }));
}

/**
 * Sort key of the grants of one account, consistent with the recorded order: the length of the other address, then the address.
 */
function grantKey(address: string): Uint8Array {
  const bytes = addressKey(address);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}
