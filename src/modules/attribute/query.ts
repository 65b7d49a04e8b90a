import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/attribute/v1/query_pb.js';
import { readExactly, readOf, toPagination } from '../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../reads/page.ts';
import { queryState } from '../../reads/query.ts';
import { type Attribute, attributeFromWire } from './model.ts';

/**
 * The queries of `provenance.attribute.v1.Query`, each at the height of the state. Lists are empty for an unknown account or
 * name. The chain filters expired attributes after paging, so its next key does not prove that another item follows;
 * `readExactly` reads one item more (docs/chain.md, "Scans").
 */

/** Reads the attributes of an account with exactly this name. The name must not be blank: the chain panics on one. */
export function attribute(state: StateAt, account: string, name: string, page: ReadRequest): Promise<Read<Attribute>> {
  return readExactly(page, async (pagination) => {
    const answer = await queryState(state, Query.method.attribute, { account, name, pagination: toPagination(pagination) });
    return readOf(answer.attributes.map(attributeFromWire), answer.pagination, pagination);
  });
}

/** Reads all attributes of an account. */
export function attributes(state: StateAt, account: string, page: ReadRequest): Promise<Read<Attribute>> {
  return readExactly(page, async (pagination) => {
    const answer = await queryState(state, Query.method.attributes, { account, pagination: toPagination(pagination) });
    return readOf(answer.attributes.map(attributeFromWire), answer.pagination, pagination);
  });
}

/**
 * Reads the attributes of an account whose name ends with `suffix`: lower case, not empty. The chain scans all attributes of
 * the account.
 */
export function scan(state: StateAt, account: string, suffix: string, page: ReadRequest): Promise<Read<Attribute>> {
  return readExactly(page, async (pagination) => {
    const answer = await queryState(state, Query.method.scan, { account, suffix, pagination: toPagination(pagination) });
    return readOf(answer.attributes.map(attributeFromWire), answer.pagination, pagination);
  });
}

/** Reads the accounts that have an attribute of this name, including expired ones. */
export async function attributeAccounts(
  state: StateAt,
  attributeName: string,
  page: ReadRequest,
): Promise<Read<{ readonly address: string }>> {
  const answer = await queryState(state, Query.method.attributeAccounts, { attributeName, pagination: toPagination(page) });
  return readOf(
    answer.accounts.map((address) => ({ address })),
    answer.pagination,
    page,
  );
}

/** Reads the account data of an account; empty if it has none. */
export async function accountData(state: StateAt, account: string): Promise<string> {
  return (await queryState(state, Query.method.accountData, { account })).value;
}
