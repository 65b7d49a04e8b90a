import { isChainError } from '../base/errors.ts';
import { pause } from '../base/waiting.ts';
import { hashTx } from '../blocks/committedBlock.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { handlesOf, type NodeHandle, type Transport } from '../transports/transport.ts';
import { decodeBlock } from '../wire/block.ts';
import { type JsonValue, malformed } from '../wire/json.ts';
import type { Sighting } from './watch.ts';

/** Counts the nodes whose blocks contain a transaction. */
export interface Confirmations {
  /**
   * How many nodes have a block at this height with the transaction, and how many have one without it. Each node is called
   * until it has responded or the signal is aborted. Nodes without the block yet are called again until more than half of all
   * nodes hold the transaction.
   */
  count(sighting: Sighting, signal: AbortSignal): Promise<{ readonly holders: number; readonly deniers: number }>;
}

/** First wait in ms for a node without the block yet, doubled each time. */
const firstWait = 25;

/** Memory of a transaction hash in a set. */
const hashBytes = 150;

function decodeHashes(json: JsonValue, height: bigint): ReadonlySet<string> {
  const { header, txs } = decodeBlock(json);
  if (header.height !== height) throw malformed(`block ${header.height} instead of ${height}`);
  return new Set(txs.map(hashTx));
}

/**
 * Makes the count. Hashes of a block are kept within the memory share for blocks, because many transactions of one block are
 * counted at once.
 */
export function createConfirmations(transport: Transport, memory: MemoryBudget): Confirmations {
  const held = memory.cache<ReadonlySet<string>>('blocks', 'txHashes', (hashes) => hashBytes * hashes.size);
  transport.onRewind?.(() => held.clear());

  /**
   * Whether a node's block contains the transaction; 'later' if the node does not have the block yet, undefined if it does not
   * respond.
   */
  async function holds(
    node: NodeHandle,
    { height, transaction: { hash } }: Sighting,
    signal: AbortSignal,
  ): Promise<boolean | 'later' | undefined> {
    const key = `${height} ${node.alias}`;
    const known = held.get(key);
    if (known !== undefined) return known.has(hash);
    try {
      const decode = (json: JsonValue): ReadonlySet<string> => decodeHashes(json, height);
      const hashes = await node.call('block', { height: height.toString() }, { height, signal, decode });
      held.set(key, hashes);
      return hashes.has(hash);
    } catch (error) {
      return isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE') ? 'later' : undefined;
    }
  }

  return {
    async count(sighting, signal) {
      const nodes = await handlesOf(transport);
      let [holders, deniers] = [0, 0];
      let remaining = nodes;
      for (let wait = firstWait; remaining.length > 0 && !signal.aborted; wait *= 2) {
        const answers = await Promise.all(remaining.map((node) => holds(node, sighting, signal)));
        holders += answers.filter((answer) => answer === true).length;
        deniers += answers.filter((answer) => answer === false).length;
        remaining = remaining.filter((_, index) => answers[index] === 'later');
        if (remaining.length === 0 || holders * 2 > nodes.length) break;
        await pause(wait, signal).catch(() => undefined);
      }
      return { holders, deniers };
    },
  };
}
