import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecording } from '../recordings/recordings.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { holdingOperation } from './holdingOperations.ts';
import { createReplayNode, type ReplayNode } from './replayNode.ts';

let node: ReplayNode;
let stack: Stack;

beforeAll(async () => {
  node = await createReplayNode();
  stack = await startStack([node.url]);
});
afterAll(async () => {
  await stack.close();
  await node.close();
});

const rows = readRecording('queries').filter(({ path }) =>
  [
    '/cosmos.bank.',
    '/cosmos.feegrant.',
    '/provenance.flatfees.',
    '/provenance.hold.',
    '/provenance.marker.',
    '/provenance.metadata.',
  ].some((module) => path.startsWith(module)),
);

/** Rows that no typed field asks, with the reason. */
const untyped: Readonly<Record<string, string>> = {
  TotalSupply: 'the graph asks for the supply of one denom; `module` has the list',
  DenomsMetadata: 'the graph asks for the metadata of one denom; `module` has the list',
  'bank Params': 'parameters are read by `module`',
  'AllMarkers reverse': 'the graph turns a list itself, to be the same for every list (chain.md 6.1)',
  'Holding goldcoin': 'the graph asks the bank, which knows the holders of any denom',
  'Holding goldcoin page 2': 'so',
  'Holding shareclass': 'so',
  'Holding nhash': 'so',
  'Holding nothing': 'so',
  'marker AccountData': 'the account of the marker has it',
  'Scope nonsense': 'an id that is neither an address nor a UUID is refused before the chain is asked: test/modules/metadata',
};

describe('what a real node said of holdings, through the graph', () => {
  it.each(
    rows
      .filter(({ name }) => untyped[name] === undefined)
      .map((row) => [`${row.name} ${row.request} at ${row.height}`, row] as const),
  )('%s', async (_, row) => {
    const operation = holdingOperation(row)!;
    const { body } = await stack.ask(operation.document, operation.variables, { 'x-cosmos-block-height': row.height });
    expect(body.errors).toBeUndefined();
    expect((body.data as { answer: unknown }).answer).toEqual(operation.expected);
  });

  it('has a reason for each row that is left out', () => {
    const without = rows.filter((row) => holdingOperation(row) === undefined || untyped[row.name] !== undefined);
    expect([...new Set(without.map(({ name }) => name))].toSorted()).toEqual(Object.keys(untyped).toSorted());
  });
});
