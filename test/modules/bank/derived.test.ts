import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toDisplayAmount } from '../../../src/modules/bank/query.ts';
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

const carol = readRecording('queries').find(({ name }) => name === 'AllBalances carol')!.requestJson.address as string;

async function ask(document: string): Promise<unknown> {
  const { body } = await stack.ask(document);
  expect(body.errors).toBeUndefined();
  return body.data;
}

describe('derived fields over recorded responses', () => {
  it('an amount in its display unit without rounding; null without metadata', async () => {
    const document =
      '{ markers(first: 2) { totalCount nodes { supply { display { amount denom symbol exponent } } metadata { display } } } }';
    expect(await ask(document)).toMatchObject({
      markers: {
        nodes: [
          {
            supply: { display: { amount: '77', denom: 'goldbar', symbol: 'GBAR', exponent: 9 } },
            metadata: { display: 'goldbar' },
          },
          { supply: { display: null }, metadata: null },
        ],
      },
    });
  });

  it('prices per unit of a marker, and the value of a balance', async () => {
    // 5000 nhash for 2 goldcoin, 1600 mills for 10: 160 mills each, and carol has 2380.
    const document = `{
      marker(denom: "goldcoin") { netAssetValues { price { denom display { amount denom } } pricePerUnit pricePerDisplayUnit { amount } } }
      account(address: "${carol}") { balance(denom: "goldcoin") { display { amount } usd: value { amount denom display { amount symbol } netAssetValue { updatedBlockHeight } } nhash: value(in: "nhash") { amount } none: value(in: "euro") { amount } } }
    }`;
    expect(await ask(document)).toEqual({
      marker: {
        netAssetValues: [
          { price: { denom: 'nhash', display: null }, pricePerUnit: '2500', pricePerDisplayUnit: null },
          { price: { denom: 'usd', display: { amount: '1.6', denom: 'USD' } }, pricePerUnit: '160', pricePerDisplayUnit: null },
        ],
      },
      account: {
        balance: {
          display: null,
          usd: {
            amount: '380800',
            denom: 'usd',
            display: { amount: '380.8', symbol: 'USD' },
            netAssetValue: { updatedBlockHeight: '135' },
          },
          nhash: { amount: '5950000' },
          none: null,
        },
      },
    });
  });

  it('the value of a scope, through its coin', async () => {
    const document = `{ account(address: "${carol}") { balances(first: 2) { nodes { denom marker { denom } scope { id } value { amount display { amount } } } } } }`;
    expect(await ask(document)).toEqual({
      account: {
        balances: {
          nodes: [
            {
              denom: 'goldcoin',
              marker: { denom: 'goldcoin' },
              scope: null,
              value: { amount: '380800', display: { amount: '380.8' } },
            },
            {
              denom: 'nft/scope1qqenxvenyg3yxvuyg3242424242spmt0np',
              marker: null,
              scope: { id: 'scope1qqenxvenyg3yxvuyg3242424242spmt0np' },
              value: { amount: '260000', display: { amount: '260' } },
            },
          ],
        },
      },
    });
  });

  it('the supply percentages of the holders', async () => {
    const data = (await ask(
      '{ holders(denom: "goldcoin", first: 2) { totalCount nodes { balance { amount } supplyPercent } } }',
    )) as {
      holders: { nodes: { balance: { amount: string }; supplyPercent: string }[] };
    };
    // 2380 and 110 of a million.
    expect(data.holders.nodes.map(({ supplyPercent }) => supplyPercent)).toEqual(['0.238', '0.011']);
  });
});

describe('toDisplayAmount', () => {
  it.each([
    ['1', 9, '0.000000001'],
    ['99999999984999999995', 9, '99999999984.999999995'],
    ['0', 9, '0'],
    ['1500', 0, '1500'],
    ['1', 30, '0.000000000000000000000000000001'],
    ['-25', 1, '-2.5'],
  ])('%s at 10^%i is %s', (amount, exponent, shown) => {
    expect(toDisplayAmount(amount, { denom: 'x', symbol: 'X', exponent }).amount).toBe(shown);
  });
});

describe('invalid arguments', () => {
  it.each([
    ['scope(id: "nonsense") { id }', 'id'],
    ['scope(id: "scopespec1qsg3zyg3yg3yxvuyg3242424242shk3a23") { id }', 'id'],
    ['scope(id: "scope1qqenxvenyg3yxvuyg3242424242spmt0nq") { id }', 'id'],
    ['scopeSpecification(id: "scope1qqenxvenyg3yxvuyg3242424242spmt0np") { id }', 'id'],
    ['marker(denom: "a b") { denom }', 'denom'],
    ['holders(denom: "") { totalCount }', 'denom'],
    ['supplyOf(denom: "1x") { amount }', 'denom'],
    ['holders(denom: "goldcoin", first: 101) { totalCount nodes { balance { amount } } }', 'first'],
  ])('are refused with the name of the argument: %s', async (field, argument) => {
    const { body } = await stack.ask(`{ answer: ${field} }`);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument });
  });
});
