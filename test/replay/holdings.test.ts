import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecording } from '../recordings/recordings.ts';
import { some } from '../support/atRandom.ts';
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

/** All rows except those of groups, which test/replay/group.test.ts covers. */
const rows = readRecording('queries').filter(({ path }) => !path.startsWith('/cosmos.group.'));

/** Rows that the chain refuses or panics on. Stele refuses them without a read. */
const refused = [
  'Attribute spaces',
  'Attribute empty account',
  'Attribute bad account',
  'Scan empty suffix',
  'Account none',
  'Scope nonsense',
];

/** Rows without a typed field, with the reason. */
const untyped: Readonly<Record<string, string>> = {
  DenomsMetadata: 'typed fields return the metadata of one denom; `module` has the list',
  'bank Params': 'parameters are available through `module`',
  'AllMarkers reverse': 'Stele reverses lists itself, the same way for every list',
  'Holding goldcoin': 'Stele queries the bank module, which has the holders of every denom',
  'Holding goldcoin page 2': 'see Holding goldcoin',
  'Holding shareclass': 'see Holding goldcoin',
  'Holding nhash': 'see Holding goldcoin',
  'Holding nothing': 'see Holding goldcoin',
  'marker AccountData': 'available through the account of the marker',
  'Attributes page 1 limit 2': 'uses a page key of the node; GraphQL has its own cursors',
  'Attributes page 2 limit 2': 'see page 1',
  'Attributes page 3 limit 2': 'see page 1',
  'Scan page 0 limit 1': 'Stele reads one item more to determine whether another follows, which was not recorded',
  'Scan page 1 limit 1': 'uses a page key of the node; GraphQL has its own cursors',
  'Scan page 2 limit 1': 'see page 1',
  'Attributes reverse': 'Stele reverses lists itself, the same way for every list',
  'Scan PB @122': 'Stele converts the suffix to lower case: test/modules/attribute',
  'Scan PB @566': 'see Scan PB @122',
  'attribute Params': 'parameters are available through `module`',
  Bech32Prefix: 'Stele uses it, but has no field for it',
  quarantine: 'newer chains lack the module; `module` has it',
  'service not served': 'no typed module; `module` has it',
  GetNodeInfo: '`status` describes the node; `module` has it',
  GetLatestBlock: '`head` describes the block; `module` has it',
};

describe('recorded queries of all other modules, as GraphQL operations', () => {
  it.each(
    some(
      rows.filter(({ name }) => untyped[name] === undefined && !refused.includes(name)),
      3,
    ).map((row) => [`${row.name} ${row.request} at ${row.height}`, row] as const),
  )('the recorded queries of %s as GraphQL operations', async (_, row) => {
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

  it('every row that is left out has a reason', () => {
    const without = rows.filter((row) => holdingOperation(row) === undefined || untyped[row.name] !== undefined);
    expect([...new Set(without.map(({ name }) => name))].toSorted()).toEqual(Object.keys(untyped).toSorted());
  });
});

describe('the same operations over a node that has pruned the state', () => {
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

  it.each(
    some(
      each.filter((row) => holdingOperation(row) !== undefined),
      3,
    ).map((row) => [row.path, row] as const),
  )('%s fails with HEIGHT_PRUNED, and is not null', async (_, row) => {
    const codes = await codesAt400(holdingOperation(row)!.document);
    expect(codes.length).toBeGreaterThan(0);
    expect(new Set(codes)).toEqual(new Set(['HEIGHT_PRUNED']));
  });

  it.each(each.filter(({ path }) => !path.includes('.tendermint.')).map((row) => [row.path, row] as const))(
    '%s by `module` too',
    async (path, { requestJson }) => {
      const document = 'query ($method: String!, $request: JSON) { module(method: $method, request: $request) }';
      expect(await codesAt400(document, { method: path.slice(1), request: requestJson })).toEqual(['HEIGHT_PRUNED']);
    },
  );
});
