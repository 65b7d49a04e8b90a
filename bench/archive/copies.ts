import type { AbciEvent, Application, TxResult } from '../../packages/devnet/src/abci/abci.ts';

/** A transaction that was executed, to copy. */
interface Sample {
  readonly tx: Uint8Array;
  readonly result: TxResult;
}

/** An application whose blocks may also contain copies of transactions, which are not executed. */
export interface Copies {
  readonly application: Application;
  /** Number of different transactions to copy. */
  samples(): number;
  /** The mean number of events of a copy. */
  events(): number;
  /** Copies, each with another hash and other addresses. */
  next(count: number): readonly Uint8Array[];
}

const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Replaces the end of the addresses in events, so that each copy has its own accounts. */
function withAddresses(events: readonly AbciEvent[], seed: number): readonly AbciEvent[] {
  const ending = [...String(seed).padStart(10, '0')].map((digit) => letters[Number(digit)]).join('');
  return events.map((event) => ({
    ...event,
    attributes: event.attributes.map((attribute) => ({
      ...attribute,
      value: attribute.value.replace(/\b(tp1[02-9ac-hj-np-z]{28})[02-9ac-hj-np-z]{10}\b/g, `$1${ending}`),
    })),
  }));
}

const keyOf = (tx: Uint8Array): string => Buffer.from(tx).toString('base64');

/**
 * Wraps an application. The results of copies are those of the sample with other addresses. Transactions of the group module are not copied, because
 * their proposals and votes would not be in the state.
 */
export function createCopies(application: Application): Copies {
  const samples: Sample[] = [];
  const waiting = new Map<string, TxResult>();
  let made = 0;

  function keep(tx: Uint8Array, result: TxResult): void {
    const isOfGroups = result.events.some(({ type }) => type.startsWith('cosmos.group.'));
    if (result.code === 0 && !isOfGroups && samples.length < 20) samples.push({ tx, result });
  }

  return {
    application: {
      ...application,
      finalizeBlock(block) {
        const own = block.txs.filter((tx) => !waiting.has(keyOf(tx)));
        const outcome = application.finalizeBlock({ ...block, txs: own });
        own.forEach((tx, index) => {
          const result = outcome.txResults[index];
          if (result !== undefined) keep(tx, result);
        });
        let index = 0;
        const txResults = block.txs.flatMap((tx) => {
          const key = keyOf(tx);
          const copy = waiting.get(key);
          waiting.delete(key);
          return copy ?? outcome.txResults[index++] ?? [];
        });
        return { ...outcome, txResults };
      },
      createCheckState() {
        const state = application.createCheckState();
        return {
          ...state,
          checkTx(tx) {
            const copy = waiting.get(keyOf(tx));
            // Without gas, a block has place for any number of copies.
            return copy === undefined ? state.checkTx(tx) : { ...copy, gasWanted: 0n };
          },
        };
      },
    },
    samples: () => samples.length,
    events: () => samples.reduce((sum, { result }) => sum + result.events.length, 0) / samples.length,
    next: (count) =>
      Array.from({ length: count }, () => {
        const number = made++;
        const sample = samples[number % samples.length];
        if (sample === undefined) throw new Error('nothing to copy');
        const tx = Buffer.concat([sample.tx.subarray(0, -4), Buffer.from(number.toString(16).padStart(8, '0'), 'hex')]);
        waiting.set(keyOf(tx), { ...sample.result, events: withAddresses(sample.result.events, number) });
        return tx;
      }),
  };
}
