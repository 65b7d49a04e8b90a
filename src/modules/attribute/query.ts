import { Query } from '../../proto/provenance/attribute/v1/query_pb.js';
import { exactPagination, exactReadOf, type Read, type ReadRequest, readOf, toPagination } from '../../reads/page.ts';
import { stateRead } from '../../reads/query.ts';
import { type Attribute, attributeFromWire } from './model.ts';

/**
 * The queries of `provenance.attribute.v1.Query`, each at the height of the state. Lists are empty for an unknown account or
 * name. The chain filters expired attributes after paging, so its next key does not prove that another item follows;
 * `exactPagination` reads one item more (docs/chain.md, "Scans").
 */

/** Reads the attributes of an account with exactly this name. The name must not be blank: the chain panics on one. */
export const attribute = stateRead({
  method: Query.method.attribute,
  request: (account: string, name: string, page: ReadRequest) => ({ account, name, pagination: exactPagination(page) }),
  value: ({ attributes, pagination }, _account, _name, page): Read<Attribute> =>
    exactReadOf(attributes.map(attributeFromWire), pagination, page),
});

/** Reads all attributes of an account. */
export const attributes = stateRead({
  method: Query.method.attributes,
  request: (account: string, page: ReadRequest) => ({ account, pagination: exactPagination(page) }),
  value: (answer, _account, page): Read<Attribute> =>
    exactReadOf(answer.attributes.map(attributeFromWire), answer.pagination, page),
});

/**
 * Reads the attributes of an account whose name ends with `suffix`: lower case, not empty. The chain scans all attributes of
 * the account.
 */
export const scan = stateRead({
  method: Query.method.scan,
  request: (account: string, suffix: string, page: ReadRequest) => ({ account, suffix, pagination: exactPagination(page) }),
  value: (answer, _account, _suffix, page): Read<Attribute> =>
    exactReadOf(answer.attributes.map(attributeFromWire), answer.pagination, page),
});

/** Reads the accounts that have an attribute of this name, including expired ones. */
export const attributeAccounts = stateRead({
  method: Query.method.attributeAccounts,
  request: (attributeName: string, page: ReadRequest) => ({ attributeName, pagination: toPagination(page) }),
  value: ({ accounts, pagination }, _name, page): Read<{ readonly address: string }> =>
    readOf(
      accounts.map((address) => ({ address })),
      pagination,
      page,
    ),
});

/** Reads the account data of an account; empty if it has none. */
export const accountData = stateRead({
  method: Query.method.accountData,
  request: (account: string) => ({ account }),
  value: ({ value }): string => value,
});
