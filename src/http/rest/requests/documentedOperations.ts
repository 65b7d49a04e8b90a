import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';
import { addressBytes } from '../../../reads/input.ts';
import { normalName } from '../../../reads/nameKey.ts';
import { ParameterError } from '../failures/parameterError.ts';
import type { RestRoute } from '../routes/routeTable.ts';

/** What a field of an operation that the seed names takes. Returns the value to be asked for; throws a {@link ParameterError}. */
type Check = (parameter: string, value: string) => string;

function refuse(parameter: string, value: string, bound: string): never {
  throw new ParameterError({ parameter, value, bound, nodeText: `invalid ${parameter}`, where: 'path' });
}

/** Whether its prefix is the chain's own is for the chain to say. */
const address: Check = (parameter, value) => {
  const bytes = addressBytes(value);
  return bytes === undefined || bytes.length === 0 ? refuse(parameter, value, 'a bech32 address') : value.toLowerCase();
};

/** The chain panics on a name of spaces alone (chain.md 4). It looks names up in lower case. */
const name: Check = (parameter, value) =>
  normalName(value) === '' ? refuse(parameter, value, 'an attribute name') : normalName(value);

/** Names are stored in lower case, and compared as they are. */
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

/** Checks what the operations that the seed names are asked with before a node is asked, as the graph does; equal questions are then equal bytes. */
export function checkOperation({ call }: RestRoute, json: JsonObject): JsonObject {
  const fields = checks[`${call.parent.typeName}/${call.name}`];
  if (fields === undefined) return json;
  const checked = Object.entries(fields).map(([field, check]): [string, JsonValue] => {
    const value = json[field];
    return [field, check(field, typeof value === 'string' ? value : '')];
  });
  return { ...json, ...Object.fromEntries(checked) };
}

/** How many times as much as usual an item of a list costs: the chain walks over all attributes of the account for a scan. */
export function factorOf({ call }: RestRoute): number {
  return `${call.parent.typeName}/${call.name}` === `${attribute}/Scan` ? 5 : 1;
}
