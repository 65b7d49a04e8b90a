import { fromBinary, toJson } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recording } from '../recordings/recording.ts';
import { readRegistry } from '../recordings/registry.ts';
import { askAt, rootsKnown } from '../roots/heights.ts';
import { runsAll as isCI } from '../support/atRandom.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { createGovernanceNode, type GovernanceNode, type GovernanceRow } from './governanceNode.ts';

const registry = readRegistry();
const allRows = recording<readonly GovernanceRow[]>('governance-queries');
const requests = [...new Set(allRows.map(({ path, request }) => `${path} ${request}`))];
/** In CI, every recorded request. Otherwise every sixth of them. */
const rows = allRows.filter(
  ({ path, request, height }) => isCI || (requests.indexOf(`${path} ${request}`) % 6 === 0 && BigInt(height) <= 14660n),
);
/** Outside CI, a third of the heights. */
const [first, last] = [14540n, isCI ? 14907n : 14660n];

let node: GovernanceNode;
let stele: Stack;

beforeAll(async () => {
  node = await createGovernanceNode();
  stele = await startStack([node.url]);
  await stele.client.head.ready();
  await node.subscribed();
});

afterAll(async () => {
  await stele.close();
  await node.close();
});

/** The query of a recorded request through `module`. */
function queryOf({ path, requestJson }: GovernanceRow): string {
  const request = Object.entries(requestJson).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `{ module(method: "${path.slice(1)}", request: { ${request.join(', ')} }) }`;
}

/** The recorded answer as protobuf JSON. */
function recordedJson({ path, response }: GovernanceRow): unknown {
  const [, service = '', method = ''] = path.split('/');
  const { output } = registry.getService(service)!.methods.find(({ name }) => name === method)!;
  const message = fromBinary(output, Buffer.from(response.value ?? '', 'base64'));
  return toJson(output, message, { registry, alwaysEmitImplicit: true });
}

it('answers are carried over every height of the recorded governance chain, and equal the recorded ones', async () => {
  /** The answers at the newest recorded height, by request. */
  const newest = new Map<string, GovernanceRow>();
  const counts = { recorded: 0, between: 0, carried: 0 };
  for (let height = first; height <= last; height += 1n) {
    if (height > first) node.emit(height);
    await stele.client.head.waitFor(height, { milliseconds: 30_000 });
    await rootsKnown(stele, height);
    const recorded = rows.filter((row) => row.height === height.toString());
    // A request without an answer at a recorded height was refused as before.
    if (recorded.length > 0) newest.clear();
    for (const row of recorded) newest.set(`${row.path} ${row.request}`, row);
    const asked = [...newest.values()].filter(
      (row, index) => row.response.code === 0 && (recorded.length > 0 || isCI || (BigInt(index) + height) % 8n === 0n),
    );
    const answers = await Promise.all(asked.map((row) => askAt(stele, queryOf(row))));
    for (const [index, { data, source, height: answered }] of answers.entries()) {
      const row = asked[index]!;
      expect([answered, JSON.parse(data).module], `${row.path} ${row.request} at ${height}`).toEqual([
        height.toString(),
        recordedJson(row),
      ]);
      counts[recorded.length > 0 ? 'recorded' : 'between'] += 1;
      if (source === 'carried') counts.carried += 1;
    }
  }
  // Every recorded answer without a refusal.
  expect(counts.recorded).toBe(rows.filter(({ response }) => response.code === 0).length);
  // Between the recorded heights, the node refuses the queries, so that an answer that is not carried fails.
  expect(node.unrecorded).toEqual([]);
  expect(counts.between).toBeGreaterThan(isCI ? 14_000 : 30);
  expect(counts.carried).toBe(counts.between);
}, 300_000);
