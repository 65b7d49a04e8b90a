import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeAddress, moduleAddress } from '../../../packages/devnet/src/app/runtime/address.ts';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { nanoseconds } from './harness.ts';

const { accounts, rows } = readRecording('unordered');

/** The block times of the recorded chain before some of its rows, as their texts name them. */
const timeBefore: Readonly<Record<string, string>> = {
  '1 first unordered': '2026-11-23T07:50:02.787Z',
  '1 included': '2026-11-23T07:50:03.796Z',
  '9a': '2026-11-23T07:50:05.82232073Z',
  '15': '2026-11-23T07:50:06.845620579Z',
  '17 timeout 150 ms after the last block': '2026-11-23T07:50:07.866Z',
  '17': '2026-11-23T07:50:08.886366287Z',
  '18': '2026-11-23T07:50:09.903Z',
  '20': '2026-11-23T07:50:10.941Z',
  '22 check_tx of the same bytes after the expiry': '2026-11-23T07:51:04.332691273Z',
};

/** The part of a response that does not depend on the chain's other transactions and on its gas prices. */
function outcome(response: JsonValue): JsonValue {
  const { code, codespace, log, hash, error, tx_result, txs } = response as JsonObject;
  if (error !== undefined) return { error };
  if (txs !== undefined) return { txs: (txs as JsonObject[]).map((tx) => tx.hash ?? null) };
  if (tx_result !== undefined) {
    const { code, codespace, log, data, events } = tx_result as JsonObject;
    return { tx_result: { code, codespace, log, data, events } as JsonObject };
  }
  return { code, codespace, log, ...(hash !== undefined && { hash }) } as JsonObject;
}

describe('the recorded unordered transactions', () => {
  let devnet: Devnet;
  let time = nanoseconds('2026-11-23T07:50:00Z');
  const outcomes = new Map<string, JsonValue>();
  const searches = new Map<string, JsonValue>();

  async function call(method: string, params: JsonObject): Promise<JsonObject> {
    const response = await fetch(devnet.nodes[0]!.url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 5, method, params }),
    });
    const { result, error } = (await response.json()) as JsonObject;
    return error === undefined ? (result as JsonObject) : { error };
  }

  beforeAll(async () => {
    // The accounts of the recording have the numbers 22 to 31, and two of them a sequence.
    const others = Array.from({ length: 22 }, (_, index) => encodeAddress(moduleAddress(`other/${index}`)));
    const coinsOf = (address: string) => {
      // One of them had paid for a transaction before.
      const spent = address === accounts[7] ? 10n ** 9n : 0n;
      return [{ denom: 'nhash', amount: 10n ** 18n - spent }];
    };
    devnet = await createDevnet({
      chainId: 'facts-1',
      blockTime: 'manual',
      genesisTime: time,
      genesis: {
        balances: [...others, ...accounts].map((address) => ({ address, coins: coinsOf(address) })),
        sequences: [1, 3].map((index) => ({ address: accounts[index]!, sequence: 1n })),
        maxExecutionSeconds: 600,
        history: [],
      },
    });
    for (const { name, request } of rows) {
      const next = timeBefore[name];
      if (next !== undefined) {
        await devnet.commit({ elapse: Number(nanoseconds(next) - time) / 1e6 });
        time = nanoseconds(next);
      }
      if (request.method === undefined) continue;
      const response = await call(request.method, request.params!);
      (request.method === 'tx_search' ? searches : outcomes).set(name, response);
    }
  });
  afterAll(() => devnet.close());

  const compared = rows.filter(({ request }) => /^(broadcast_tx_sync|check_tx|tx)$/.test(request.method ?? ''));

  it('are compared with 36 calls', () => expect(compared).toHaveLength(36));

  it.each(compared)('have the outcome of the real node: $name', ({ name, response }) => {
    expect(outcome(outcomes.get(name)!)).toEqual(outcome(response));
  });

  it.each(rows.filter(({ name }) => name.startsWith('nonces')))('leave the same $name', ({ name, response }) => {
    const value = (answer: JsonValue): JsonValue => ((answer as JsonObject).response as JsonObject).value!;
    expect(value(outcomes.get(name)!)).toBe(value(response));
  });

  it('are simulated with a used timeout', () => {
    expect(outcomes.get('7 simulation with the used timeout')).toMatchObject({ response: { code: 0 } });
  });

  it('are found by signature and payer, but not by sequence', () => {
    const hash = '8B0CFAAAB03AA6BD9031C6311A431630290DF2FBBA4E02369FDC2F514B0305B9';
    expect([...searches.values()].map((found) => outcome(found))).toEqual([{ txs: [] }, { txs: [hash] }, { txs: [hash] }]);
  });
});
