import { type DescField, ScalarType } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDescriptorPool } from '../../src/chain/descriptors/descriptorPool.ts';
import { isQueryService, isSimulation } from '../../src/chain/simulation/execution.ts';
import type { JsonValue } from '../../src/chain/wire/json.ts';
import { isAccountAddress, messageJson } from '../../src/chain/wire/protoJson.ts';
import { methodsOf } from '../../src/modules/any/module.ts';
import { nodeDialect } from '../../src/surfaces/rest/dialect.ts';
import { createPrinter, documentedPrinting } from '../../src/surfaces/rest/printer.ts';
import { createRouteTable, type RestRoute } from '../../src/surfaces/rest/routes.ts';
import { readDescriptors, readRecording } from '../recordings/recordings.ts';
import { runsAll } from '../support/atRandom.ts';
import { type Stack, startStack } from '../support/stack.ts';
import {
  type Comparison,
  compareMessages,
  createIndependentCodec,
  exactJson,
  type Reading,
  sampleOf,
} from '../support/surfaceComparison.ts';
import { createReplayNode, type ReplayNode } from './replayNode.ts';

const pool = createDescriptorPool(readDescriptors());
const codec = createIndependentCodec(readDescriptors());
const { alice } = readRecording('world').addr;
const messageOf = (name: string) => pool.registry.getMessage(name);

let node: ReplayNode;
let stack: Stack;

beforeAll(async () => {
  node = await createReplayNode({ nothingHeld: true });
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
});
afterAll(async () => {
  await stack.close();
  await node.close();
});

const begun = (): Comparison => ({ pairs: 0, differing: {}, unexplained: [] });

function methodAt(path: string) {
  const [, service = '', name] = path.split('/');
  return methodsOf(pool, service).find((method) => method.name === name)!;
}

describe('the same value reads the same on every surface', () => {
  const rows = readRecording('queries').filter(
    ({ response, path }) => response.code === 0 && isQueryService(path.split('/')[1] ?? ''),
  );

  it.runIf(runsAll)(
    'in every recorded response: bytes, recorded JSON, recorded REST, module, /rest and the documented REST',
    async () => {
      const result = begun();
      const methods = new Set<string>();
      for (const { path, requestJson, response, decoded, rest, height } of rows) {
        const method = methodAt(path);
        methods.add(path);
        const headers: Record<string, string> = height === '0' ? {} : { 'x-cosmos-block-height': height };
        const document = 'query ($method: String!, $request: JSON) { module(method: $method, request: $request) }';
        const graphql = await stack.ask(document, { method: path.slice(1), request: requestJson }, headers);
        const { module } = graphql.body.data as { module: JsonValue };
        const read = async (base: string): Promise<JsonValue> => {
          const text = await (await fetch(`${stack.server.url}${base}${rest?.url}`, { headers })).text();
          return exactJson(text);
        };
        // The documented dialect counts and pages by rules of its own, so its lists are compared by printing the same bytes.
        const bytes = Buffer.from(response.value ?? '', 'base64');
        const documented = exactJson(createPrinter(documentedPrinting, pool.registry)(method.output, bytes));
        const recordedRest = rest?.status === 200 ? rest.body : undefined;
        const readings = [
          { surface: 'bytes', format: 'wire', json: codec.decode(method.output.typeName, bytes) },
          { surface: 'recorded', format: 'decoded', json: decoded },
          { surface: 'module', format: 'module', json: module },
          { surface: 'documented', format: 'documented', json: documented },
          ...(recordedRest === undefined
            ? []
            : ([
                { surface: 'node', format: 'rest', json: recordedRest },
                { surface: '/rest', format: 'rest', json: await read('/rest') },
              ] as const)),
        ] as const;
        compareMessages(method.output, readings, codec, messageOf, result);
      }
      expect(result.unexplained).toEqual([]);
      expect({ methods: methods.size, responses: rows.length, ...result, unexplained: 0 }).toMatchInlineSnapshot(`
      {
        "differing": {
          "a metadata address is bech32 over REST, and base64 in protobuf JSON": 174,
          "empty bytes are null over a node’s REST": 1504,
          "the value of an attribute is text in the documented dialect, as in GraphQL": 334,
          "times are seconds and nanoseconds on the wire": 2519,
        },
        "methods": 58,
        "pairs": 93604,
        "responses": 383,
        "unexplained": 0,
      }
    `);
    },
  );

  it.runIf(runsAll)(
    'in responses of every described query with all fields set: bytes, module, /rest and the documented REST',
    async () => {
      const result = begun();
      const answers = new Map<string, string>();
      const head = { info: '', index: '0', key: null, proofOps: null, height: '566', codespace: '', code: 0, log: '' };
      await using own = await createReplayNode({
        instead: (method, { path, data }) => {
          const value = method === 'abci_query' && data !== 'ff' ? answers.get(String(path)) : undefined;
          return value === undefined ? undefined : { result: { response: { ...head, value } } };
        },
      });
      const served = await startStack([own.url], { server: { limits: { 'rate.burst': 1_000_000 } } });
      await served.client.head.ready({ milliseconds: 10_000 });
      const { routes } = await createRouteTable(pool);
      const textOf = (field: DescField): string =>
        field.scalar === ScalarType.STRING
          ? isAccountAddress(field)
            ? alice
            : 'abc'
          : field.scalar === ScalarType.BYTES
            ? 'AA=='
            : '1';
      /** The path of a route with some value for each variable. */
      const urlOf = ({ template, parameters }: RestRoute): string => {
        const variables = template.variables.map(({ field, start }) => [start, field.join('.')] as const);
        return template.steps.reduce((url, step, index) => {
          const name = variables.find(([start]) => start === index)?.[1];
          const field = parameters.find((parameter) => parameter.name === name)?.field;
          const text = step.kind === 'literal' ? step.text : field === undefined ? 'abc' : textOf(field);
          return `${url}/${/address|account|voter|admin|granter|grantee|owner/.test(name ?? '') && text === 'abc' ? alice : encodeURIComponent(text)}`;
        }, '');
      };
      const rest = async (path: string): Promise<JsonValue> => {
        const response = await fetch(served.server.url + path, { headers: { 'x-cosmos-block-height': '566' } });
        const text = await response.text();
        expect([path, response.status, text.slice(0, 200)]).toEqual([path, 200, text.slice(0, 200)]);
        return exactJson(text);
      };
      const methods = { module: 0, rest: 0, documented: 0 };
      for (const service of pool.services) {
        if (!isQueryService(service)) continue;
        for (const { name, output } of methodsOf(pool, service)) {
          // The server decodes the descriptors itself, refuses simulations, and pages `Groups` by rules of its own.
          if (isSimulation(service, name) || name === 'FileDescriptors' || name === 'Groups') continue;
          const bytes = codec.encode(output.typeName, sampleOf(output, codec, messageOf));
          answers.set(`/${service}/${name}`, Buffer.from(bytes).toString('base64'));
          const document = 'query ($method: String!) { module(method: $method, request: {}) }';
          const { body } = await served.ask(document, { method: `${service}/${name}` });
          expect([name, body.errors]).toEqual([name, undefined]);
          methods.module += 1;
          const readings: Reading[] = [
            { surface: 'bytes', format: 'wire', json: codec.decode(output.typeName, bytes) },
            { surface: 'module', format: 'module', json: (body.data as { module: JsonValue }).module },
          ];
          const route = routes.find(
            ({ call, httpMethod }) => call.name === name && call.parent.typeName === service && httpMethod === 'GET',
          );
          if (route !== undefined) {
            const url = urlOf(route);
            readings.push({ surface: 'documented', format: 'documented', json: await rest(url) });
            methods.documented += 1;
            if (nodeDialect.hasRoutes(service)) {
              readings.push({ surface: '/rest', format: 'rest', json: await rest(`/rest${url}`) });
              methods.rest += 1;
            }
          }
          compareMessages(output, readings, codec, messageOf, result);
        }
      }
      await served.close();
      expect(result.unexplained.slice(0, 20)).toEqual([]);
      expect(methods.module).toBeGreaterThan(70);
      expect({ methods, ...result }).toMatchInlineSnapshot(`
      {
        "differing": {
          "HexBytes are hexadecimal over a node’s REST, and base64 elsewhere": 18,
          "a contract message is its JSON over a node’s REST and in GraphQL, and base64 elsewhere": 64,
          "a decimal is an integer on the wire": 571,
          "a metadata address is bech32 over REST, and base64 in protobuf JSON": 884,
          "access types have wasmd’s names over a node’s REST": 18,
          "an unset message that cannot be null has its defaults over a node’s REST": 48,
          "the value of an attribute is text in the documented dialect, as in GraphQL": 18,
          "times are seconds and nanoseconds on the wire": 594,
        },
        "methods": {
          "documented": 293,
          "module": 300,
          "rest": 285,
        },
        "pairs": 29794,
        "unexplained": [],
      }
    `);
    },
  );

  it.runIf(runsAll)('in the typed fields of GraphQL and in /v1, beside the JSON of the same query', async () => {
    const result = begun();
    const note = (reason: string): void => {
      result.differing[reason] = (result.differing[reason] ?? 0) + 1;
    };
    /** Compares the fields of a typed answer with those that have the same names in the JSON of the query. */
    function compare(typed: JsonValue | undefined, json: JsonValue | undefined, where: string): void {
      if (Array.isArray(typed)) {
        const items = Array.isArray(json) ? json : [];
        for (const [index, each] of typed.entries()) compare(each, items[index], `${where}[${index}]`);
      } else if (typeof typed === 'object' && typed !== null) {
        const fields = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
        const isAccount = typeof json === 'string';
        for (const [key, value] of Object.entries(typed)) compare(value, isAccount ? json : fields[key], `${where}.${key}`);
      } else {
        result.pairs += 1;
        const [a, b] = [String(typed), String(json ?? '')];
        if (a === b) return;
        if (b.endsWith(`_${a}`)) note('enum values of typed fields have no prefix');
        else if (typed === null && b === '') note('a typed value that the chain leaves empty is null');
        else result.unexplained.push(`${where}: ${a}, ${b}`);
      }
    }
    const coin = '{ denom amount }';
    const proposal =
      'id groupPolicyAddress groupPolicyVersion groupVersion metadata proposers { address } status executorResult title summary submitTime votingPeriodEnd finalTallyResult { yesCount abstainCount noCount noWithVetoCount }';
    const vote = 'proposalId voter { address } option metadata submitTime';
    const values = `netAssetValues { price ${coin} volume updatedBlockHeight }`;
    // By method: the typed document and /v1 path of a request, and the objects to compare with members of the response.
    const typed: Readonly<
      Record<string, { document: string; member: string; v1?: (request: Record<string, string>) => string }>
    > = {
      'cosmos.group.v1.Query/Proposal': {
        document: `query ($proposalId: ID!) { said: proposal(id: $proposalId) { ${proposal} } }`,
        member: 'proposal',
      },
      'cosmos.group.v1.Query/TallyResult': {
        document:
          'query ($proposalId: ID!) { said: tallyResult(proposalId: $proposalId) { yesCount abstainCount noCount noWithVetoCount } }',
        member: 'tally',
      },
      'cosmos.group.v1.Query/GroupInfo': {
        document:
          'query ($groupId: ID!) { said: group(id: $groupId) { id admin { address } metadata version totalWeight createdAt } }',
        member: 'info',
      },
      'cosmos.group.v1.Query/GroupPolicyInfo': {
        document:
          'query ($address: String!) { said: groupPolicy(address: $address) { address groupId admin { address } metadata version createdAt } }',
        member: 'info',
      },
      'cosmos.group.v1.Query/VoteByProposalVoter': {
        document: `query ($proposalId: ID!, $voter: String!) { said: voteByProposalVoter(proposalId: $proposalId, voter: $voter) { ${vote} } }`,
        member: 'vote',
      },
      'cosmos.bank.v1beta1.Query/SupplyOf': {
        document: `query ($denom: String!) { said: supplyOf(denom: $denom) ${coin} }`,
        member: 'amount',
      },
      'cosmos.bank.v1beta1.Query/DenomMetadata': {
        document:
          'query ($denom: String!) { said: denomMetadata(denom: $denom) { base description display name symbol uri uriHash denomUnits { denom exponent aliases } } }',
        member: 'metadata',
      },
      'provenance.marker.v1.Query/Marker': {
        document:
          'query ($id: String!) { said: marker(denom: $id) { denom status markerType supplyFixed allowGovernanceControl allowForcedTransfer requiredAttributes accessControl { permissions } } }',
        member: 'marker',
      },
      'provenance.marker.v1.Query/NetAssetValues': {
        document: `query ($id: String!) { marker(denom: $id) { said: ${values} } }`,
        member: 'netAssetValues',
        v1: ({ id }) => `/v1/netAssetValues/${id}`,
      },
      'cosmos.bank.v1beta1.Query/AllBalances': {
        document: `query ($address: String!) { account(address: $address) { balances(first: 100) { said: nodes ${coin} } } }`,
        member: 'balances',
        v1: ({ address }) => `/v1/balances/${address}?pagination.pageSize=100`,
      },
    };
    /** Removes the amounts in display units, which only `/v1` has. */
    const withoutDisplay = (item: JsonValue): Record<string, JsonValue> =>
      JSON.parse(JSON.stringify(item, (key, value: JsonValue) => (key === 'display' ? undefined : value)));
    const methods = new Set<string>();
    for (const { path, requestJson, response, height, decoded } of rows) {
      const found = typed[path.slice(1)];
      const request = requestJson as Record<string, string>;
      if (found === undefined || request.resolveDenom !== undefined || /^tp1/.test(request.id ?? '')) continue;
      if (path.endsWith('Balances') && (decoded?.pagination as { next_key?: string } | undefined)?.next_key) continue;
      methods.add(path);
      if (height === '0') continue;
      const headers = { 'x-cosmos-block-height': height };
      const names = [...found.document.matchAll(/\$(\w+):/g)].map(([, name]) => name ?? '');
      const variables = Object.fromEntries(names.map((name) => [name, request[name]]));
      const { body } = await stack.ask(found.document, variables, headers);
      expect(body.errors, `${path} ${JSON.stringify(variables)} at ${height}`).toBeUndefined();
      const json = messageJson(pool.registry, methodAt(path).output, Buffer.from(response.value ?? '', 'base64')) as Record<
        string,
        JsonValue
      >;
      const saidIn = (value: unknown): JsonValue | undefined => {
        if (typeof value !== 'object' || value === null) return undefined;
        return 'said' in value ? (value.said as JsonValue) : saidIn(Object.values(value)[0]);
      };
      compare(saidIn(body.data), json[found.member], path);
      if (found.v1 === undefined) continue;
      const v1 = (await (await fetch(`${stack.server.url}${found.v1(request)}`, { headers })).json()) as { items: JsonValue[] };
      const members = Array.isArray(json[found.member]) ? (json[found.member] as Record<string, JsonValue>[]) : [];
      for (const [index, item] of v1.items.entries()) {
        const known = Object.keys(members[index] ?? {});
        const shown = Object.entries(withoutDisplay(item)).filter(([key]) => known.includes(key));
        compare(Object.fromEntries(shown), members[index], `/v1 ${path}`);
      }
    }
    expect(result.unexplained.slice(0, 20)).toEqual([]);
    expect({ methods: methods.size, ...result }).toMatchInlineSnapshot(`
      {
        "differing": {},
        "methods": 10,
        "pairs": 1146,
        "unexplained": [],
      }
    `);
  });
});
