import { type FileRegistry, fromJson, type JsonValue as ProtobufJson } from '@bufbuild/protobuf';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { camelCased, type QueryRow } from '../recordings/recordings.ts';
import { counts, fieldOf } from './groupOperations.ts';

/** The expected GraphQL result for a row: data, or an error with this code. */
export type Owed = { readonly answer: JsonValue } | { readonly code: string };

/** Converts a REST object of the group module to the form of the GraphQL schema. Addresses of accounts become `{ address }`. */
function shapeOf(value: JsonObject, registry: FileRegistry): JsonObject {
  const shaped = camelCased(value) as JsonObject;
  for (const name of ['admin', 'voter']) {
    if (name in shaped) shaped[name] = { address: shaped[name] };
  }
  if (Array.isArray(shaped.proposers)) shaped.proposers = shaped.proposers.map((address) => ({ address }));
  if (Array.isArray(value.messages)) shaped.messages = value.messages.map((any) => messageShape(any as JsonObject, registry));
  if (value.decision_policy !== undefined) shaped.decisionPolicy = policyShape(value.decision_policy as JsonObject);
  if (value.member !== undefined) {
    const { address, ...member } = camelCased(value.member) as JsonObject;
    return { groupId: shaped.groupId, account: { address }, ...member };
  }
  return shaped;
}

/** Encodes REST JSON with the descriptors of the chain. */
function messageShape(any: JsonObject, registry: FileRegistry): JsonObject {
  const json = camelCased(any);
  const { value } = fromJson(AnySchema, json as ProtobufJson, { registry });
  return { type: any['@type'], value: Buffer.from(value).toString('base64'), json };
}

function policyShape(policy: JsonObject): JsonObject {
  const { '@type': type, windows, ...rest } = camelCased(policy) as JsonObject;
  const name = String(type).split('.').at(-1) ?? '';
  return { __typename: name, type, json: camelCased(policy), windows, ...rest };
}

/** The end of a list is null in REST JSON and an empty string in protobuf JSON. */
const hasMore = (key: JsonValue | undefined): boolean => key !== null && key !== undefined && key !== '';

/**
 * Returns the expected GraphQL result for a row, from the recorded REST response, or from the row's own response if REST was
 * not recorded. An absent object is null; an invalid request is BAD_USER_INPUT. Throws for a row with neither response.
 */
export function owedBy(row: QueryRow, registry: FileRegistry): Owed {
  const field = fieldOf(row);
  const refused = row.rest === undefined || row.rest.status === 200 ? undefined : String(row.rest.body.message);
  if (refused !== undefined || row.response.code !== 0) {
    const why = refused ?? row.response.log;
    if (/not found|can't get the tally/.test(why)) return { answer: null };
    if (/bech32|either offset or key|height < 0/.test(why)) return { code: 'BAD_USER_INPUT' };
    if (/in the future/.test(why)) return { code: 'HEIGHT_NOT_YET_AVAILABLE' };
    throw new Error(`${row.name}: ${why}`);
  }
  const body = row.rest?.body ?? row.decoded ?? {};
  const content = body[field.from];
  if (!field.list) return { answer: shapeOf(content as JsonObject, registry) };
  const page = body.pagination as JsonObject;
  const nodes = (content as JsonObject[]).map((item) => shapeOf(item, registry));
  const totalCount = counts(row) ? { totalCount: page.total } : {};
  return { answer: { nodes, pageInfo: { hasNextPage: hasMore(page.next_key) }, ...totalCount } };
}
