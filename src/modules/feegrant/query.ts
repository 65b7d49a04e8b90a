import { Query } from '../../proto/cosmos/feegrant/v1beta1/query_pb.js';
import { exactPagination, exactReadOf, type Read, type ReadRequest, readOf, toPagination } from '../../reads/page.ts';
import { stateRead, stateReadOrNull } from '../../reads/query.ts';
import { type FeeGrant, grantFromWire } from './model.ts';

/** Reads the fee grant of one account to another; null if there is none. */
export const allowance = stateReadOrNull({
  method: Query.method.allowance,
  request: (granter: string, grantee: string) => ({ granter, grantee }),
  value: (answer): FeeGrant | null => (answer.allowance ? grantFromWire(answer.allowance) : null),
  absences: ['rpc error: code = Internal desc = fee-grant not found'],
});

/** Reads the fee grants that an account received, by granter. */
export const allowances = stateRead({
  method: Query.method.allowances,
  request: (grantee: string, page: ReadRequest) => ({ grantee, pagination: toPagination(page) }),
  value: (answer, _grantee, page): Read<FeeGrant> => readOf(answer.allowances.map(grantFromWire), answer.pagination, page),
});

/** Reads the fee grants that an account issued, by grantee. The chain scans all fee grants. */
export const allowancesByGranter = stateRead({
  method: Query.method.allowancesByGranter,
  request: (granter: string, page: ReadRequest) => ({ granter, pagination: exactPagination(page) }),
  value: (answer, _granter, page): Read<FeeGrant> => exactReadOf(answer.allowances.map(grantFromWire), answer.pagination, page),
});
