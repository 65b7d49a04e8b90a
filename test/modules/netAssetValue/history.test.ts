import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { readHistory } from '../../../src/modules/history/connection.ts';
import { markerValues } from '../../../src/modules/netAssetValue/history.ts';
import { createPin } from '../../../src/reads/pin.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { runsAll } from '../../support/atRandom.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const nodes: ReplayNode[] = [];
const stacks: Stack[] = [];

beforeAll(async () => {
  nodes.push(await createReplayNode({ head: 1105n }), await createReplayNode({ head: 195n, earliestState: 190n }));
  stacks.push(...(await Promise.all(nodes.map(({ url }) => startStack([url])))));
});
afterAll(async () => {
  await Promise.all(stacks.map((stack) => stack.close()));
  await Promise.all(nodes.map((node) => node.close()));
});

interface Value {
  readonly price: { readonly amount: string; readonly denom: string };
  readonly volume: string;
  readonly source: string;
  readonly updatedBlockHeight: string;
  readonly updatedBlock: { readonly time: string };
  readonly transaction: { readonly index: number; readonly height: string };
}

/** The values of one asset in the recorded events, newest first, read without Stele's code. */
function recorded(type: string, key: string, id: string): readonly Value[] {
  const values: Value[] = [];
  for (const { height, block, block_results: results } of readRecording('chain')) {
    const { time } = (block.block as { header: { time: string } }).header;
    ((results.txs_results ?? []) as { events: JsonObject[] }[]).forEach(({ events }, index) => {
      for (const event of events) {
        if (event.type !== type) continue;
        const attributes = event.attributes as { key: string; value: string }[];
        const text = (name: string) => JSON.parse(attributes.find((each) => each.key === name)!.value) as string;
        if (text(key) !== id) continue;
        const [, amount, denom] = /^(\d+)(\w+)$/.exec(text('price'))!;
        values.push({
          price: { amount: amount!, denom: denom! },
          volume: text('volume'),
          source: text('source'),
          updatedBlockHeight: height,
          updatedBlock: { time },
          transaction: { index, height },
        });
      }
    });
  }
  return values.reverse();
}

const scope = 'scope1qqenxvenyg3yxvuyg3242424242spmt0np';
const gold = recorded('provenance.marker.v1.EventSetNetAssetValue', 'denom', 'goldcoin');
const ofScope = recorded('provenance.metadata.v1.EventSetNetAssetValue', 'scope_id', scope);

/** A height at which the recorded chain was idle, because its newest blocks are not recorded. */
const past = { 'x-cosmos-block-height': '566' };

const fields =
  '{ completeFrom pageInfo { hasNextPage endCursor } nodes { price { amount denom } volume source updatedBlockHeight updatedBlock { time } transaction { index height } } }';

interface Page {
  readonly completeFrom: string;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly Value[];
}

/** Reads the history of the root field `field`. */
async function history(stack: Stack, field: string, args: string): Promise<Page> {
  const { body } = await stack.ask(`{ of: ${field} { netAssetValueHistory${args} ${fields} } }`, {}, past);
  expect(body.errors).toBeUndefined();
  return (body.data as { of: { netAssetValueHistory: Page } }).of.netAssetValueHistory;
}

describe('netAssetValueHistory', () => {
  it('returns every value of a marker, newest first, with source, block and transaction', async () => {
    expect(gold.map(({ price }) => price.amount)).toEqual(['1600', '5000', '1500', '1234']);
    nodes[0]!.reset();
    const page = await history(stacks[0]!, 'marker(denom: "goldcoin")', '');
    // The search returned the transactions.
    expect(nodes[0]!.calls.filter(({ method }) => method === 'tx')).toEqual([]);
    expect(page).toEqual({ completeFrom: '1', pageInfo: { hasNextPage: false, endCursor: expect.any(String) }, nodes: gold });
  });

  it('returns the values in one price denom, page by page', async () => {
    const inDollars = gold.filter(({ price }) => price.denom === 'usd');
    const first = await history(stacks[0]!, 'marker(denom: "goldcoin")', '(priceDenom: "usd", first: 2)');
    expect(first.nodes).toEqual(inDollars.slice(0, 2));
    expect(first.pageInfo.hasNextPage).toBe(true);
    const after = first.pageInfo.endCursor!;
    const second = await history(stacks[0]!, 'marker(denom: "goldcoin")', `(priceDenom: "usd", first: 2, after: "${after}")`);
    expect(second.nodes).toEqual(inDollars.slice(2));
    expect(second.pageInfo.hasNextPage).toBe(false);
    // Its cursors are invalid for another price denom and for the whole list.
    const { body } = await stacks[0]!.ask(
      `{ marker(denom: "goldcoin") { netAssetValueHistory(after: "${after}") { completeFrom } } }`,
      {},
      past,
    );
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_CURSOR' } }]);
  });

  it('returns the values of a scope', async () => {
    expect(ofScope.map(({ price }) => price.amount)).toEqual(['260000', '250000']);
    expect((await history(stacks[0]!, `scope(id: "${scope}")`, '')).nodes).toEqual(ofScope);
  });

  it.runIf(runsAll)('is the same if no node has an index and the blocks are read', async () => {
    // The node has pruned the state of the marker, so the history is read without the marker.
    const { client } = stacks[1]!;
    await client.head.ready({ milliseconds: 5000 });
    const pin = createPin(client, 195n);
    const page = await readHistory(pin, markerValues('goldcoin', undefined).query, { first: 20, after: undefined });
    expect(
      page.found.map(({ item }) => [item.price, String(item.volume), item.source, String(item.updatedBlockHeight)]),
    ).toEqual(gold.map(({ price, volume, source, updatedBlockHeight }) => [price, volume, source, updatedBlockHeight]));
    expect(await page.completeFrom()).toBe(1n);
  });

  it('is empty for an asset without a value', async () => {
    const page = await history(stacks[0]!, 'marker(denom: "shareclass")', '');
    expect(page).toEqual({ completeFrom: '1', pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] });
  });
});
