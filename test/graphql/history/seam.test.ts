import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HistoryStreamOptions, startHistory } from '../../../src/graphql/live/historyStream.ts';
import { fc, rounds, runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describeGroup, type TestGroup } from '../../support/groups.ts';
import { type Listener, overMultipart, transports } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { executeEverywhere } from './histories.ts';

/** Changes before the query, and those that arrive while it reads the past, one after another: two with each read. */
const past = 10;
const meanwhile = 30;
/** Blocks that arrive one directly after the other, with and without a change. */
const burst = 12;

const protocols = { ...transports, multipart: overMultipart };

describe.runIf(runsAll).each(Object.entries(protocols))('a live query from a height, over %s', (name, over) => {
  let chain: TestChain;
  let stack: Stack;
  let group: TestGroup;
  let listener: Listener | undefined;
  let changes = 0;

  const query = (live: string) => `query Group ${live} { group(id: "${group.id}") { metadata asOfHeight } }`;
  async function change(): Promise<void> {
    changes += 1;
    await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `change ${changes}`));
  }

  beforeAll(async () => {
    chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n, keepHeights: 0 });
    group = await createGroup(chain, [[chain.accounts[0]!, '1']]);
    stack = await startStack([chain.node.url]);
    for (let count = 0; count < past; count += 1) {
      await chain.devnet.commit();
      await change();
    }
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  });
  afterEach(() => {
    listener?.drop();
    chain.node.onCall = undefined;
  });
  afterAll(async () => {
    await stack.close();
    await chain.devnet.close();
    expect(stack.masked).toEqual([]);
  });

  it('has every change once while blocks arrive', async () => {
    const beginning = chain.devnet.height;
    let isBusy = false;
    let whileSent = 0;
    chain.node.onCall = async ({ method, params }) => {
      const isRead = method === 'abci_query' && JSON.stringify(params).includes('Query/GroupInfo"');
      if (isBusy || !isRead || changes >= past + meanwhile) return;
      isBusy = true;
      for (let count = 0; count < 2; count += 1) await change();
      const received = BigInt(listener?.answers.at(-1)?.extensions?.height ?? '0');
      if (received < beginning) whileSent += 2;
      isBusy = false;
    };
    listener = await over(stack.server.url, query('@live(from: "3")'));
    // The group has its first metadata at height 2.
    await listener.count(1 + past + meanwhile);
    chain.node.onCall = undefined;
    for (let count = 0; count < burst; count += 1) {
      await chain.devnet.commit();
      await change();
    }
    await listener.count(1 + past + meanwhile + burst);
    const expected = await executeEverywhere(stack, query(''), {}, 3n, chain.devnet.height);
    const steps = listener.answers.map(({ data, extensions }) => ({
      height: extensions!.height,
      time: (extensions as { time: string }).time,
      data,
    }));
    expect(steps).toEqual(expected);
    expect(steps.length).toBe(1 + past + meanwhile + burst);
    expect(whileSent).toBeGreaterThanOrEqual(past);
    process.stdout.write(
      `${name}: ${past} changes in the past, ${whileSent} more while they were sent, ${changes - past - whileSent} after that: ${steps.length} results, no gap, no repeat\n`,
    );
  });
});

describe('the seam of a history', () => {
  it('joins the live query when every block up to the newest is covered, whenever blocks arrive', async () => {
    const block = fc.record({ isChange: fc.boolean(), arrivesAt: fc.nat(30) });
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 40 }), fc.nat(20), async (blocks, old) => {
        let newest = BigInt(Math.min(old + 1, blocks.length));
        let calls = 0;
        const listeners = new Set<() => void>();
        const isChange = (height: bigint): boolean => height === 1n || blocks[Number(height) - 1]!.isChange;
        /** The blocks that arrive during this call. */
        const arrive = (): void => {
          calls += 1;
          while (newest < blocks.length && blocks[Number(newest)]!.arrivesAt <= calls) {
            newest += 1n;
            for (const listener of [...listeners]) listener();
          }
        };
        let covered = 0n;
        const sent: bigint[] = [];
        const walk = {
          async next(to: bigint) {
            await Promise.resolve();
            arrive();
            await Promise.resolve();
            for (let height = covered + 1n; height <= to; height += 1n) {
              covered = height;
              if (isChange(height)) return { height, time: '', result: { at: () => height }, previous: undefined };
            }
            arrive();
            return undefined;
          },
          covered: () => covered,
          executions: () => 0,
        };
        const joined = await new Promise<bigint>((resolve, reject) => {
          startHistory({
            walk: Promise.resolve(walk),
            to: Promise.resolve(undefined),
            head: {
              current: () => ({ height: newest }),
              onBlock: (listener: () => void) => {
                listeners.add(listener);
                return () => listeners.delete(listener);
              },
            },
            sink: { isFull: () => false, send: (height: bigint) => void sent.push(height), end: reject },
            caller: {},
            wantsPatch: false,
            maxWait: 1_000,
            tooSlow: () => new Error('slow'),
            mask: (error: unknown) => error,
            join(height: bigint) {
              // In the same turn, nothing is between what was sent and the newest block.
              if (height !== newest) reject(new Error(`joined at ${height}, and the newest block is ${newest}`));
              resolve(height);
            },
            onGone: () => undefined,
          } as unknown as HistoryStreamOptions);
        });
        const expected = [];
        for (let height = 1n; height <= joined; height += 1n) if (isChange(height)) expected.push(height);
        expect(sent).toEqual(expected);
      }),
      { numRuns: rounds(400) },
    );
  });
});
