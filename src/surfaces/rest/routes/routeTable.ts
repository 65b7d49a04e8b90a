import { type DescMethodUnary, type DescService, getOption, hasOption, type Registry } from '@bufbuild/protobuf';
import { isQueryService, txService } from '../../../chain/simulation/execution.ts';
import { isLiveMethod, methodsOf } from '../../../modules/any/module.ts';
import { http } from '../../../proto/google/api/annotations_pb.js';
import type { HttpRule } from '../../../proto/google/api/http_pb.js';
import { createMatcher } from './matcher.ts';
import { parametersOf, type RouteParameter } from './routeParameters.ts';
import { parseTemplate, type Template } from './template.ts';

/**
 * A REST route, from a `google.api.http` rule of the chain. Both dialects have all routes: the documented dialect at the path
 * of the template, the node's dialect at the same path under `/rest`.
 */
export interface RestRoute {
  readonly httpMethod: 'GET' | 'POST';
  readonly template: Template;
  /** The method of the chain: `call.input` is its request, `call.output` its response, `call.parent` its service. */
  readonly call: DescMethodUnary;
  /** Whether the request is a JSON body. */
  readonly hasBody: boolean;
  readonly parameters: readonly RouteParameter[];
  /**
   * Whether the route has no fixed height, because it reports the state of the node, simulates, or belongs to the transaction
   * service. Such responses are never cached.
   */
  readonly isLive: boolean;
}

/** The descriptors of a chain's services. */
export interface ServiceSource {
  readonly services: readonly string[];
  service(name: string): DescService | undefined;
  readonly registry: Registry;
}

/** The routes of a chain. */
export interface RouteTable {
  /** In the order of the service names, then of the descriptors. */
  readonly routes: readonly RestRoute[];
  /**
   * Returns the routes at a path by HTTP method. undefined if there are none. `segments` are the decoded segments of the path
   * without `/rest`.
   */
  find(segments: readonly string[]): ReadonlyMap<string, RestRoute> | undefined;
  /** The first segments of all paths: `cosmos`, `provenance`, `ibc`, … */
  readonly roots: ReadonlySet<string>;
  /** The types for decoding and printing responses. */
  readonly registry: Registry;
}

/** The method of the transaction service that is not a route. The others read or simulate. */
const sends = 'BroadcastTx';

function isRead({ parent, name }: DescMethodUnary): boolean {
  return isQueryService(parent.typeName) || (parent.typeName === txService && name !== sends);
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

function shapeOf({ steps }: Template): string {
  return steps.map((step) => (step.kind === 'literal' ? `/${step.text}` : `{${step.kind}}`)).join('');
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
      if (isRead(method) && hasOption(method, http)) routes.push(...routesOf(method, getOption(method, http)));
    }
  }
  const places = new Map<string, { readonly template: Template; readonly byMethod: Map<string, RestRoute> }>();
  const kept = routes.filter((route) => {
    const { template, httpMethod } = route;
    const shape = shapeOf(template);
    const place = places.get(shape) ?? { template, byMethod: new Map<string, RestRoute>() };
    places.set(shape, place);
    if (place.byMethod.has(httpMethod)) return false;
    place.byMethod.set(httpMethod, route);
    return true;
  });
  const matcher = createMatcher([...places.values()].map(({ template, byMethod }) => [template, byMethod] as const));
  const roots = kept.flatMap(({ template: { steps } }) => (steps[0]?.kind === 'literal' ? [steps[0].text] : []));
  return { routes: kept, find: matcher.find, roots: new Set(roots), registry: source.registry };
}
