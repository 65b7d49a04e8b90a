import { isChainError } from '../base/errors.ts';
import type { Transport } from '../transports/transport.ts';
import { decodeNewBlock, decodeStatus, type HeadBlock, newBlockQuery } from '../wire/block.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';
import type { LightClient, LightNode } from './lightClient.ts';

/** The most events that wait while the block of an earlier one is verified. */
const maxWaiting = 256;

/** A transport to one node. */
type NodeTransport = Transport & { readonly alias?: string | undefined };

/**
 * Makes transports to the same nodes that let a newest block pass only once it is verified: that of `status`, and those of NewBlock events. A `status` with a
 * block that does not verify is an error of the node, and ends its subscription; so is every call to the node after that, until it reports a block that verifies.
 */
export function verifiedNodes(light: LightClient, transports: readonly NodeTransport[]): readonly NodeTransport[] {
  const nodes = transports.map(({ alias, call }, index): LightNode => ({ alias: alias ?? `node-${index + 1}`, call }));
  return transports.map((transport, index) => {
    const node = nodes[index];
    return node === undefined ? transport : verified(light, transport, node, nodes.toSpliced(index, 1));
  });
}

function verified(light: LightClient, transport: NodeTransport, node: LightNode, others: readonly LightNode[]): NodeTransport {
  /** Why the node is put aside. */
  let refusal: unknown;

  async function checkBlock(block: HeadBlock, first?: string): Promise<void> {
    try {
      await light.check(node, block, { others, first });
      light.checkContent(node, block);
      refusal = undefined;
    } catch (error) {
      // A node that did not respond has not lied.
      if (isChainError(error, 'NODE_INVALID_RESPONSE') || isChainError(error, 'NODE_INCONSISTENT')) refusal = error;
      throw error;
    }
  }

  return {
    ...transport,
    async call(method, params, options) {
      if (method !== 'status') {
        if (refusal !== undefined) throw refusal;
        if (method !== 'abci_query') return transport.call(method, params, options);
        return transport.call(method, params, {
          ...options,
          decode(result: JsonValue) {
            light.sent(node, result);
            return options.decode(result);
          },
        });
      }
      const result = await transport.call(method, params, { ...options, decode: (json: JsonValue) => json });
      const { newest, earliestHeight, earliestHash } = decodeStatus(result);
      if (newest.height > 0n) await checkBlock(newest, earliestHeight === 1n && earliestHash !== '' ? earliestHash : undefined);
      return options.decode(result);
    },
    subscribe(query, listener) {
      if (query !== newBlockQuery) return transport.subscribe(query, listener);
      const waiting: JsonObject[] = [];
      let isChecking = false;
      let isOver = false;

      function end(error: unknown): void {
        if (isOver) return;
        isOver = true;
        inner.close();
        listener.end(error instanceof Error ? error : undefined);
      }

      /** Delivers events in their order, each once its block is verified. */
      async function deliver(): Promise<void> {
        isChecking = true;
        for (let event = waiting.shift(); event !== undefined && !isOver; event = waiting.shift()) {
          let block: HeadBlock | undefined;
          try {
            block = decodeNewBlock(event);
            if (block !== undefined && block.height > 0n) await checkBlock(block);
          } catch (error) {
            end(error);
          }
          if (!isOver) pass(event, block);
        }
        isChecking = false;
      }

      /** Delivers an event. A fault of the listener ends the subscription, and is one of the process, as it is for events that are not verified. */
      function pass(event: JsonObject, block: HeadBlock | undefined): void {
        try {
          listener.event(event, block);
        } catch (error) {
          end(error);
          setImmediate(() => {
            throw error;
          });
        }
      }

      const inner = transport.subscribe(query, {
        ...(listener.open && { open: listener.open }),
        event(result) {
          if (waiting.push(result) > maxWaiting) return end(new Error('too many blocks wait for their verification'));
          if (!isChecking) void deliver();
        },
        end(error) {
          if (isOver) return;
          isOver = true;
          listener.end(error);
        },
      });
      return {
        close() {
          if (isOver) return;
          inner.close();
        },
      };
    },
  };
}
