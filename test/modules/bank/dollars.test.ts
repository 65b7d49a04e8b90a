import { QueryAllBalancesResponse, QueryDenomMetadataResponse } from 'cosmjs-types/cosmos/bank/v1beta1/query';
import { afterEach, describe, expect, it } from 'vitest';
import { asObject, objectAt } from '../../../src/chain/wire/json.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const dollars = QueryAllBalancesResponse.fromPartial({ balances: [{ denom: 'usd', amount: '1500' }] });
const cents = QueryDenomMetadataResponse.fromPartial({
  metadata: {
    base: 'usd',
    display: 'dollar',
    symbol: 'D',
    denomUnits: [
      { denom: 'usd', exponent: 0 },
      { denom: 'dollar', exponent: 2 },
    ],
  },
});

/** A server over a chain on which every account has 1500 of the coin `usd`, with metadata if any is given. */
async function over(without: readonly ['marker'] | readonly [], metadata?: QueryDenomMetadataResponse) {
  const chain = await startChain({ without });
  stops.push(() => chain.devnet.close());
  const bytes: Record<string, Uint8Array | undefined> = {
    '/cosmos.bank.v1beta1.Query/AllBalances': QueryAllBalancesResponse.encode(dollars).finish(),
    '/cosmos.bank.v1beta1.Query/DenomMetadata': metadata && QueryDenomMetadataResponse.encode(metadata).finish(),
  };
  chain.node.faults.forge = ({ method, params }, result) => {
    const path = method === 'abci_query' ? asObject(params ?? {}, 'params').path : undefined;
    const forged = bytes[String(path)];
    if (forged === undefined) return result;
    const response = objectAt(asObject(result, method), 'response');
    return { response: { ...response, code: 0, log: '', codespace: '', value: Buffer.from(forged).toString('base64') } };
  };
  const stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
  stops.push(stack.close);
  return { chain, stack, address: chain.accounts[0]!.address };
}

async function displayed({ stack, address }: { readonly stack: Stack; readonly address: string }): Promise<unknown> {
  const document = 'query ($a: String!) { account(address: $a) { balances { nodes { denom display { amount symbol } } } } }';
  const { body } = await stack.ask(document, { a: address });
  expect(body.errors).toBeUndefined();
  return (body.data as { account: { balances: { nodes: { display: unknown }[] } } }).account.balances.nodes[0]!.display;
}

describe('the coin `usd`', () => {
  it.runIf(runsAll)('counts mills on a chain with markers, by its types, which are read once', async () => {
    const setUp = await over([]);
    expect(await displayed(setUp)).toEqual({ amount: '1.5', symbol: 'USD' });
    await setUp.chain.devnet.commit();
    setUp.chain.node.counters.reset();
    await setUp.stack.client.head.waitFor(setUp.chain.devnet.height, { milliseconds: 10_000 });
    expect(await displayed(setUp)).toEqual({ amount: '1.5', symbol: 'USD' });
    const paths = setUp.chain.node.counters.log.map(({ params }) => asObject(params ?? {}, 'params').path);
    expect(paths.filter((path) => path !== undefined)).toEqual(['/cosmos.bank.v1beta1.Query/AllBalances']);
  });

  it('is a coin like others on a chain without markers', async () => {
    expect(await displayed(await over(['marker']))).toBeNull();
    expect(await displayed(await over(['marker'], cents))).toEqual({ amount: '15', symbol: 'D' });
  });
});
