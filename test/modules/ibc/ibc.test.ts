import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { type CallsNode, createCallsNode } from '../../replay/recordedCalls.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const hash = '27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2';
const path = '/ibc.applications.transfer.v1.Query/Denom';
const tracePath = '/ibc.applications.transfer.v1.Query/DenomTrace';

let node: CallsNode;
let stack: Stack;

beforeAll(async () => {
  node = await createCallsNode('contracts');
});
beforeEach(async () => {
  await stack?.close();
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
  node.calls.length = 0;
  node.instead = undefined;
});
afterAll(async () => {
  await stack.close();
  await node.close();
  expect(node.unrecorded).toEqual([]);
});

async function ibcOf(denom: string, height = node.head) {
  const { body } = await stack.ask(
    'query ($denom: String!) { supplyOf(denom: $denom) { ibc { path baseDenom } } }',
    { denom },
    { 'x-cosmos-block-height': height },
  );
  return body.errors ?? (body.data as { supplyOf: { ibc: unknown } }).supplyOf.ibc;
}

const asked = (of = path): number => node.calls.filter((each) => each === of).length;

/** The reply of a node to a query, with these members. */
function reply(members: JsonObject): JsonObject {
  const nothing = { code: 0, log: '', info: '', codespace: '', index: '0', key: null, value: null, proofOps: null };
  return { result: { response: { ...nothing, height: node.head, ...members } } };
}

/** The denom `transfer/channel-0/transfer/channel-77/uatom`, encoded by hand: its base in field 1, and each hop in field 3. */
const text = (field: number, value: string): string =>
  Buffer.concat([Uint8Array.of((field << 3) | 2, value.length), Buffer.from(value)]).toString('latin1');
const hop = (channel: string): string => text(3, text(1, 'transfer') + text(2, channel));
const denomBytes = Buffer.from(text(1, text(1, 'uatom') + hop('channel-0') + hop('channel-77')), 'latin1').toString('base64');

it('a denom of another chain has the path and the base that the chain knows it by, which are read once', async () => {
  node.instead = (called) => (called === path ? reply({ value: denomBytes }) : undefined);
  const expected = { path: 'transfer/channel-0/transfer/channel-77', baseDenom: 'uatom' };
  expect(await ibcOf(`ibc/${hash}`)).toEqual(expected);
  expect(await ibcOf(`ibc/${hash}`, '2500')).toEqual(expected);
  expect(asked()).toBe(1);
});

it('a denom that the chain does not know has none, and is asked for again at another height', async () => {
  expect(await ibcOf(`ibc/${hash}`)).toBeNull();
  expect(await ibcOf(`ibc/${hash}`, '2500')).toBeNull();
  expect(asked()).toBe(2);
});

it('other denoms have none, without a call', async () => {
  for (const denom of ['stake', 'ibc/xx', `ibc/${hash.toLowerCase()}`, `IBC/${hash}`]) expect(await ibcOf(denom)).toBeNull();
  expect(asked()).toBe(0);
});

const unknownPath = () => reply({ code: 6, codespace: 'sdk', log: 'unknown query path: unknown request', height: '0' });

it('a chain with ibc-go before version 10 is asked by the method that it has', async () => {
  const denomTrace = { path: 'transfer/channel-5', baseDenom: 'uosmo' };
  const value = Buffer.from(text(1, text(1, denomTrace.path) + text(2, denomTrace.baseDenom)), 'latin1').toString('base64');
  const requests: string[] = [];
  node.instead = (called, data) => {
    if (called === path) return unknownPath();
    if (called !== tracePath) return undefined;
    requests.push(Buffer.from(data, 'hex').toString('latin1').slice(2));
    return requests.at(-1) === hash
      ? reply({ value })
      : reply({ code: 22, codespace: 'sdk', log: 'denomination trace not found: key not found' });
  };
  const other = hash.replace('2', '3');
  expect(await ibcOf(`ibc/${hash}`)).toEqual(denomTrace);
  expect(await ibcOf(`ibc/${hash}`, '2500')).toEqual(denomTrace);
  expect(await ibcOf(`ibc/${other}`, '2500')).toBeNull();
  expect([asked(), requests]).toEqual([1, [hash, other]]);
});

it('a chain without transfers of IBC has none, and is asked once', async () => {
  node.instead = (called) => (called === path || called === tracePath ? unknownPath() : undefined);
  expect(await ibcOf(`ibc/${hash}`)).toBeNull();
  expect(await ibcOf(`ibc/${hash.replace('2', '3')}`, '2500')).toBeNull();
  expect([asked(), asked(tracePath)]).toEqual([1, 1]);
});

it('a denom that cannot be read is an error of its field', async () => {
  node.instead = (called) => (called === path ? { error: { code: -32603, message: 'Internal error', data: 'x' } } : undefined);
  expect(await ibcOf(`ibc/${hash}`)).toMatchObject([{ path: ['supplyOf', 'ibc'] }]);
});
