import { type DescMethodUnary, type DescService, getOption, hasOption, type Registry } from '@bufbuild/protobuf';
import { isLiveMethod, isQueryService, methodsOf } from '../../../modules/any/moduleMethods.ts';
import { http } from '../../../proto/google/api/annotations_pb.js';
import type { HttpRule } from '../../../proto/google/api/http_pb.js';
import { createMatcher } from './matcher.ts';
import { parametersOf, type RouteParameter } from './routeParameters.ts';
import { parseTemplate, type Template } from './template.ts';

/**
 * A route of the application over REST, by a `google.api.http` rule of the chain. Both dialects have all of them: the seed's at the path of the
 * template, the node's own at the same behind `/rest`.
 */
export interface RestRoute {
  readonly httpMethod: 'GET' | 'POST';
  readonly template: Template;
  /** The method of the chain that answers: `call.input` is its request, `call.output` its answer, `call.parent` its service. */
  readonly call: DescMethodUnary;
  /** Whether the request comes as a body, in JSON. */
  readonly hasBody: boolean;
  readonly parameters: readonly RouteParameter[];
  /** Whether it tells of the node, simulates, or is of the service of transactions, and so is of no height. Such an answer is never kept. */
  readonly isLive: boolean;
}

/** Where the services of a chain are found. */
export interface ServiceSource {
  readonly services: readonly string[];
  service(name: string): DescService | undefined;
  readonly registry: Registry;
}

/** The routes of a chain. */
export interface RouteTable {
  /** In the order of the services' names, and then of the descriptors. */
  readonly routes: readonly RestRoute[];
  /** What is at a path, by HTTP method; undefined where nothing is. `segments` are those of the path without `/rest`, decoded. */
  find(segments: readonly string[]): ReadonlyMap<string, RestRoute> | undefined;
  /** The first segments of all paths: `cosmos`, `provenance`, `ibc`, … */
  readonly roots: ReadonlySet<string>;
  /** The types to read and print answers with. */
  readonly registry: Registry;
}

/** The service of transactions: it reads too, and has a method that sends, which is no route. */
const txService = 'cosmos.tx.v1beta1.Service';
const sends = 'BroadcastTx';

function isRead({ parent, name }: DescMethodUnary): boolean {
  return isQueryService(parent.typeName) || (parent.typeName === txService && name !== sends);
}

/** The routes of a rule and of those beside it. Only GET, and POST of the whole request, are of services that read. */
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

/** A turn of the event loop for others: a service's files are decoded when it is first looked at. */
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * The route table of a chain: every method of its services that read and have a rule. Of two rules with one path the first stays. Decodes the
 * descriptors of all these services, some 100 ms for a real chain, with turns for others between them.
 */
export async function createRouteTable(source: ServiceSource): Promise<RouteTable> {
  const routes: RestRoute[] = [];
  for (const name of source.services) {
    if (!isQueryService(name) && name !== txService) continue;
    await breath();
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
