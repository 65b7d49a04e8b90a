import type { Fact, Place } from '../../../archive/facts.ts';
import type { BlockFacts } from './blockProposals.ts';

/** The facts of one block, and their places in the order in which they happen. */
export interface FactLog {
  /** Sets the transaction of the next places; null for what the block does by itself. */
  enter(hash: string | null): void;
  /** Whether the next places are outside the transactions. */
  isOutside(): boolean;
  nextPlace(): Place;
  /** Adds a fact at a place, which may be earlier than those of other facts. */
  add(at: Place, fact: Fact): void;
  /** All facts so far, in the order of their places. */
  inOrder(): readonly Fact[];
}

/** Makes the log of a block. */
export function createFactLog({ height, time }: Pick<BlockFacts, 'height' | 'time'>): FactLog {
  const facts: { readonly order: number; readonly fact: Fact }[] = [];
  let hash: string | null = null;
  let order = 0;

  function nextPlace(): Place {
    const place = { height, order, time, hash };
    order += 1;
    return place;
  }

  function add(at: Place, fact: Fact): void {
    facts.push({ order: at.order, fact });
  }

  return {
    enter(next) {
      hash = next;
    },
    isOutside: () => hash === null,
    nextPlace,
    add,
    inOrder: () => facts.toSorted((a, b) => a.order - b.order).map(({ fact }) => fact),
  };
}
