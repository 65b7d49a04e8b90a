import type { JsonObject, JsonValue } from '../../src/chain/json.ts';
import { createApplication } from '../../src/devnet/app/application.ts';
import { createDevnet, type Devnet } from '../../src/devnet/devnet.ts';
import { readRecording } from '../recordings/recordings.ts';

/** The last height before the recorded chain runs messages of modules that the devnet has not. */
export const lastHeight = 107;

/** A devnet that has executed the recorded chain's transactions in the recorded chain's blocks. */
export interface RecordedChain {
  readonly devnet: Devnet;
  readonly url: string;
  call(method: string, params: JsonObject): Promise<JsonObject>;
}

/** Nanoseconds since 1970. */
export function nanoseconds(time: string): bigint {
  const [whole = '', decimals = ''] = time.slice(0, -1).split('.');
  return BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(decimals.padEnd(9, '0'));
}

/**
 * Starts a devnet with the recorded genesis' accounts (their numbers and funds), and broadcasts to it what the recorded blocks up to
 * {@link lastHeight} hold, block by block at the recorded times. `more` gets 10^20 nhash each, after the recorded accounts.
 */
export async function executeRecordedChain(more: readonly string[] = []): Promise<RecordedChain> {
  const chain = readRecording('chain');
  const { validator, alice, bob, carol, dave } = readRecording('world').addr;
  const coins = [{ denom: 'nhash', amount: 10n ** 20n }];
  const genesis = {
    balances: [validator, alice, bob, carol, dave, ...more].map((address) => ({ address, coins })),
    maxExecutionSeconds: 14 * 24 * 3600,
    history: [],
  };
  const timeOf = (height: number): bigint => nanoseconds((chain[height - 1]!.block.block.header as { time: string }).time);
  const devnet = await createDevnet({
    application: createApplication({ genesis }),
    chainId: 'testing',
    blockTime: 'manual',
    genesisTime: timeOf(1),
  });
  const { url } = devnet.nodes[0]!;

  const call = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return (await (await fetch(url, { method: 'POST', body })).json()) as JsonObject;
  };
  for (let height = 2; height <= lastHeight; height++) {
    const { txs } = chain[height - 1]!.block.block.data as { txs: JsonValue[] };
    for (const tx of txs) await call('broadcast_tx_sync', { tx });
    await devnet.commit({ elapse: Number(timeOf(height) - timeOf(height - 1)) / 1e6 });
  }
  return { devnet, url, call };
}
