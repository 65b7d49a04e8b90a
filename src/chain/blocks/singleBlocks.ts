import { createInFlight } from '../memory/inFlight.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import type { Transport } from '../transports/transport.ts';
import { type Block, decodeBlock } from '../wire/block.ts';
import { type JsonValue, malformed } from '../wire/json.ts';
import { sizeOfBlock } from './blockLog.ts';
import type { Head } from './head.ts';

export type SingleBlocks = ReturnType<typeof createSingleBlocks>;

/** Creates the reader of blocks by height, without their results, with a cache of this name. */
export function createSingleBlocks(options: {
  readonly head: Pick<Head, 'generation'>;
  readonly transport: Pick<Transport, 'call'>;
  readonly memory: MemoryBudget;
  readonly name: string;
  readonly chainId: () => string;
}) {
  const { head, transport, memory, name, chainId } = options;
  const cache = memory.cache<Block>('blocks', name, sizeOfBlock);
  const inFlight = createInFlight<Block>();
  return {
    /** A block in memory; undefined if it must be read. */
    inMemory: (height: bigint): Block | undefined => cache.get(height.toString()),
    /** Reads a block from a node. Equal reads in progress are joined. */
    read(height: bigint, signal?: AbortSignal): Promise<Block> {
      const generation = head.generation();
      return inFlight.join(`${generation} ${height}`, signal, async (joinedSignal) => {
        const ownId = chainId();
        const decode = (result: JsonValue): Block => {
          const decoded = decodeBlock(result);
          if (decoded.header.height !== height) throw malformed(`block ${decoded.header.height} instead of ${height}`);
          if (decoded.header.chainId !== ownId) throw malformed('a block of another chain');
          return decoded;
        };
        const block = await transport.call('block', { height: height.toString() }, { height, signal: joinedSignal, decode });
        if (generation === head.generation()) cache.set(height.toString(), block);
        return block;
      });
    },
    clear: (): void => cache.clear(),
  };
}
