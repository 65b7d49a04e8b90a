import { afterAll, beforeAll, expect, it } from 'vitest';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';

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

const row = (name: string) => readRecording('queries').find((each) => each.name === name)!;

it('a name resolves to its account in any case; an unbound name is null', async () => {
  const { address, restricted } = row('Resolve').decoded as { address: string; restricted: boolean };
  const { body } = await stack.ask(
    '{ a: name(name: " KYC.pb") { name restricted account { address } } b: name(name: "no.such") { name } }',
  );
  expect(body.errors).toBeUndefined();
  expect(body.data).toEqual({ a: { name: 'kyc.pb', restricted, account: { address } }, b: null });
});

it('Account.names returns the names in the order of the chain', async () => {
  const { address } = row('ReverseLookup').requestJson as { address: string };
  const { name: names } = row('ReverseLookup').decoded as { name: string[] };
  const { body } = await stack.ask(
    `{ account(address: "${address}") { names { nodes { name account { address } } pageInfo { hasNextPage } } } }`,
  );
  expect(body.data).toEqual({
    account: { names: { nodes: names.map((name) => ({ name, account: { address } })), pageInfo: { hasNextPage: false } } },
  });
});

it.each(['', '  ', 'x'.repeat(257)])('%j is refused as a name', async (name) => {
  const { body } = await stack.ask('query ($name: String!) { name(name: $name) { name } }', { name });
  expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'name' });
});
