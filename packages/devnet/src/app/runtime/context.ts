import type { Any } from '@bufbuild/protobuf/wkt';
import type { AbciEvent } from '../../abci/abci.ts';
import type { Branch, StoreEntry, StoreView } from '../state/store.ts';
import { type GasMeter, gasPrice } from './gas.ts';

/** The block of an execution. `time` is in nanoseconds since 1970. */
export interface BlockFacts {
  readonly chainId: string;
  readonly height: bigint;
  readonly time: bigint;
  /** Address bytes of the proposer. */
  readonly proposer: Uint8Array;
  /** The index of the transaction in the block. undefined outside of transactions. */
  readonly txIndex?: bigint;
}

/**
 * Executes a nested message, such as that of a proposal, with the same handlers but without its `message` event. Returns its
 * response.
 */
export type RunMessage = (context: Context, message: Any) => Any;

/**
 * The context in which a message or a part of a block is executed: the state, and the events so far. Reads and writes of the state
 * consume gas. A fork has its own writes and events, which are discarded unless it is merged.
 */
export interface Context extends StoreView {
  readonly block: BlockFacts;
  readonly gas: GasMeter;
  /** Events of this context, including those of merged forks, in order. */
  readonly events: readonly AbciEvent[];
  /** Number of nested messages so far, including those in discarded forks. Each costs a fee (recorded as `additionalfee`). */
  readonly innerMessages: number;
  set(store: string, key: string, value: Uint8Array): void;
  delete(store: string, key: string): void;
  emit(event: AbciEvent): void;
  /** Executes a nested message. Throws its error. */
  run(message: Any): Any;
  /** Executes a nested message that the base fee of the transaction is charged for, so it does not count as an inner message. */
  runAuthorized(message: Any): Any;
  /** Creates a fork. `gas` replaces the meter of this context. */
  fork(gas?: GasMeter): Context;
  /** Merges the writes and the events of a fork. `change` changes the events first. */
  merge(fork: Context, change?: (events: readonly AbciEvent[]) => readonly AbciEvent[]): void;
}

/** Creates a context that writes to `branch`. */
export function createContext(block: BlockFacts, branch: Branch, gas: GasMeter, runMessage: RunMessage): Context {
  const branches = new WeakMap<Context, Branch>();
  const count = { inner: 0 };

  const contextOf = (ownBranch: Branch, meter: GasMeter): Context => {
    const events: AbciEvent[] = [];
    const context: Context = {
      block,
      gas: meter,
      events,
      get innerMessages() {
        return count.inner;
      },
      get(store, key) {
        meter.consume(gasPrice.readFlat, 'ReadFlat');
        const value = ownBranch.get(store, key);
        meter.consume(gasPrice.readPerByte * (key.length + (value?.length ?? 0)), 'ReadPerByte');
        return value;
      },
      *entries(store, prefix, from): Generator<StoreEntry> {
        for (const entry of ownBranch.entries(store, prefix, from)) {
          meter.consume(gasPrice.iterNextFlat + gasPrice.readPerByte * (entry.key.length + entry.value.length), 'IterNextFlat');
          yield entry;
        }
      },
      set(store, key, value) {
        meter.consume(gasPrice.writeFlat, 'WriteFlat');
        meter.consume(gasPrice.writePerByte * (key.length + value.length), 'WritePerByte');
        ownBranch.set(store, key, value);
      },
      delete(store, key) {
        meter.consume(gasPrice.delete, 'Delete');
        ownBranch.delete(store, key);
      },
      emit(event) {
        events.push(event);
      },
      run(message) {
        count.inner += 1;
        return runMessage(context, message);
      },
      runAuthorized: (message) => runMessage(context, message),
      fork: (gasOfFork = meter) => contextOf(ownBranch.fork(), gasOfFork),
      merge(fork, change = (emitted) => emitted) {
        const takenBranch = branches.get(fork);
        if (takenBranch === undefined) throw new Error('a context of another block cannot be merged');
        ownBranch.merge(takenBranch);
        events.push(...change(fork.events));
      },
    };
    branches.set(context, ownBranch);
    return context;
  };
  return contextOf(branch, gas);
}
