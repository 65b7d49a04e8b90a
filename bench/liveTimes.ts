import { WebSocket } from 'ws';
import type { Client } from '../src/chain/client.ts';
import { type Command, now } from './child.ts';

/** CPU time of this process so far, in microseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * The commands that return when a server got its newest block, when it had the roots of its stores, and when it then sent its
 * first message over a WebSocket. `watchSend` is called before the block. It changes the first call of `send` alone, so that it costs the others nothing.
 */
export function createLiveTimes({ head, roots }: Pick<Client, 'head' | 'roots'>): Readonly<Record<string, Command>> {
  const { send } = WebSocket.prototype;
  let blockAt = 0;
  let sentAt = 0;
  let sentCpu = 0;
  let rootsAt = 0;
  head.onBlock(async ({ height }) => {
    blockAt = now();
    await roots.settled(height);
    rootsAt = now();
  });
  return {
    watchSend() {
      Object.assign(WebSocket.prototype, {
        send(this: WebSocket, ...args: unknown[]) {
          [sentAt, sentCpu] = [now(), cpu()];
          WebSocket.prototype.send = send;
          Reflect.apply(send, this, args);
        },
      });
      return now();
    },
    blockAt: () => blockAt,
    rootsAt: () => rootsAt,
    sentAt: () => sentAt,
    /** The CPU time of the process until that message. */
    sentCpu: () => sentCpu,
  };
}
