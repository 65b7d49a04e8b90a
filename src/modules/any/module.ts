import {
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  fromJson,
  type JsonObject as ProtoObject,
  type JsonValue as ProtoValue,
  type Registry,
  toBinary,
} from '@bufbuild/protobuf';
import type { Client } from '../../chain/client.ts';
import type { DescriptorPool } from '../../chain/descriptors/descriptorPool.ts';
import { isQueryService, isSimulation } from '../../chain/simulation/execution.ts';
import { type JsonValue, malformed } from '../../chain/wire/json.ts';
import { messageJson } from '../../chain/wire/protoJson.ts';
import { badInput } from '../../reads/errors.ts';
import type { Pin } from '../../reads/pin.ts';
import { queryLatest } from '../../reads/query.ts';

/** Encodes a message from protobuf JSON in camelCase or snake_case. Invalid JSON is BAD_USER_INPUT; the error names the field. */
export function encodeRequest(registry: Registry, desc: DescMessage, argument: string, givenJson: unknown): Uint8Array {
  // Values of the scalar JSON are JSON.
  const json = givenJson as ProtoValue;
  if (!isObject(json)) throw badInput(argument, shownJson(json), 'an object');
  try {
    return toBinary(desc, fromJson(desc, json, { registry }));
  } catch (error) {
    throw requestError(registry, desc, argument, json, error);
  }
}

function isObject(json: ProtoValue | undefined): json is ProtoObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function shownJson(json: ProtoValue | undefined): string {
  return typeof json === 'string' ? json : (JSON.stringify(json) ?? '');
}

/** The text of the library's error after the name of the type. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(text.indexOf('JSON: ') + 'JSON: '.length).slice(0, 200);
}

/** The error of the first field that fails on its own, or of the whole message if none does. */
function requestError(registry: Registry, desc: DescMessage, path: string, json: ProtoObject, error: unknown): Error {
  for (const [key, value] of Object.entries(json)) {
    const field = desc.fields.find(({ jsonName, name }) => jsonName === key || name === key);
    const within = `${path}.${key}`;
    if (field === undefined) return badInput(within, shownJson(value), `absent: ${desc.typeName} has no such field`);
    try {
      fromJson(desc, { [key]: value ?? null }, { registry });
    } catch (inner) {
      const isMessage = field.fieldKind === 'message' && !field.message.typeName.startsWith('google.protobuf.');
      if (isMessage && isObject(value)) return requestError(registry, field.message, within, value, inner);
      return badInput(within, shownJson(value), `of the type of ${field.toString()}: ${reasonOf(inner)}`);
    }
  }
  return badInput(path, shownJson(json), `a ${desc.typeName}: ${reasonOf(error)}`);
}

/** Whether a method describes the node or simulates a transaction. Such a method has no height, and its results are never cached. */
export function isLiveMethod(service: string, method: string): boolean {
  const isOfNode = service.startsWith('cosmos.base.tendermint.') || service.startsWith('cosmos.base.node.');
  return isOfNode || isSimulation(service, method);
}

/** The unary methods of a query service; empty if the chain does not describe the service. */
export function methodsOf(pool: Pick<DescriptorPool, 'service'>, service: string): readonly DescMethodUnary[] {
  const methods = pool.service(service)?.methods ?? [];
  return methods.filter((method): method is DescMethodUnary => method.methodKind === 'unary');
}

/**
 * The Query method with a full name, such as `provenance.exchange.v1.Query/GetOrder`, with or without a leading slash. Other
 * names are BAD_USER_INPUT.
 */
export function methodNamed(pool: DescriptorPool, argument: string, name: string): DescMethodUnary {
  const [, service = '', method] = /^\/?([\w.]{1,200})\/(\w{1,100})$/.exec(name) ?? [];
  const foundMethod = isQueryService(service) ? methodsOf(pool, service).find((each) => each.name === method) : undefined;
  if (foundMethod === undefined)
    throw badInput(argument, name, 'a Query method that the chain describes, such as `cosmos.bank.v1beta1.Query/Balance`');
  return foundMethod;
}

/**
 * Calls a Query method at the height of the pin, cached and batched like all reads. A live method (see {@link isLiveMethod}) is
 * called on the newest state and is not cached. `maySimulate`: see `CallOptions`. Fails with BAD_USER_INPUT if the request does not fit the method, and with
 * ABCI_QUERY_FAILED if the chain rejects it.
 */
export async function callModule(
  pin: Pin,
  pool: DescriptorPool,
  method: DescMethodUnary,
  request: unknown,
  maySimulate: boolean | null,
): Promise<JsonValue> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const bytes = encodeRequest(pool.registry, method.input, 'request', request);
  const isLive = isLiveMethod(method.parent.typeName, method.name);
  const answer = isLive
    ? await queryLatest({ client: pin.client, signal: pin.signal, maySimulate }, path, bytes)
    : await pin.state.query(path, bytes);
  try {
    return messageJson(pool.registry, method.output, answer);
  } catch {
    throw malformed(`${path} does not return the protobuf message of its method`);
  }
}

/** How many services are queried concurrently. */
const atOnce = 8;

/**
 * A chain can describe services that its application does not serve. Asks for the first method of each service once for each version of the application,
 * without running it, and for the others if the application does not know it. Leaves out the services of which it knows no method. If no node can be reached,
 * a service is kept. Rejects with the reason of `signal`.
 */
export async function servedServices(
  client: Pick<Client, 'serves'>,
  services: readonly DescService[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const served = new Set<string>();

  async function ask({ typeName, methods }: DescService): Promise<void> {
    const [first, ...others] = methods.filter(({ name }) => !isSimulation(typeName, name));
    const serves = ({ name }: DescMethod): Promise<boolean> => client.serves(`/${typeName}/${name}`, signal);
    try {
      if (first === undefined || (await serves(first)) || (await Promise.all(others.map(serves))).includes(true))
        served.add(typeName);
    } catch {
      signal?.throwIfAborted();
      served.add(typeName);
    }
  }

  for (let start = 0; start < services.length; start += atOnce) {
    await Promise.all(services.slice(start, start + atOnce).map(ask));
  }
  return served;
}
