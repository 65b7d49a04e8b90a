import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { CallFault } from '../../../packages/devnet/src/node/faults/faults.ts';
import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import { some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { startStack } from '../../support/stack.ts';

let chain: TestChain;

beforeAll(async () => {
  chain = await startChain({ bare: true, nodes: 2 });
  await chain.devnet.commit();
});

afterAll(async () => {
  await chain.devnet.close();
});

beforeEach(() => {
  for (const node of chain.devnet.nodes) node.heal();
});

/** A field that is read at a height, and the node method that it calls. */
const reads: readonly (readonly [string, string])[] = [
  ['abciQuery(path: "/app/version", data: "", height: 2) { code height }', 'abci_query'],
  ['validators { totalCount }', 'validators'],
  ['header { height }', 'header'],
  ['consensusParams { block { maxBytes } }', 'consensus_params'],
  ['commit { header { height } }', 'commit'],
  ['blocks(minHeight: 1, maxHeight: 2) { nodes { header { height } } }', 'blockchain'],
];

/** The error of a node that is a block behind. */
function behind(method: string): CallFault {
  const log = 'cannot query with height in the future; please provide a valid height: invalid height';
  if (method === 'abci_query') return { abci: { code: 26, codespace: 'sdk', log } };
  const newest = method === 'validators' || method === 'consensus_params' ? 2 : 1;
  const data = `height ${newest + 1} must be less than or equal to the current blockchain height ${newest}`;
  return { rpc: { code: -32603, message: 'Internal error', data } };
}

/** The result with another height. */
function ofAnotherHeight(result: JsonValue): JsonValue {
  const text = JSON.stringify(result)
    .replaceAll('"height":"2"', '"height":"1"')
    .replaceAll('"block_height":"2"', '"block_height":"1"');
  return JSON.parse(text) as JsonObject;
}

/** Reads a field through a server that has nothing in memory. */
async function read(field: string): Promise<unknown> {
  const stack = await startStack(
    chain.devnet.nodes.map(({ url }) => url),
    { client: { learnsRoots: false } },
  );
  try {
    await stack.client.head.waitFor(2n, { milliseconds: 30_000 });
    const { body } = await stack.ask(`{ ${field} }`);
    expect(body.errors).toBeUndefined();
    return body.data;
  } finally {
    await stack.close();
  }
}

it.each(some(reads, 3))(
  '%s is read from the next node if one lags behind the height, or returns another height',
  async (field, method) => {
    const [first, second] = chain.devnet.nodes;
    const right = await read(field);
    const asked = (): number => second!.counters.log.filter((call) => call.method === method).length;
    const before = asked();
    first!.faults.call = (call) => (call.method === method ? behind(method) : undefined);
    expect(await read(field)).toEqual(right);
    expect(asked()).toBe(before + 1);
    first!.faults.call = undefined;
    first!.faults.forge = (call, result) => (call.method === method ? ofAnotherHeight(result) : result);
    expect(await read(field)).toEqual(right);
    expect(asked()).toBe(before + 2);
  },
);
