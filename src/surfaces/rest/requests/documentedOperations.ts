import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';
import { isAccountAddress } from '../../../chain/wire/protoJson.ts';
import { addressBytes, normalName } from '../../../reads/input.ts';
import { ParameterError } from '../failures/parameterError.ts';
import type { RestRoute } from '../routes/routeTable.ts';

/** Checks a field of a documented operation. Returns the normalized value, or throws a {@link ParameterError}. */
type Check = (parameter: string, value: string) => string;

function refuse(parameter: string, value: string, bound: string): never {
  throw new ParameterError({ parameter, value, bound, nodeText: `invalid ${parameter}`, where: 'path' });
}

/** The chain checks the prefix. */
const address: Check = (parameter, value) => {
  const bytes = addressBytes(value);
  return bytes === undefined || bytes.length === 0 ? refuse(parameter, value, 'a bech32 address') : value.toLowerCase();
};

/** The chain panics on a name that consists of spaces (docs/chain.md, "Attributes"). It looks names up in lower case. */
const name: Check = (parameter, value) =>
  normalName(value) === '' ? refuse(parameter, value, 'an attribute name') : normalName(value);

/** The chain stores names in lower case, and compares suffixes with their case. */
const suffix: Check = (parameter, value) =>
  normalName(value) === '' ? refuse(parameter, value, 'the end of an attribute name') : normalName(value);

const group = 'cosmos.group.v1.Query';
const attribute = 'provenance.attribute.v1.Query';

const checks: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  [`${group}/ProposalsByGroupPolicy`]: { address },
  [`${group}/VoteByProposalVoter`]: { voter: address },
  [`${group}/VotesByVoter`]: { voter: address },
  [`${attribute}/Scan`]: { account: address, suffix },
  [`${attribute}/Attribute`]: { account: address, name },
};

/**
 * Checks and normalizes the parameters of the documented operations, as GraphQL does. Equal requests then have equal bytes in
 * the cache.
 */
export function checkOperation({ call }: RestRoute, json: JsonObject): JsonObject {
  const fields = checks[`${call.parent.typeName}/${call.name}`];
  if (fields === undefined) return json;
  const checked = Object.entries(fields).map(([field, check]): [string, JsonValue] => {
    const value = json[field];
    return [field, check(field, typeof value === 'string' ? value : '')];
  });
  return { ...json, ...Object.fromEntries(checked) };
}

/** Returns the addresses of accounts in a request, by the names of their fields. Bytes and parts of the request are left out. */
export function accountsIn({ call }: RestRoute, json: JsonObject): Readonly<Record<string, string>> {
  const checked = checks[`${call.parent.typeName}/${call.name}`] ?? {};
  const named = call.input.fields.filter((field) => checked[field.jsonName] === address || isAccountAddress(field));
  const values = named.map(({ jsonName }) => [jsonName, json[jsonName]] as const);
  // Other text is left to the chain.
  return Object.fromEntries(
    values.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && addressBytes(entry[1]) !== undefined),
  );
}

/**
 * Returns the price of an item of a list, in multiples of the default. For a scan, the chain iterates over all attributes of
 * the account.
 */
export function factorOf({ call }: RestRoute): number {
  return `${call.parent.typeName}/${call.name}` === `${attribute}/Scan` ? 5 : 1;
}
