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

/** All but the rows of groups, which test/replay/group.test.ts has. */
const rows = readRecording('queries').filter(({ path }) => !path.startsWith('/cosmos.group.'));

/** Rows that the chain refuses, or panics on, and that are refused before it is asked. */
const refused = [
  'Attribute spaces',
  'Attribute empty account',
  'Attribute bad account',
  'Scan empty suffix',
  'Account none',
  'Scope nonsense',
];

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
  'Attributes page 1 limit 2': "it names the node's own page key; cursors of the graph are its own",
  'Attributes page 2 limit 2': 'so',
  'Attributes page 3 limit 2': 'so',
  'Scan page 0 limit 1': 'one item more is read to know whether any follows, and that was not recorded',
  'Scan page 1 limit 1': "it names the node's own page key",
  'Scan page 2 limit 1': 'so',
  'Attributes reverse': 'the graph turns a list itself, to be the same for every list (chain.md 6.1)',
  'Scan PB @122': 'the suffix is lower-cased: test/modules/attribute',
  'Scan PB @566': 'so',
  'attribute Params': 'parameters are read by `module`',
  Bech32Prefix: 'the graph uses it, and does not tell it',
  quarantine: 'the module is gone from newer chains; `module` has it',
  'service not served': 'no typed module; `module` has it',
  GetNodeInfo: '`status` tells of the node; `module` has it',
  GetLatestBlock: '`head` tells of the block; `module` has it',
};

describe('what a real node said of all but groups, through typed fields', () => {
  it.each(
    rows
      .filter(({ name }) => untyped[name] === undefined && !refused.includes(name))
      .map((row) => [`${row.name} ${row.request} at ${row.height}`, row] as const),
  )('%s', async (_, row) => {
    const operation = holdingOperation(row)!;
    const { body } = await stack.ask(operation.document, operation.variables, { 'x-cosmos-block-height': row.height });
    expect(body.errors).toBeUndefined();
    expect((body.data as { answer: unknown }).answer).toEqual(operation.expected);
  });

  it.each(rows.filter(({ name }) => refused.includes(name)).map((row) => [row.name, row] as const))(
    '%s is refused',
    async (_, row) => {
      const { body } = await stack.ask(holdingOperation(row)!.document);
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
    },
  );

  it('has a reason for each row that is left out', () => {
    const without = rows.filter((row) => holdingOperation(row) === undefined || untyped[row.name] !== undefined);
    expect([...new Set(without.map(({ name }) => name))].toSorted()).toEqual(Object.keys(untyped).toSorted());
  });
});

describe('the same of a node that has pruned the state', () => {
  let prunedNode: ReplayNode;
  let prunedStack: Stack;
  beforeAll(async () => {
    prunedNode = await createReplayNode({ earliestState: 500n });
    prunedStack = await startStack([prunedNode.url]);
  });
  afterAll(async () => {
    await prunedStack.close();
    await prunedNode.close();
  });

  /** One row of each path. */
  const each = [...new Map(rows.filter(({ name }) => !refused.includes(name)).map((row) => [row.path, row])).values()];

  async function codesAt400(document: string, variables: Record<string, unknown> = {}): Promise<unknown[]> {
    const { body } = await prunedStack.ask(document, variables, { 'x-cosmos-block-height': '400' });
    return (body.errors ?? []).map(({ extensions }) => extensions.code);
  }

  it.each(each.filter((row) => holdingOperation(row) !== undefined).map((row) => [row.path, row] as const))(
    '%s fails with HEIGHT_PRUNED, and is not null',
    async (_, row) => {
      const codes = await codesAt400(holdingOperation(row)!.document);
      expect(codes.length).toBeGreaterThan(0);
      expect(new Set(codes)).toEqual(new Set(['HEIGHT_PRUNED']));
    },
  );

  it.each(each.filter(({ path }) => !path.includes('.tendermint.')).map((row) => [row.path, row] as const))(
    '%s by `module` too',
    async (path, { requestJson }) => {
      const document = 'query ($method: String!, $request: JSON) { module(method: $method, request: $request) }';
      expect(await codesAt400(document, { method: path.slice(1), request: requestJson })).toEqual(['HEIGHT_PRUNED']);
    },
  );
});
