import type { Arguments } from '../../../../src/chain/rpc/methods.ts';

/**
 * The one lock of a node's application. CometBFT holds it for each call to the application, and the RPC for each `abci_query`
 * (`proxy.NewLocalClientCreator`; recorded: A31 of the facts about simulations).
 */
export interface AppLock {
  /** Resolves when a call may run; never while a simulation that does not end holds the lock. */
  pass(method: string, args: Arguments): Promise<void>;
  /** Whether such a simulation holds the lock. */
  readonly isHeld: boolean;
  /** Ends the simulation, as a restart of the process does. */
  release(): void;
}

/** The methods that call the application. The others read what the node has stored. */
const calls: readonly string[] = ['abci_query', 'abci_info', 'check_tx'];

const simulates = /simulat|calculatetxfees/i;

/** Whether a query simulates the message `cpu_loop` of the recorded contract, which loops for ever. */
export function isEndless(path: string, data: Uint8Array): boolean {
  const bytes = Buffer.from(data);
  return simulates.test(path) && bytes.includes('cosmwasm.wasm.v1.MsgExecuteContract') && bytes.includes('{"cpu_loop":{}}');
}

/**
 * Creates the lock. A simulation of a contract that loops takes it for ever; with `everySimulation`, any simulation does. `onHold`
 * is called when that happens: the node then makes no more blocks.
 */
export function createAppLock(options: { readonly everySimulation: () => boolean; readonly onHold: () => void }): AppLock {
  let heldLock: { readonly over: Promise<void>; release(): void } | undefined;

  return {
    get isHeld() {
      return heldLock !== undefined;
    },
    async pass(method, args) {
      if (!calls.includes(method) && !method.startsWith('broadcast_tx_')) return;
      if (heldLock === undefined && method === 'abci_query') {
        const path = args.text('path');
        if (isEndless(path, args.bytes('data')) || (options.everySimulation() && simulates.test(path))) {
          let release = (): void => undefined;
          const over = new Promise<void>((resolve) => {
            release = resolve;
          });
          heldLock = { over, release };
          options.onHold();
        }
      }
      await heldLock?.over;
    },
    release() {
      heldLock?.release();
      heldLock = undefined;
    },
  };
}
