import {
  createRegistry,
  type DescField,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  getOption,
  hasOption,
  type Registry,
} from '@bufbuild/protobuf';
import { isChainError } from '../../chain/base/errors.ts';
import type { Client } from '../../chain/client.ts';
import type { DescriptorPool } from '../../chain/descriptors/descriptorPool.ts';
import { isQueryService, txService } from '../../chain/simulation/execution.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import { isAccountAddress } from '../../chain/wire/protoJson.ts';
import { isLiveMethod, methodsOf } from '../../modules/any/module.ts';
import { file_cosmos_auth_v1beta1_query } from '../../proto/cosmos/auth/v1beta1/query_pb.js';
import { file_cosmos_bank_v1beta1_query } from '../../proto/cosmos/bank/v1beta1/query_pb.js';
import { file_cosmos_bank_v1beta1_tx } from '../../proto/cosmos/bank/v1beta1/tx_pb.js';
import { file_cosmos_crypto_secp256k1_keys } from '../../proto/cosmos/crypto/secp256k1/keys_pb.js';
import { file_cosmos_feegrant_v1beta1_query } from '../../proto/cosmos/feegrant/v1beta1/query_pb.js';
import { file_cosmos_group_v1_query } from '../../proto/cosmos/group/v1/query_pb.js';
import { file_cosmos_group_v1_tx } from '../../proto/cosmos/group/v1/tx_pb.js';
import { file_cosmos_staking_v1beta1_query } from '../../proto/cosmos/staking/v1beta1/query_pb.js';
import { file_cosmos_tx_v1beta1_service } from '../../proto/cosmos/tx/v1beta1/service_pb.js';
import { http } from '../../proto/google/api/annotations_pb.js';
import type { HttpRule } from '../../proto/google/api/http_pb.js';
import { file_provenance_attribute_v1_query } from '../../proto/provenance/attribute/v1/query_pb.js';
import { file_provenance_flatfees_v1_query } from '../../proto/provenance/flatfees/v1/query_pb.js';
import { file_provenance_hold_v1_query } from '../../proto/provenance/hold/v1/query_pb.js';
import { file_provenance_marker_v1_query } from '../../proto/provenance/marker/v1/query_pb.js';
import { file_provenance_metadata_v1_query } from '../../proto/provenance/metadata/v1/query_pb.js';
import { file_provenance_name_v1_query } from '../../proto/provenance/name/v1/query_pb.js';
import { addressBytes, normalName } from '../../reads/input.ts';
import { ParameterError } from './dialect.ts';

/** One step of a `google.api.http` path template: a literal, `*` (one segment) or `**` (any number of segments). */
type Step = { readonly kind: 'literal'; readonly text: string } | { readonly kind: 'one' } | { readonly kind: 'rest' };

/**
 * A variable of a path. `field` is the protobuf names of its field: `pagination.limit` has two. Its value is the segments of
 * the steps from `start` (inclusive) to `end` (exclusive).
 */
interface PathVariable {
  readonly field: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** A path template, such as `/cosmos/bank/v1beta1/denom_owners/{denom=**}`. */
export interface Template {
  readonly text: string;
  readonly steps: readonly Step[];
  readonly variables: readonly PathVariable[];
}

function stepOf(text: string): Step {
  if (text === '*') return { kind: 'one' };
  return text === '**' ? { kind: 'rest' } : { kind: 'literal', text };
}

/** Parses a template. undefined if it is invalid or has a verb (`:cancel`), which no service of a chain uses. */
export function parseTemplate(text: string): Template | undefined {
  const steps: Step[] = [];
  const variables: PathVariable[] = [];
  // The pattern of a variable can contain slashes.
  const parts = /^(\/(\{[\w.]+(=[^{}]+)?\}|[^/{}:]+))+$/.test(text)
    ? text.matchAll(/\/(?:\{([\w.]+)(?:=([^{}]+))?\}|([^/{}]+))/g)
    : [];
  for (const [, name, pattern = '*', literal] of parts) {
    if (name === undefined) {
      steps.push(stepOf(literal ?? ''));
      continue;
    }
    const start = steps.length;
    steps.push(...pattern.split('/').map(stepOf));
    variables.push({ field: name.split('.'), start, end: steps.length });
  }
  // `**` is only allowed at the end, so that a path matches in one way only.
  const isReadable = steps.length > 0 && steps.slice(0, -1).every(({ kind }) => kind !== 'rest');
  return isReadable ? { text, steps, variables } : undefined;
}

/** Returns the text of each variable of a template. `segments` are those of the path. */
export function valuesIn(
  template: Template,
  segments: readonly string[],
): readonly { field: readonly string[]; text: string }[] {
  return template.variables.map(({ field, start, end }) => {
    const isRest = template.steps[end - 1]?.kind === 'rest';
    return { field, text: segments.slice(start, isRest ? undefined : end).join('/') };
  });
}

interface Branch<T> {
  readonly literals: Map<string, Branch<T>>;
  one: Branch<T> | undefined;
  value: T | undefined;
  /** Value of a template that ends with `**`. */
  rest: T | undefined;
}

function createBranch<T>(): Branch<T> {
  return { literals: new Map(), one: undefined, value: undefined, rest: undefined };
}

/**
 * Creates a function that returns the value of the template that some segments match. Literals take precedence over `*`, and `*` over `**`. undefined
 * if none matches. Of two templates that differ only in the names of variables, the first counts.
 */
export function createMatcher<T>(entries: Iterable<readonly [Template, T]>): (segments: readonly string[]) => T | undefined {
  const root = createBranch<T>();

  for (const [{ steps }, value] of entries) {
    let branch = root;
    for (const step of steps) {
      if (step.kind === 'rest') break;
      let next = step.kind === 'one' ? branch.one : branch.literals.get(step.text);
      if (next === undefined) {
        next = createBranch<T>();
        if (step.kind === 'one') branch.one = next;
        else branch.literals.set(step.text, next);
      }
      branch = next;
    }
    if (steps.at(-1)?.kind === 'rest') branch.rest ??= value;
    else branch.value ??= value;
  }

  function find(branch: Branch<T>, segments: readonly string[], at: number): T | undefined {
    const segment = segments[at];
    if (segment === undefined) return branch.value;
    const literal = branch.literals.get(segment);
    const one = segment === '' ? undefined : branch.one;
    // `**` needs at least one segment that is not empty: `/denoms_metadata/` has none.
    const isSome = segments.slice(at).some((each) => each !== '');
    return (
      (literal && find(literal, segments, at + 1)) ?? (one && find(one, segments, at + 1)) ?? (isSome ? branch.rest : undefined)
    );
  }

  return (segments) => find(root, segments, 0);
}

interface RouteParameter {
  /** Name in the node's dialect and in the descriptors: `pagination.count_total`. */
  readonly name: string;
  /**
   * Name in the documented dialect: as in the template for a path parameter, camelCase for a query parameter
   * (`pagination.countTotal`). Both dialects accept both names.
   */
  readonly documentedName: string;
  readonly where: 'path' | 'query';
  readonly required: boolean;
  readonly repeated: boolean;
  readonly field: DescField;
}

/** Messages with a text format. Their fields are not parameters. */
const textual: readonly string[] = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];

const deepest = 4;

/** Whether a field takes one or several text values. */
export function isLeaf(field: DescField): boolean {
  switch (field.fieldKind) {
    case 'scalar':
    case 'enum':
      return true;
    case 'list':
      return field.listKind !== 'message';
    case 'message':
      return textual.includes(field.message.typeName);
    case 'map':
      return false;
  }
}

export function fieldNamed(desc: DescMessage, name: string): DescField | undefined {
  return desc.fields.find((field) => field.name === name || field.jsonName === name);
}

function leavesOf(desc: DescMessage, above: readonly DescField[] = []): readonly (readonly DescField[])[] {
  return desc.fields.flatMap((field) => {
    const path = [...above, field];
    if (isLeaf(field)) return [path];
    return field.fieldKind === 'message' && path.length < deepest ? leavesOf(field.message, path) : [];
  });
}

/** Returns the parameters of a route: the variables of its path, and without a body all other fields of the request. */
function parametersOf(request: DescMessage, template: Template, hasBody: boolean): readonly RouteParameter[] {
  const inPath = template.variables.map(({ field }) => field.join('.'));
  return leavesOf(request).flatMap((path) => {
    const field = path.at(-1);
    const name = path.map((each) => each.name).join('.');
    const where = inPath.includes(name) ? 'path' : 'query';
    if (field === undefined || (where === 'query' && hasBody)) return [];
    const documentedName = where === 'path' ? name : path.map(({ jsonName }) => jsonName).join('.');
    return [{ name, documentedName, where, required: where === 'path', repeated: field.fieldKind === 'list', field } as const];
  });
}

/**
 * A REST route, from a `google.api.http` rule of the chain. Both dialects have all routes: the documented dialect at the path
 * of the template, the node's dialect at the same path under `/rest`.
 */
export interface RestRoute {
  readonly httpMethod: 'GET' | 'POST';
  readonly template: Template;
  /** The method of the chain: `call.input` is its request, `call.output` its response, `call.parent` its service. */
  readonly call: DescMethodUnary;
  readonly hasBody: boolean;
  readonly parameters: readonly RouteParameter[];
  /**
   * Whether the route has no fixed height, because it reports the state of the node, simulates, or belongs to the transaction
   * service. Such responses are never cached.
   */
  readonly isLive: boolean;
}

interface ServiceSource {
  readonly services: readonly string[];
  service(name: string): DescService | undefined;
  readonly registry: Registry;
}

export interface RouteTable {
  /** In the order of the service names, then of the descriptors. */
  readonly routes: readonly RestRoute[];
  /** Returns the routes at a path by HTTP method. undefined if there are none. `segments` are the decoded segments of the path without `/rest`. */
  find(segments: readonly string[]): ReadonlyMap<string, RestRoute> | undefined;
  /** The first segments of all paths: `cosmos`, `provenance`, `ibc`, … */
  readonly roots: ReadonlySet<string>;
  readonly registry: Registry;
}

/** Returns the routes of a rule and of its additional bindings. Only GET, and POST of the whole request, are reads. */
function routesOf(call: DescMethodUnary, rule: HttpRule): readonly RestRoute[] {
  const more = rule.additionalBindings.flatMap((binding) => routesOf(call, binding));
  const { case: method, value: path } = rule.pattern;
  const hasBody = method === 'post';
  if ((method !== 'get' && !hasBody) || rule.body !== (hasBody ? '*' : '')) return more;
  const template = parseTemplate(path);
  if (template === undefined) return more;
  const isLive = isLiveMethod(call.parent.typeName, call.name) || call.parent.typeName === txService;
  const parameters = parametersOf(call.input, template, hasBody);
  return [{ httpMethod: hasBody ? 'POST' : 'GET', template, call, hasBody, parameters, isLive }, ...more];
}

/** Yields to the event loop, because the first access to a service decodes its files. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Creates the route table of a chain: every reading method that has a rule. Of two rules with the same path, the first counts.
 * Decodes the descriptors of all services, about 100 ms for a real chain, and yields to the event loop between services.
 */
export async function createRouteTable(source: ServiceSource): Promise<RouteTable> {
  const routes: RestRoute[] = [];
  for (const name of source.services) {
    if (!isQueryService(name) && name !== txService) continue;
    await nextTurn();
    for (const method of methodsOf(source, name)) {
      // It is the method of the transaction service that is not a route. The others read or simulate.
      const sends = name === txService && method.name === 'BroadcastTx';
      if (!sends && hasOption(method, http)) routes.push(...routesOf(method, getOption(method, http)));
    }
  }
  const paths = new Map<string, readonly [Template, Map<string, RestRoute>]>();
  const distinct = routes.filter((route) => {
    const { template, httpMethod } = route;
    const shape = template.steps.map((step) => (step.kind === 'literal' ? `/${step.text}` : `{${step.kind}}`)).join('');
    const path = paths.get(shape) ?? ([template, new Map<string, RestRoute>()] as const);
    paths.set(shape, path);
    if (path[1].has(httpMethod)) return false;
    path[1].set(httpMethod, route);
    return true;
  });
  const roots = distinct.flatMap(({ template: { steps } }) => (steps[0]?.kind === 'literal' ? [steps[0].text] : []));
  return { routes: distinct, find: createMatcher(paths.values()), roots: new Set(roots), registry: source.registry };
}

/** The routes of the connected chain. */
export type RouteTables = ReturnType<typeof createRouteTables>;

/** First path segments of the routes of the recorded chain. */
const defaultRoots: readonly string[] = ['cosmos', 'cosmwasm', 'ibc', 'provenance'];

function compiledServices(): ServiceSource {
  const registry = createRegistry(
    file_cosmos_auth_v1beta1_query,
    file_cosmos_bank_v1beta1_query,
    file_cosmos_bank_v1beta1_tx,
    file_cosmos_crypto_secp256k1_keys,
    file_cosmos_feegrant_v1beta1_query,
    file_cosmos_group_v1_query,
    file_cosmos_group_v1_tx,
    file_cosmos_staking_v1beta1_query,
    file_cosmos_tx_v1beta1_service,
    file_provenance_attribute_v1_query,
    file_provenance_flatfees_v1_query,
    file_provenance_hold_v1_query,
    file_provenance_marker_v1_query,
    file_provenance_metadata_v1_query,
    file_provenance_name_v1_query,
  );
  const services = [...registry].flatMap((type) => (type.kind === 'service' ? [type.typeName] : []));
  return { services: services.toSorted(), service: (name) => registry.getService(name), registry };
}

/** Creates the route tables of a chain. The descriptors are read on first use. */
export function createRouteTables(client: Pick<Client, 'descriptors'>) {
  let current: { pool: DescriptorPool | undefined; table: Promise<RouteTable>; ready: RouteTable | undefined } | undefined;
  let roots: ReadonlySet<string> = new Set(defaultRoots);

  function tableOf(pool: DescriptorPool | undefined): Promise<RouteTable> {
    if (current !== undefined && current.pool === pool) return current.table;
    const table = createRouteTable(pool ?? compiledServices());
    const created: NonNullable<typeof current> = { pool, table, ready: undefined };
    current = created;
    table.then(
      (ready) => {
        created.ready = ready;
        roots = new Set([...defaultRoots, ...ready.roots]);
      },
      () => {
        if (current?.table === table) current = undefined;
      },
    );
    return table;
  }

  return {
    /** Returns the route table, which is created once for each set of descriptors. Rejects with a NODE_… error if they cannot be read. */
    async table(options?: { readonly signal: AbortSignal }): Promise<RouteTable> {
      let pool: DescriptorPool | undefined;
      try {
        pool = await client.descriptors.pool(options);
      } catch (error) {
        if (!isChainError(error, 'ABCI_QUERY_FAILED')) throw error;
      }
      return tableOf(pool);
    },
    /** The table that `table` would return, if its descriptors are loaded and it is created. undefined if not. */
    known(): RouteTable | undefined {
      const pool = client.descriptors.current();
      return pool !== undefined && current?.pool === pool ? current.ready : undefined;
    },
    /** Whether paths with this first segment belong to REST. Common segments are known before the descriptors are read. */
    isRoot: (segment: string): boolean => roots.has(segment),
  };
}

/** Checks a field of a documented operation. Returns the normalized value, or throws a {@link ParameterError}. */
type Check = (parameter: string, value: string) => string;

function check(bound: string, normalize: (value: string) => string): Check {
  return (parameter, value) => {
    const normal = normalize(value);
    if (normal !== '') return normal;
    throw new ParameterError({ parameter, value, bound, nodeText: `invalid ${parameter}`, where: 'path' });
  };
}

/** The chain checks the prefix. */
const address = check('a bech32 address', (value) => (addressBytes(value)?.length ? value.toLowerCase() : ''));

/** The chain panics on a name that consists of spaces (docs/chain.md, "Attributes"). It looks names up in lower case. */
const name = check('an attribute name', normalName);

/** The chain stores names in lower case, and compares suffixes with their case. */
const suffix = check('the end of an attribute name', normalName);

const group = 'cosmos.group.v1.Query';
const attribute = 'provenance.attribute.v1.Query';

const checks: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  [`${group}/ProposalsByGroupPolicy`]: { address },
  [`${group}/VoteByProposalVoter`]: { voter: address },
  [`${group}/VotesByVoter`]: { voter: address },
  [`${attribute}/Scan`]: { account: address, suffix },
  [`${attribute}/Attribute`]: { account: address, name },
};

/** Checks and normalizes the parameters of the documented operations, as GraphQL does. Equal requests then have equal bytes in the cache. */
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
  const addressFields = call.input.fields.filter((field) => checked[field.jsonName] === address || isAccountAddress(field));
  const values = addressFields.map(({ jsonName }) => [jsonName, json[jsonName]] as const);
  // Other text is left to the chain.
  return Object.fromEntries(
    values.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && addressBytes(entry[1]) !== undefined),
  );
}

/** Returns the price of an item of a list, in multiples of the default. For a scan, the chain iterates over all attributes of the account. */
export function factorOf({ call }: RestRoute): number {
  return `${call.parent.typeName}/${call.name}` === `${attribute}/Scan` ? 5 : 1;
}
