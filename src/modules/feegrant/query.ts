import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/cosmos/feegrant/v1beta1/query_pb.js';
import { readExactly, readOf, toPagination } from '../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../reads/page.ts';
import { queryState, queryStateOrNull } from '../../reads/query.ts';
import { type FeeGrant, grantFromWire } from './model.ts';

/** Reads the fee grant of one account to another; null if there is none. */
export async function allowance(state: StateAt, granter: string, grantee: string): Promise<FeeGrant | null> {
  const absences = ['rpc error: code = Internal desc = fee-grant not found'];
  const answer = await queryStateOrNull(state, Query.method.allowance, { granter, grantee }, absences);
  return answer?.allowance ? grantFromWire(answer.allowance) : null;
}

/** Reads the fee grants that an account received, by granter. */
export async function allowances(state: StateAt, grantee: string, page: ReadRequest): Promise<Read<FeeGrant>> {
  const answer = await queryState(state, Query.method.allowances, { grantee, pagination: toPagination(page) });
  return readOf(answer.allowances.map(grantFromWire), answer.pagination, page);
}

/** Reads the fee grants that an account issued, by grantee. The chain scans all fee grants. */
export function allowancesByGranter(state: StateAt, granter: string, page: ReadRequest): Promise<Read<FeeGrant>> {
  return readExactly(page, async (pagination) => {
    const answer = await queryState(state, Query.method.allowancesByGranter, { granter, pagination: toPagination(pagination) });
    return readOf(answer.allowances.map(grantFromWire), answer.pagination, pagination);
  });
}
