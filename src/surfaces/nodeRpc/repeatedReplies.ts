import type { IncomingMessage } from 'node:http';
import { heightHeader, minHeightHeader } from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import { bufferBytes, objectBytes, ownBytes } from '../../chain/memory/memoryBudget.ts';
import { isRpcMethod, type RpcMethodName } from '../../chain/rpc/methods.ts';
import type { Viewer } from '../../reads/viewer.ts';
import type { Dialect } from './dialect.ts';
import type { Reply, SentReply } from './httpReply.ts';
import { missingScope } from './prices.ts';

/** A reply to a single call whose result never changes. */
export interface RepeatedReply {
  readonly method: RpcMethodName;
  readonly reply: SentReply & { readonly body: Buffer };
  /** The generation of the chain in which the request was answered. */
  readonly generation: number;
}

/** The replies of a handler to requests that were sent again, by their bytes. */
export interface RepeatedReplies {
  /**
   * Finds the reply to a request. undefined if it is not known, the token lacks the scope of the call, or headers name a height. `body`
   * is undefined for a call by URI.
   */
  find(request: IncomingMessage, body: Buffer | undefined, viewer: Viewer): RepeatedReply | undefined;
  /**
   * Keeps a reply until the chain is rewound. `generation` is that of the chain before the call was executed. Replies to large
   * requests and to requests whose headers name a height are not kept.
   */
  note(
    request: IncomingMessage,
    body: Buffer | undefined,
    answered: { readonly method: string; readonly reply: Reply; readonly generation: number },
  ): void;
}

/** The largest request that is kept, in bytes. Calls that read a block are short. */
const largestRequest = 512;

const sizeOf = ({ reply: { body } }: RepeatedReply): number => 2 * objectBytes + bufferBytes + body.length;

/** Creates the replies of one dialect, within the memory for answers. */
export function createRepeatedReplies({ head, memory }: Pick<Client, 'head' | 'memory'>, dialect: Dialect): RepeatedReplies {
  const again = memory.cache('answers', `${dialect.surface}-requests`, sizeOf);
  head.onRewind(() => again.clear());

  /** The name of a request. undefined if its reply is not kept. */
  function nameOf({ method, url = '/', headers }: IncomingMessage, body: Buffer | undefined): string | undefined {
    if (dialect.namesHeight && (headers[heightHeader] !== undefined || headers[minHeightHeader] !== undefined))
      return undefined;
    if (body === undefined) return method === 'GET' && url.length <= largestRequest ? url : undefined;
    // Each byte is one character. No URL begins with a space.
    return body.length <= largestRequest ? ` ${body.toString('latin1')}` : undefined;
  }

  return {
    find(request, body, viewer) {
      const name = nameOf(request, body);
      const known = name === undefined ? undefined : again.get(name);
      if (known === undefined || known.generation !== head.generation()) return undefined;
      return missingScope(known.method, viewer) === undefined ? known : undefined;
    },
    note(request, body, { method, reply, generation }) {
      const name = nameOf(request, body);
      if (name === undefined || !isRpcMethod(method)) return;
      again.set(name, { method, reply: { ...reply, body: ownBytes(Buffer.from(reply.body)) }, generation });
    },
  };
}
