import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { type RecordedTransfer, recordedTransfers } from '../../modules/transfers/recordedTransfers.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { ask, askAt } from './request.ts';

/** One server at the end of the recording, and one at the newest block whose events are recorded. */
const nodes: ReplayNode[] = [];
let over: Stack;
let early: Stack;

beforeAll(async () => {
  nodes.push(await createReplayNode({ nothingHeld: true }), await createReplayNode({ head: 195n }));
  [over, early] = (await Promise.all(nodes.map(({ url }) => startStack([url])))) as [Stack, Stack];
});
afterAll(async () => {
  await Promise.all([over, early].map((stack) => stack.close()));
  await Promise.all(nodes.map((node) => node.close()));
});

const { addr } = readRecording('world');
const queries = readRecording('queries');
const blocks = new Map(
  readRecording('chain').map(({ height, block }) => [height, (block.block as { header: { time: string } }).header.time]),
);

/** The decoded response of a recorded query. */
// biome-ignore lint/suspicious/noExplicitAny: each test expects the format of its query
const recorded = (name: string): any => queries.find((row) => row.name === name)!.decoded;

const scope = 'scope1qqenxvenyg3yxvuyg3242424242spmt0np';
const scope2 = 'scope1qpzyg3zyyg3yxvuyg3242424242s4epjvg';
const dollars = (amount: string) => ({ amount, denom: 'USD', symbol: 'USD', exponent: 3 });

describe('over the recording of a real node', () => {
  it('balances: amount, spendable amount, price and value of each denom', async () => {
    const { status, body } = await ask(over, `balances/${addr.carol}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ blockHeight: '566', address: addr.carol, pagination: { nextCursor: null, hasMore: false } });
    const items = body.items as { denom: string; amount: string; spendable: string }[];
    expect(items.map(({ denom, amount }) => ({ denom, amount }))).toEqual(recorded('AllBalances carol').balances);
    expect(items.map(({ denom, spendable: amount }) => ({ denom, amount }))).toEqual(
      recorded('SpendableBalances carol').balances,
    );
    // The price is 1600 mills for 10 goldcoin, and carol has 2380. The scope has a value of 260000 mills.
    expect(items.slice(0, 2)).toEqual([
      {
        denom: 'goldcoin',
        amount: '2380',
        display: null,
        held: '0',
        spendable: '2380',
        scopeId: null,
        price: { denom: 'usd', perUnit: '160', perDisplayUnit: null, updatedBlockHeight: '135' },
        value: { denom: 'usd', amount: '380800', display: dollars('380.8') },
      },
      {
        denom: `nft/${scope}`,
        amount: '1',
        display: null,
        held: '0',
        spendable: '1',
        scopeId: scope,
        price: { denom: 'usd', perUnit: '260000', perDisplayUnit: null, updatedBlockHeight: '153' },
        value: { denom: 'usd', amount: '260000', display: dollars('260') },
      },
    ]);
  });

  it('balances in another price denom', async () => {
    const { body } = await ask(over, `balances/${addr.carol}?priceDenom=nhash&pagination.pageSize=2`);
    // The price is 5000 nhash for 2 goldcoin.
    expect(body.items).toMatchObject([
      { price: { denom: 'nhash', perUnit: '2500' }, value: { denom: 'nhash', amount: '5950000', display: null } },
      { price: null, value: null },
    ]);
  });

  it('metadata: a marker without display units', async () => {
    const { base_account: account, access_control: access, ...stored } = recorded('Marker goldcoin').marker;
    expect((await ask(over, 'metadata/goldcoin')).body.item).toEqual({
      denom: 'goldcoin',
      ...{ name: null, symbol: null, display: null, exponent: null, description: null, uri: null, uriHash: null },
      units: [],
      supply: { ...recorded('SupplyOf').amount, display: null },
      marker: {
        address: account.address,
        markerType: stored.marker_type,
        status: stored.status,
        manager: null,
        supply: stored.supply,
        supplyFixed: stored.supply_fixed,
        allowGovernanceControl: stored.allow_governance_control,
        allowForcedTransfer: stored.allow_forced_transfer,
        requiredAttributes: stored.required_attributes,
        requireDepositAccess: false,
        accessControl: access,
      },
      scopeId: null,
      price: { denom: 'usd', perUnit: '160', perDisplayUnit: null, updatedBlockHeight: '135' },
    });
  });

  it('scopes, by address and by UUID, and one without a price', async () => {
    const { scope: stored, scope_id_info: ids, scope_spec_id_info: specification } = recorded('Scope scope').scope;
    const { description } = recorded('ScopeSpecification').scope_specification.specification;
    const expected = {
      id: ids.scope_addr,
      uuid: ids.scope_uuid,
      denom: `nft/${scope}`,
      specification: {
        id: specification.scope_spec_addr,
        name: description.name,
        description: description.description,
        websiteUrl: description.website_url,
        iconUrl: description.icon_url,
      },
      owners: stored.owners,
      dataAccess: stored.data_access,
      valueOwner: stored.value_owner_address,
      requirePartyRollup: stored.require_party_rollup,
      price: { denom: 'usd', perUnit: '260000', perDisplayUnit: null, updatedBlockHeight: '153' },
      value: { denom: 'usd', amount: '260000', display: dollars('260') },
    };
    expect((await ask(over, `scopes/${scope}`)).body.item).toEqual(expected);
    expect((await ask(over, `scopes/${ids.scope_uuid}`)).body.item).toEqual(expected);
    expect((await ask(over, `scopes/${scope2}`)).body.item).toMatchObject({ id: scope2, price: null, value: null });
  });

  it('netAssetValues of a marker, in all price denoms and in one', async () => {
    const values = recorded('NetAssetValues goldcoin').net_asset_values as JsonObject[];
    const listed = (await ask(over, 'netAssetValues/goldcoin')).body;
    expect(listed).toMatchObject({ denom: 'goldcoin', completeFrom: null, pagination: { nextCursor: null, hasMore: false } });
    const shared = { denom: 'goldcoin', scopeId: null, pricePerDisplayUnit: null, source: null, transactionHash: null };
    const expected = [
      {
        ...shared,
        price: { denom: 'nhash', amount: '5000', display: null },
        volume: '2',
        pricePerUnit: '2500',
        updatedBlockHeight: '133',
        updatedBlockTime: blocks.get('133'),
      },
      {
        ...shared,
        price: { denom: 'usd', amount: '1600', display: dollars('1.6') },
        volume: '10',
        pricePerUnit: '160',
        updatedBlockHeight: '135',
        updatedBlockTime: blocks.get('135'),
      },
    ];
    expect(values.map(({ updated_block_height: at }) => at)).toEqual(['133', '135']);
    expect(listed.items).toEqual(expected);
    expect((await ask(over, 'netAssetValues/goldcoin?priceDenom=nhash')).body.items).toEqual([expected[0]]);
  });

  it.each([
    ['scope1', scope],
    ['its UUID', '33333333-2222-4333-8444-555555555555'],
    ['its coin', `nft/${scope}`],
    ['its coin, encoded', `nft%2F${scope}`],
  ])('netAssetValues of a scope by %s', async (_, asset) => {
    const { body } = await ask(over, `netAssetValues/${asset}`);
    expect(body).toMatchObject({
      denom: `nft/${scope}`,
      items: [{ scopeId: scope, volume: '1', price: { amount: '260000' }, updatedBlockTime: blocks.get('153') }],
    });
  });

  it('holders, with their share of the supply and its value', async () => {
    const owners = recorded('DenomOwners').denom_owners as { address: string; balance: { amount: string } }[];
    const { body } = await ask(over, 'holders/goldcoin?pagination.pageSize=2');
    expect(body.supply).toEqual({ ...recorded('SupplyOf').amount, display: null });
    expect(body.items).toEqual(
      owners.map(({ address, balance: { amount } }) => ({
        address,
        amount,
        display: null,
        supplyPercent: String(Number(amount) / 10_000),
        value: {
          denom: 'usd',
          amount: String(160 * Number(amount)),
          display: dollars(String((160 * Number(amount)) / 1000)),
        },
      })),
    );
    expect(body.pagination).toMatchObject({ hasMore: true });
  });

  it('makes no query that is not recorded', () => {
    expect(nodes[0]!.unrecorded).toEqual([]);
  });
});

describe('transfers of the recorded chain', () => {
  const all = recordedTransfers();
  const dave = all.find(({ kind }) => kind === 'MARKER_TRANSFER')!.recipient;
  const has = (denom: string) => (transfer: RecordedTransfer) =>
    transfer.amount.split(',').some((coin) => coin.replace(/^\d+/, '') === denom);

  const lists: readonly (readonly [string, (transfer: RecordedTransfer) => boolean])[] = [
    ['transfers?denom=goldcoin&pagination.pageSize=3', has('goldcoin')],
    [`transfers/${dave}?pagination.pageSize=4`, ({ sender, recipient }) => [sender, recipient].includes(dave)],
    [`transfers?address=${dave}&direction=IN&pagination.pageSize=2`, ({ recipient }) => recipient === dave],
    [`transfers/${dave}?direction=OUT&pagination.pageSize=7`, ({ sender }) => sender === dave],
    [
      `transfers/${dave}?kinds=SEND&kinds=OTHER`,
      (t) => [t.sender, t.recipient].includes(dave) && ['SEND', 'OTHER'].includes(t.kind),
    ],
    [`transfers/${dave}?kinds=SEND,OTHER`, (t) => [t.sender, t.recipient].includes(dave) && ['SEND', 'OTHER'].includes(t.kind)],
    [
      `transfers/${dave}?denom=goldcoin&pagination.pageSize=1`,
      (t) => [t.sender, t.recipient].includes(dave) && has('goldcoin')(t),
    ],
  ];

  it.each(lists)('%s, page by page', async (path, meant) => {
    const items: Record<string, unknown>[] = [];
    const wanted = Number(/pageSize=(\d+)/.exec(path)?.[1] ?? 20);
    for (let cursor: string | null = ''; cursor !== null; ) {
      const next: string = cursor === '' ? '' : `${path.includes('?') ? '&' : '?'}pagination.cursor=${cursor}`;
      const { body } = await askAt(early, 195, `${path}${next}`);
      expect(body.completeFrom).toBe('1');
      const page = body.items as Record<string, unknown>[];
      const { nextCursor, hasMore } = body.pagination as { nextCursor: string | null; hasMore: boolean };
      expect(hasMore).toBe(nextCursor !== null);
      if (hasMore) expect(page.length).toBe(wanted);
      items.push(...page);
      cursor = nextCursor;
    }
    const listed = items.map(({ amounts, transactionHash, ...rest }) => ({
      ...rest,
      amount: (amounts as { amount: string; denom: string }[]).map(({ amount, denom }) => amount + denom).join(),
      ofBlock: transactionHash === null,
    }));
    const expected = all.filter(meant);
    expect(expected.length).toBeGreaterThan(0);
    expect(listed).toEqual(
      expected.map(({ height, index, ...rest }) => ({
        ...rest,
        blockHeight: height,
        blockTime: blocks.get(height),
        ofBlock: index === null,
      })),
    );
  });
});
