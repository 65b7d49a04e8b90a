import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type CallsNode, createCallsNode } from '../../replay/recordedCalls.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const hash = '27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2';
const path = '/ibc.applications.transfer.v1.Query/Denom';

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

const asked = (): number => node.calls.filter((each) => each === path).length;

/** The denom `transfer/channel-0/transfer/channel-77/uatom`, encoded by hand: its base in field 1, and each hop in field 3. */
const text = (field: number, value: string): string =>
  Buffer.concat([Uint8Array.of((field << 3) | 2, value.length), Buffer.from(value)]).toString('latin1');
const hop = (channel: string): string => text(3, text(1, 'transfer') + text(2, channel));
const denomBytes = Buffer.from(text(1, text(1, 'uatom') + hop('channel-0') + hop('channel-77')), 'latin1').toString('base64');

it('a denom of another chain has the path and the base that the chain knows it by, which are read once', async () => {
  node.instead = (called) =>
    called === path
      ? {
          result: {
            response: {
              code: 0,
              log: '',
              height: node.head,
              index: '0',
              value: denomBytes,
              key: null,
              info: '',
              codespace: '',
              proofOps: null,
            },
          },
        }
      : undefined;
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

it('a chain without transfers of IBC has none, and is asked once', async () => {
  const log = `unknown query path: unknown request`;
  node.instead = (called) =>
    called === path
      ? {
          result: {
            response: {
              code: 6,
              log,
              height: '0',
              index: '0',
              value: null,
              key: null,
              info: '',
              codespace: 'sdk',
              proofOps: null,
            },
          },
        }
      : undefined;
  expect(await ibcOf(`ibc/${hash}`)).toBeNull();
  expect(await ibcOf(`ibc/${hash.replace('2', '3')}`, '2500')).toBeNull();
  expect(asked()).toBe(1);
});

it('a denom that cannot be read is an error of its field', async () => {
  node.instead = (called) => (called === path ? { error: { code: -32603, message: 'Internal error', data: 'x' } } : undefined);
  expect(await ibcOf(`ibc/${hash}`)).toMatchObject([{ path: ['supplyOf', 'ibc'] }]);
});
