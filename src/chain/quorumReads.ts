import { type BlockLog, createBlockLog, sizeOf } from './blocks/blockLog.ts';
import { type BlockTimes, createBlockTimes } from './blocks/blockTimes.ts';
import type { Head } from './blocks/head.ts';
import { createSingleBlocks, type SingleBlocks } from './blocks/singleBlocks.ts';
import { createValidatorSets, type ValidatorSets } from './blocks/validatorSets.ts';
import type { MemoryBudget } from './memory/memoryBudget.ts';
import { type Transport, withCalls } from './transports/transport.ts';

/** What reads the chain with the agreement of so many nodes, beside the state. */
export interface QuorumReads {
  readonly transport: Transport;
  readonly blocks: BlockLog;
  readonly singleBlocks: SingleBlocks;
  readonly validators: ValidatorSets;
  readonly heightAt: BlockTimes['heightAt'];
}

/** Creates the reads that more nodes must agree on than by default. Those of one number are created when they are first needed, and have caches of their own. */
export function createQuorumReads(options: {
  readonly head: Head;
  readonly transport: Transport;
  readonly memory: MemoryBudget;
  readonly chainId: () => string;
}) {
  const { head, memory, chainId } = options;
  const byQuorum = new Map<number, QuorumReads>();

  function create(quorum: number): QuorumReads {
    const transport = withCalls(
      options.transport,
      (call, isOneNode) => (method, params, callOptions) =>
        call(method, params, isOneNode ? callOptions : { ...callOptions, quorum }),
    );
    const past = memory.cache('blocks', `agreedBy${quorum}`, sizeOf);
    const name = `agreedBy${quorum}WithoutResults`;
    return {
      transport,
      // Nearly all blocks are in the cache, whose memory is bounded.
      blocks: createBlockLog({ head, transport, newestBlocks: 1, past, keepsEvents: false }),
      singleBlocks: createSingleBlocks({ head, transport, memory, name, chainId }),
      validators: createValidatorSets({ head, transport, memory }),
      heightAt: createBlockTimes({ head, transport }).heightAt,
    };
  }

  return {
    of(quorum: number): QuorumReads {
      const reads = byQuorum.get(quorum) ?? create(quorum);
      byQuorum.set(quorum, reads);
      return reads;
    },
    clear(): void {
      for (const { validators, singleBlocks } of byQuorum.values()) {
        validators.clear();
        singleBlocks.clear();
      }
    },
    close(): void {
      for (const { blocks } of byQuorum.values()) blocks.close();
    },
  };
}
