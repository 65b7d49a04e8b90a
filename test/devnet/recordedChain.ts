import { createApplication } from '../../packages/devnet/src/app/application.ts';
import type { Genesis } from '../../packages/devnet/src/app/runtime/genesisState.ts';
import { createDevnet, type Devnet } from '../../packages/devnet/src/devnet.ts';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { Access } from '../../src/proto/provenance/marker/v1/accessgrant_pb.js';
import { MarkerStatus, MarkerType } from '../../src/proto/provenance/marker/v1/marker_pb.js';
import { readRecording } from '../recordings/recordings.ts';

/** The last height before the recorded chain turns from groups to other modules. */
export const lastHeight = 107;

/** The last height with a recorded block. The whole scenario is below it, except for two transactions at 244 and 245. */
export const endHeight = 195;

const start = 10n ** 20n;
const staked = 10n ** 15n;

/** A devnet that has executed the recorded transactions in the recorded blocks. */
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
 * The genesis of the recorded chain: account numbers 0-4 are the accounts of the scenario, 5 is the marker of the fee denomination, and those up to 12 are modules. `more` gets 10^20 nhash each; their accounts follow those of the scenario and shift the other numbers.
 */
export function recordedGenesis(more: readonly string[] = []): Genesis {
  const { validator, alice, bob, carol, dave } = readRecording('world').addr;
  const coins = [{ denom: 'nhash', amount: start }];
  const permissions = [Access.MINT, Access.BURN, Access.ADMIN, Access.WITHDRAW, Access.DEPOSIT];
  return {
    balances: [
      { address: validator, coins: [{ denom: 'nhash', amount: start - staked }] },
      ...[alice, bob, carol, dave, ...more].map((address) => ({ address, coins })),
    ],
    markers: [
      {
        denom: 'nhash',
        supply: '600000000000000000000',
        status: MarkerStatus.ACTIVE,
        markerType: MarkerType.COIN,
        accessControl: [{ address: validator, permissions }],
      },
    ],
    modules: ['fee_collector', 'distribution', 'mint', 'bonded_tokens_pool', 'not_bonded_tokens_pool', 'gov', 'attribute'],
    // It was its own validator.
    sequences: [{ address: validator, sequence: 1n }],
    names: [{ name: 'pb', address: validator, restricted: true }],
    maxExecutionSeconds: 14 * 24 * 3600,
    history: [],
  };
}

/**
 * Starts a devnet with the recorded genesis, and broadcasts the transactions of the recorded blocks up to `until` (default {@link lastHeight}), block by block at the recorded times.
 */
export async function executeRecordedChain(more: readonly string[] = [], until = lastHeight): Promise<RecordedChain> {
  const chain = readRecording('chain');
  const genesis = recordedGenesis(more);
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
  for (let height = 2; height <= until; height++) {
    const { txs } = chain[height - 1]!.block.block.data as { txs: JsonValue[] };
    for (const tx of txs) await call('broadcast_tx_sync', { tx });
    await devnet.commit({ elapse: Number(timeOf(height) - timeOf(height - 1)) / 1e6 });
  }
  return { devnet, url, call };
}
