import { fromBinary } from '@bufbuild/protobuf';
import { GrantSchema } from '../../../../../../src/proto/cosmos/feegrant/v1beta1/feegrant_pb.js';
import { Query } from '../../../../../../src/proto/cosmos/feegrant/v1beta1/query_pb.js';
import {
  MsgGrantAllowanceResponseSchema,
  MsgGrantAllowanceSchema,
  MsgRevokeAllowanceResponseSchema,
  MsgRevokeAllowanceSchema,
} from '../../../../../../src/proto/cosmos/feegrant/v1beta1/tx_pb.js';
import { abciError, StatusError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import { type Keeper, onMessage, onQuery } from '../../runtime/keeper.ts';
import type { StoreEntry } from '../../state/store.ts';
import { pageUnder, paginateHits, walk } from '../base/page.ts';
import {
  dropExpired,
  feegrantKeys,
  feegrantStore,
  findGrant,
  grantAllowance,
  granteePrefix,
  revokeAllowance,
} from './state.ts';

function grantIn({ value }: StoreEntry) {
  return fromBinary(GrantSchema, value);
}

/** The feegrant module. */
export const feegrantKeeper: Keeper = {
  messages: [
    onMessage(
      MsgGrantAllowanceSchema,
      MsgGrantAllowanceResponseSchema,
      ({ granter }) => [granter],
      (context, { granter, grantee, allowance }) => {
        grantAllowance(context, granter, grantee, allowance);
        return {};
      },
    ),
    onMessage(
      MsgRevokeAllowanceSchema,
      MsgRevokeAllowanceResponseSchema,
      ({ granter }) => [granter],
      (context, { granter, grantee }) => {
        revokeAllowance(context, granter, grantee);
        return {};
      },
    ),
  ],
  queries: [
    onQuery(Query.method.allowance, (state, { granter, grantee }) => {
      const allowance = findGrant(state, granter, grantee);
      if (allowance === undefined) throw new StatusError('Internal', abciError('notFound', 'fee-grant not found').message);
      return { allowance };
    }),
    onQuery(Query.method.allowances, (state, { grantee, pagination: request }) => {
      const { entries, pagination } = pageUnder(state, feegrantStore, granteePrefix(grantee), request);
      return { allowances: entries.map(grantIn), pagination };
    }),
    // The module has no index by granter, and iterates over all grants.
    onQuery(Query.method.allowancesByGranter, (state, { granter, pagination: request }) => {
      decodeAddress(granter);
      const all = walk(state, feegrantStore, feegrantKeys.grant, request);
      const { entries, pagination } = paginateHits(request, all, (entry) => grantIn(entry).granter === granter);
      return { allowances: entries.map(grantIn), pagination };
    }),
  ],
  endBlock: dropExpired,
};
