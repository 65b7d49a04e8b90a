import { Agent, request as createRequest } from 'node:http';
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import { anyPath, anyText, fc, rounds, runsAll } from '../../support/atRandom.ts';
import { collectGarbage } from '../../support/memory.ts';
import { startTarget, type Target } from './setup.ts';

const requests = rounds(rounds(10_000));
const atOnce = 16;

let target: Target;

beforeAll(async () => {
  target = await startTarget({ server: { limits: { 'rate.concurrent': 0 } } });
});

afterAll(() => target.close());

const strings = [
  '1',
  '0x00',
  'tp1pp4t0t9l9gcucvzc0gh2hs4w6eaxhcawhjy7ut',
  'nhash',
  '/app/version',
  '../../etc/passwd',
  '\\u0000',
  '💥',
  '9223372036854775808',
];

/** Returns a value for an argument: in most cases one that its type accepts. */
function valueFor(type: string, pick: fc.Arbitrary<number>): fc.Arbitrary<string> {
  const named = schema.getType(type.replace(/[![\]]/g, ''));
  const number = fc.oneof(
    fc.integer({ min: -2, max: 120 }).map(String),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }).map(String),
  );
  const text = pick.map((index) => `"${strings[index % strings.length]}"`);
  if (isEnumType(named)) return pick.map((index) => named.getValues()[index % named.getValues().length]!.name);
  switch (named?.name) {
    case 'Int':
      return fc.integer({ min: -1, max: 110 }).map(String);
    case 'Int64':
    case 'UInt64':
      return number;
    case 'Boolean':
      return fc.boolean().map(String);
    case 'Float':
      return fc.constant('1.5');
    case 'JSON':
      return fc.json({ maxDepth: 3 }).map((json) => json.replace(/"([A-Za-z_]\w*)":/g, '$1:'));
    default:
      return text;
  }
}

const pick = fc.nat(1_000);

function argumentsOf(field: GraphQLField<unknown, unknown>): fc.Arbitrary<string> {
  const given = field.args.map(({ name, type }) => {
    const value = valueFor(String(type), pick).map((text) => `${name}: ${String(type).startsWith('[') ? `[${text}]` : text}`);
    return isNonNullType(type) ? value : fc.option(value, { nil: '', freq: 3 });
  });
  return fc.tuple(...given).map((all) => {
    const some = all.filter((text) => text !== '');
    return some.length === 0 ? '' : `(${some.join(', ')})`;
  });
}

/** Returns a selection that is valid for the type, except possibly for the values of its arguments. */
function selectionOf(type: GraphQLObjectType, depth: number): fc.Arbitrary<string> {
  const fields = Object.values(type.getFields()).filter(
    ({ type: of, name }) =>
      (isLeafType(getNamedType(of)) || depth > 0) && !['genesis', '_service', 'broadcastTxCommit'].includes(name),
  );
  if (fields.length === 0) return fc.constant('{ __typename }');
  const field = fc.constantFrom(...fields).chain((one) => {
    const inner = getNamedType(one.type);
    const below = isObjectType(inner)
      ? selectionOf(inner, depth - 1)
      : fc.constant(isInterfaceType(inner) || !isLeafType(inner) ? '{ __typename }' : '');
    return fc
      .tuple(pick, argumentsOf(one), below)
      .map(([alias, args, selection]) => `a${alias}: ${one.name}${args} ${selection}`);
  });
  return fc.array(field, { minLength: 1, maxLength: 3 }).map((all) => `{ ${all.join(' ')} }`);
}

const right = fc.oneof(
  { weight: 8, arbitrary: selectionOf(schema.getQueryType()!, 3) },
  { weight: 1, arbitrary: selectionOf(schema.getMutationType()!, 1).map((selection) => `mutation ${selection}`) },
);
const broken = fc
  .tuple(right, fc.nat(200), anyText(6))
  .map(([text, at, noise]) => text.slice(0, at % text.length) + noise + text.slice((at % text.length) + 1));
const document = fc.oneof(
  { weight: 6, arbitrary: right },
  { weight: 2, arbitrary: broken },
  { weight: 1, arbitrary: anyText(300) },
);

const header = fc.tuple(
  fc.constantFrom(
    'x-cosmos-block-height',
    'accept',
    'x-request-id',
    'origin',
    'cookie',
    'x-forwarded-for',
    'content-encoding',
    'range',
    'accept-language',
  ),
  fc.oneof(
    fc.stringMatching(/^[\x21-\x7e]{0,40}$/),
    fc.constantFrom(
      '1',
      '-1',
      'application/json',
      'application/graphql-response+json',
      '*/*;q=0',
      'text/event-stream',
      'null',
      'gzip',
    ),
  ),
);

const message = fc.record({
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constant('POST') },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH') },
  ),
  path: fc.oneof(
    { weight: 12, arbitrary: fc.constant('/graphql') },
    { weight: 1, arbitrary: anyPath() },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/',
        '/comet',
        '/block?height=1',
        '/comet/abci_query?path=0x2f61&data=0x',
        '/cosmos/group/v1/proposal/1',
        '/rest/cosmos/bank/v1beta1/balances/%00',
        '/v1/holders/nhash?pagination.pageSize=1',
        '/openapi/application.json',
        '/docs',
        '/collection.json',
        '/schema.graphql',
        '/livez',
        '/readyz',
        '/oauth/token',
        '/%2e%2e/%00',
        '//graphql',
        '/graphql/../x',
        'http://example.org/graphql',
      ),
    },
  ),
  query: document,
  variables: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  ),
  extensions: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ cost: true })) },
  ),
  headers: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(header, { maxLength: 4 }) }),
  type: fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'multipart/form-data') },
  ),
});

type Message = typeof message extends fc.Arbitrary<infer M> ? M : never;

const agent = new Agent({ keepAlive: true, maxSockets: atOnce });

/** Text that no message may contain: a path, a stack, or the address of a node. The data of a node may contain its address. */
const leak = /node_modules|127\.0\.0\.1|\.ts:\d|\bat \w+ \(/;

function errorsIn(text: string): string {
  try {
    return JSON.stringify((JSON.parse(text) as { errors?: unknown }).errors ?? '');
  } catch {
    return text;
  }
}

/** Sends a request. Returns its status and body. A stream is closed when it has begun. */
function send({
  method,
  path,
  query,
  variables,
  extensions,
  headers,
  type,
}: Message): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(target.stack.server.url);
  const isGet = method === 'GET' || method === 'HEAD';
  const body = isGet ? undefined : JSON.stringify({ query, variables, extensions });
  const full = isGet && path === '/graphql' ? `${path}?query=${encodeURIComponent(Buffer.from(query).toString())}` : path;
  // Node sends no length with some methods, and the body would be parsed as the next request.
  const length = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
  const given = { ...Object.fromEntries(headers), ...length };
  return new Promise((resolve, reject) => {
    const sent = createRequest({ hostname, port, method, path: full, headers: given, agent }, (response) => {
      const status = response.statusCode ?? 0;
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      // Closing a stream is an error, or not if all of it had arrived.
      response.on('error', () => undefined);
      response.on('close', () => resolve({ status, text }));
      if (response.headers['content-type'] === 'text/event-stream') response.destroy();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function memory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

it.runIf(runsAll)(
  'random requests: no failure of the server, no unhandled rejection, and no memory leak',
  async () => {
    const messages = fc.sample(message, requests);
    const valid = messages.filter(({ query }) => {
      try {
        return validate(schema, parse(query)).length === 0;
      } catch {
        return false;
      }
    });
    expect(valid.length).toBeGreaterThan(requests * 0.3);

    const failures: unknown[] = [];
    const used: number[] = [];
    let executed = 0;
    for (const half of [messages.slice(0, requests / 2), messages.slice(requests / 2)]) {
      const queue = half.values();
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (const each of queue) {
            const { status, text: responseText } = await send(each);
            // The address of the server itself is no secret.
            const text = responseText.replaceAll(new URL(target.stack.server.url).host, 'HOST');
            if (text.includes('"data":{')) executed += 1;
            if (status >= 500 || status < 200 || leak.test(errorsIn(text))) failures.push({ status, text, each });
          }
        }),
      );
      used.push(memory());
    }
    expect(failures).toEqual([]);
    expect(executed).toBeGreaterThan(requests * 0.1);
    await target.isWell();
    agent.destroy();
    // Caches by height are bounded. Half of their content may be added in the second half.
    expect(used[1]! - used[0]!).toBeLessThan(48 * 1024 * 1024);
  },
  120_000,
);
