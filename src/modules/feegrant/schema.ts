import { chainList } from '../../reads/chainList.ts';
import { addressInput, addressKey } from '../../reads/input.ts';
import { pinned, pinOf } from '../../reads/pin.ts';
import { connectionArgs } from '../../schema/args.ts';
import type { Builder } from '../../schema/builder.ts';
import { addConnection, chainConnection } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { addAllowances } from './allowanceSchema.ts';
import { createFeegrantLoaders } from './loaders.ts';
import type { FeeGrant } from './model.ts';
import { FeeAllowanceRef, FeeGrantConnectionRef, FeeGrantRef } from './refs.ts';

/** Adds the feegrant module: grants, one by one and of an account. Their page keys were never seen: lists are searched by offset. */
export function addFeeGrants(builder: Builder): void {
  addAllowances(builder);
  builder.objectType(FeeGrantRef, {
    description: 'An allowance that one account gives another to pay fees with.',
    fields: (t) => ({
      granter: t.field({ type: AccountRef, nullable: false, resolve: (grant) => accountOf(grant, grant.granter) }),
      grantee: t.field({ type: AccountRef, nullable: false, resolve: (grant) => accountOf(grant, grant.grantee) }),
      allowance: t.field({
        type: FeeAllowanceRef,
        nullable: false,
        resolve: (grant) => pinned(pinOf(grant), grant.allowance),
      }),
    }),
  });
  addConnection(builder, FeeGrantRef, FeeGrantConnectionRef, 'fee grants');
  addHeightFields(builder, (t) => ({
    feeGrant: t.field({
      type: FeeGrantRef,
      description: 'The allowance that one account gives another for fees; null when there is none.',
      args: { granter: t.arg.string({ required: true }), grantee: t.arg.string({ required: true }) },
      resolve: async (root, args) => {
        const pin = pinOf(root);
        const granter = addressInput('granter', args.granter);
        const grantee = addressInput('grantee', args.grantee);
        const grant = await pin.loaders(createFeegrantLoaders).grant.load({ granter, grantee });
        return grant && pinned(pin, grant);
      },
    }),
  }));
  builder.objectFields(AccountRef, (t) => ({
    feeGrantsReceived: t.field({
      type: FeeGrantConnectionRef,
      description: 'Allowances that others give it for fees.',
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
      description: 'Allowances that it gives others.',
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

/** As the chain sorts grants of one account: the other's address behind its length. The recorded order agrees. */
function grantKey(address: string): Uint8Array {
  const bytes = addressKey(address);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}
