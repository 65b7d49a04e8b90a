import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { some } from '../../support/atRandom.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type RecordedTransfer, recordedTransfers } from './recordedTransfers.ts';

const all = recordedTransfers();
const nodes: ReplayNode[] = [];
const stacks: Stack[] = [];

/** The recorded chain, with and without the index of its node. */
const ways = ['by the index', 'by the blocks'] as const;

beforeAll(async () => {
  nodes.push(await createReplayNode({ head: 195n }), await createReplayNode({ head: 195n, earliestState: 190n }));
  stacks.push(...(await Promise.all(nodes.map(({ url }) => startStack([url])))));
});
afterAll(async () => {
  await Promise.all(stacks.map((stack) => stack.close()));
  await Promise.all(nodes.map((node) => node.close()));
});

const fields = `{
  completeFrom totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  edges { cursor node { kind height sender { address } recipient { address } administrator { address } amount { denom amount }
    transaction { hash index height } message { type } } }
}`;

interface Node {
  readonly kind: string;
  readonly height: string;
  readonly sender: { readonly address: string } | null;
  readonly recipient: { readonly address: string };
  readonly administrator: { readonly address: string } | null;
  readonly amount: readonly { readonly denom: string; readonly amount: string }[];
  readonly transaction: { readonly hash: string; readonly index: number; readonly height: string } | null;
  readonly message: { readonly type: string } | null;
}
interface Page {
  readonly completeFrom: string;
  readonly totalCount: string | null;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
}

function asRecorded({ kind, height, sender, recipient, administrator, amount, transaction, message }: Node): RecordedTransfer {
  return {
    height,
    index: transaction?.index ?? null,
    kind,
    sender: sender?.address ?? null,
    recipient: recipient.address,
    amount: amount.map((coin) => `${coin.amount}${coin.denom}`).join(),
    administrator: administrator?.address ?? null,
    messageType: message?.type ?? null,
  };
}

async function page(way: number, args: string, after?: string, height = 195n): Promise<Page> {
  const given = [args, ...(after === undefined ? [] : [`after: "${after}"`])].join(', ');
  const { body } = await stacks[way]!.ask(`{ transfers(${given}) ${fields} }`, {}, { 'x-cosmos-block-height': `${height}` });
  expect(body.errors).toBeUndefined();
  return (body.data as { transfers: Page }).transfers;
}

/** Reads all pages, each after the end cursor of the previous one. */
async function pages(way: number, args: string): Promise<readonly Page[]> {
  const read = [await page(way, args)];
  for (let info = read[0]!.pageInfo; info.hasNextPage; info = read.at(-1)!.pageInfo) {
    expect(read.length).toBeLessThan(100);
    read.push(await page(way, args, info.endCursor!));
  }
  return read;
}

const itemsOf = (read: readonly Page[]): RecordedTransfer[] =>
  read.flatMap(({ edges }) => edges.map(({ node }) => asRecorded(node)));

const has = (denom: string) => (transfer: RecordedTransfer) =>
  transfer.amount.split(',').some((coin) => coin.replace(/^\d+/, '') === denom);
const dave = all.find(({ kind }) => kind === 'MARKER_TRANSFER')!.recipient;
const collector = all.find(({ kind }) => kind === 'FEE')!.recipient;

const lists: readonly (readonly [args: string, isSelected: (transfer: RecordedTransfer) => boolean])[] = [
  ['denom: "nhash", first: 100', has('nhash')],
  ['denom: "goldcoin", first: 3', has('goldcoin')],
  ['denom: "shareclass"', has('shareclass')],
  ['denom: "hash"', () => false],
  [`account: "${dave}", first: 4`, ({ sender, recipient }) => [sender, recipient].includes(dave)],
  [`account: "${dave}", direction: IN, first: 2`, ({ recipient }) => recipient === dave],
  [`account: "${dave}", direction: OUT, first: 7`, ({ sender }) => sender === dave],
  [
    `account: "${dave}", kinds: [SEND, OTHER]`,
    (t) => [t.sender, t.recipient].includes(dave) && ['SEND', 'OTHER'].includes(t.kind),
  ],
  [`account: "${dave}", denom: "goldcoin", first: 1`, (t) => [t.sender, t.recipient].includes(dave) && has('goldcoin')(t)],
  [`account: "${collector}", first: 50`, ({ sender, recipient }) => [sender, recipient].includes(collector)],
  [`account: "${collector}", direction: OUT, first: 40`, ({ sender }) => sender === collector],
  [
    `account: "${collector}", kinds: [OTHER], first: 30`,
    (t) => [t.sender, t.recipient].includes(collector) && t.kind === 'OTHER',
  ],
  ['denom: "nhash", kinds: [SEND], first: 3', (t) => has('nhash')(t) && t.kind === 'SEND'],
  ['denom: "nhash", kinds: []', () => false],
];

describe.each(ways.map((way, index) => [way, index] as const))('transfers of the recorded chain, %s', (_, way) => {
  it.each(some(lists, 6))('%s', async (args, isSelected) => {
    const read = await pages(way, args);
    expect(itemsOf(read)).toEqual(all.filter(isSelected));
    expect(read.map(({ totalCount }) => totalCount)).toEqual(read.map(() => null));
    // Every page but the last is full, unless it reached its limits: a search for `hash` also finds `nhash`.
    const first = args.includes('"hash"') ? 0 : Number(/first: (\d+)/.exec(args)?.[1] ?? 20);
    expect(read.slice(0, -1).map(({ edges }) => edges.length)).toEqual(read.slice(0, -1).map(() => first));
    expect(read.at(-1)!.completeFrom).toBe('1');
  });
});

describe('transfer fields of other types', () => {
  const nodeFields = `{ kind height sender { address } recipient { address } administrator { address } amount { denom amount }
    transaction { hash index height } message { type } }`;
  let node: ReplayNode;
  let stack: Stack;

  beforeAll(async () => {
    // A height after the end of the scenario, because the newest blocks are not recorded.
    node = await createReplayNode({ head: 1105n });
    stack = await startStack([node.url]);
  });
  afterAll(async () => {
    await stack.close();
    await node.close();
  });

  async function ask<T>(document: string): Promise<T> {
    const { body } = await stack.ask(document, {}, { 'x-cosmos-block-height': '566' });
    expect(body.errors).toBeUndefined();
    return body.data as T;
  }

  it('Transaction.transfers returns its transfers with fees in event order; for a failed transaction, only the fee', async () => {
    const { transactions } = await ask<{
      transactions: { nodes: { height: string; index: number; code: number; transfers: Node[] }[] };
    }>(`{ transactions(query: "tx.height <= 195", first: 100) { nodes { height index code transfers ${nodeFields} } } }`);
    expect(transactions.nodes.length).toBeGreaterThan(90);
    for (const { height, index, code, transfers } of transactions.nodes) {
      const own = all.filter((each) => each.height === height && each.index === index).toReversed();
      expect(transfers.map(asRecorded)).toEqual(own);
      if (code !== 0) expect(own.map(({ kind }) => kind)).toEqual(['FEE']);
    }
    expect(transactions.nodes.filter(({ code }) => code !== 0).length).toBeGreaterThan(2);
  });

  it('Marker.transfers and Account.transfers equal Query.transfers, with block times', async () => {
    const found = await ask<Record<'marker' | 'account', { transfers: { nodes: Node[] } }>>(`{
      marker(denom: "goldcoin") { transfers(kinds: [SEND, MULTI_SEND]) { nodes ${nodeFields} } }
      account(address: "${dave}") { transfers(denom: "shareclass", direction: IN) { nodes ${nodeFields} } }
    }`);
    const gold = all.filter((each) => has('goldcoin')(each) && ['SEND', 'MULTI_SEND'].includes(each.kind));
    expect(gold.length).toBe(3);
    expect(found.marker.transfers.nodes.map(asRecorded)).toEqual(gold);
    const shares = all.filter((each) => has('shareclass')(each) && each.recipient === dave);
    expect(shares.map(({ kind, administrator }) => [kind, administrator !== null])).toEqual([['MARKER_TRANSFER', true]]);
    expect(found.account.transfers.nodes.map(asRecorded)).toEqual(shares);

    const { transfers } = await ask<{ transfers: { nodes: { height: string; time: string; block: { time: string } }[] } }>(
      '{ transfers(denom: "goldcoin") { nodes { height time block { time } } } }',
    );
    const times = new Map(
      readRecording('chain').map(({ height, block }) => [height, (block.block as { header: { time: string } }).header.time]),
    );
    expect(transfers.nodes.length).toBeGreaterThan(5);
    for (const { height, time, block } of transfers.nodes)
      expect([time, block.time]).toEqual([times.get(height), times.get(height)]);
  });
});
