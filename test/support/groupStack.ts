import { expect } from 'vitest';
import { commitKnown } from '../roots/knownRoots.ts';
import { startChain, type TestChain } from './chain.ts';
import { createGroup, type TestGroup } from './groups.ts';
import { type Stack, type StackOptions, startStack } from './stack.ts';

/** A chain with a group of its first two accounts, and the whole server over it. */
export interface GroupStack {
  readonly chain: TestChain;
  readonly stack: Stack;
  readonly group: TestGroup;
  /** Prepares the next test: heals the node, commits a block whose roots are known, and resets the counters of calls. */
  renew(): Promise<void>;
  /** Stops both. Fails if a failure was masked in a response. */
  close(): Promise<void>;
}

/** Starts the chain and the server, which has these options. */
export async function startGroupStack(options: StackOptions = {}): Promise<GroupStack> {
  const chain = await startChain();
  const [one, two] = chain.accounts;
  const group = await createGroup(chain, [
    [one!, '1'],
    [two!, '1'],
  ]);
  const stack = await startStack([chain.node.url], options);
  return {
    ...{ chain, stack, group },
    async renew() {
      chain.node.heal();
      await commitKnown(chain, stack);
      chain.node.counters.reset();
    },
    async close() {
      await stack.close();
      await chain.devnet.close();
      expect(stack.masked).toEqual([]);
    },
  };
}
