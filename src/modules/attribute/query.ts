import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/attribute/v1/query_pb.js';
import { readExactly, readOf, toPagination } from '../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../reads/page.ts';
import { queryState } from '../../reads/query.ts';
import { type Attribute, attributeFromWire } from './model.ts';

/**
 * The queries of `provenance.attribute.v1.Query`, each at the state's height. Lists are empty for an account or name that the chain does
 * not know. The chain leaves expired attributes out while it walks, so it may say that more follows where nothing does:
 * `readExactly` looks one further.
 */

/** Attributes of an account with exactly this name, which must hold more than space: the chain panics on such. */
export function attribute(state: StateAt, account: string, name: string, page: ReadRequest): Promise<Read<Attribute>> {
  return readExactly(page, async (pagination) => {
    const answer = await queryState(state, Query.method.attribute, { account, name, pagination: toPagination(pagination) });
    return readOf(answer.attributes.map(attributeFromWire), answer.pagination, pagination);
  });
}

/** All attributes of an account. */
export function attributes(state: StateAt, account: string, page: ReadRequest): Promise<Read<Attribute>> {
  return readExactly(page, async (pagination) => {
    const answer = await queryState(state, Query.method.attributes, { account, pagination: toPagination(pagination) });
    return readOf(answer.attributes.map(attributeFromWire), answer.pagination, pagination);
  });
}

/** Attributes of an account whose name ends with `suffix`, in lower case and not empty. The chain walks over all of the account's. */
export function scan(state: StateAt, account: string, suffix: string, page: ReadRequest): Promise<Read<Attribute>> {
  return readExactly(page, async (pagination) => {
    const answer = await queryState(state, Query.method.scan, { account, suffix, pagination: toPagination(pagination) });
    return readOf(answer.attributes.map(attributeFromWire), answer.pagination, pagination);
  });
}

/** Accounts that carry an attribute of this name, expired ones too. */
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

/** What an account says of itself; empty when nothing. */
export async function accountData(state: StateAt, account: string): Promise<string> {
  return (await queryState(state, Query.method.accountData, { account })).value;
}
