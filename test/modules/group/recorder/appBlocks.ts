import type { Application, BlockResult } from '../../../../packages/devnet/src/abci/abci.ts';
import type { Event } from '../../../../src/chain/base/execution.ts';
import { timeText } from '../../../../src/chain/base/time.ts';
import { type CommittedBlock, hashTx } from '../../../../src/chain/blocks/committedBlock.ts';
import type { Pin } from '../../../../src/reads/pin.ts';
import { statePins } from './statePins.ts';

/** A block that an application executed, as a node returns it. Parts that the recorder does not read are empty. */
export function committedBlock(
  height: bigint,
  time: bigint,
  txs: readonly Uint8Array[],
  { txResults, events }: Pick<BlockResult, 'txResults' | 'events'>,
): CommittedBlock {
  const transactions = txs.map((bytes, index) => {
    const tx = Buffer.from(bytes).toString('base64');
    const result = txResults[index]!;
    const data = result.data === null ? null : Buffer.from(result.data).toString('base64');
    return { hash: hashTx(tx), index, tx, result: { ...result, data } };
  });
  return { header: { height, time: timeText(time) }, transactions, events } as unknown as CommittedBlock;
}

/** A block with given events and transactions, for cases that no chain here makes. */
export function madeBlock(
  height: bigint,
  time: bigint,
  {
    txs = [],
    results = [],
    events = [],
  }: { txs?: readonly Uint8Array[]; results?: readonly (readonly Event[])[]; events?: readonly Event[] },
): CommittedBlock {
  const none = { code: 0, data: null, log: '', info: '', gasWanted: 0n, gasUsed: 0n, codespace: '' };
  return committedBlock(height, time, txs, { txResults: results.map((each) => ({ ...none, events: each })), events });
}

/** Pins of the states of an application. `times` are those of its blocks so far, in nanoseconds; the last of them is the newest. */
export function appPins(app: Application, times: ReadonlyMap<bigint, bigint>): (height: bigint) => Pin {
  return statePins(
    ({ path, data, height }) => {
      const bytes = new Uint8Array(Buffer.from(data, 'hex'));
      const latestHeight = BigInt(times.size);
      const { code, codespace, log, value } = app.query({
        path,
        data: bytes,
        height,
        prove: false,
        latestHeight,
        earliestHeight: 1n,
      });
      return { code, codespace, log, value: value && Buffer.from(value).toString('base64') };
    },
    (height) => timeText(times.get(height)!),
  );
}
