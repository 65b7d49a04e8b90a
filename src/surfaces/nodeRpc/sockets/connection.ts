import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { onceSent } from '../../../server/messages/sendAnswer.ts';
import { contain, type Faults } from '../../../server/observability/faults.ts';
import { createTokenBucket } from '../../../server/rateLimits/tokenBucket.ts';
import type { Turns } from '../../../server/rateLimits/turns.ts';
import { bytesOf } from '../../../server/sockets/socketMessage.ts';
import type { NodeEvents } from '../nodeEvents.ts';
import { createSocketCalls, type SocketCallsOptions } from './calls.ts';
import { createSocketQueue } from './eventQueue.ts';
import { createSocketSubscriptions } from './subscriptions.ts';

/** How long a client may take to read the remaining data and to respond to the close frame, in ms. */
const closing = 5_000;

/** A WebSocket connection of the node RPC. */
export interface RpcConnection {
  /** Cancels its subscriptions as a stopping node does, and closes it with 1012 once the running call has its response. */
  retire(): void;
}

/** Options of {@link connectRpc}. */
export interface RpcConnectionOptions extends Omit<SocketCallsOptions, 'subscriptions'> {
  readonly socket: WebSocket;
  /** The connection under the socket. */
  readonly duplex: Duplex;
  readonly events: NodeEvents;
  readonly turns: Turns;
  /** Records errors of this server, never those of a client. */
  readonly faults: Faults;
  /** Request id of the upgrade. */
  readonly requestId: string;
}

/**
 * Serves JSON-RPC on a socket as a node does (docs/chain.md, "WebSocket of a node"). Calls are executed sequentially, and
 * events arrive between their responses. Closes the socket with 1008 if the token expires, or if the client sends too many
 * messages or reads its events too slowly.
 */
export function connectRpc(options: RpcConnectionOptions): RpcConnection {
  const { socket, duplex, dialect, events, session, caller, turns, limits, faults, requestId } = options;
  const owner = { faults, requestId: () => requestId, abandon: () => socket.terminate() };
  const now = (): number => performance.now();
  const messages = createTokenBucket(limits['rpc.burst'], limits['rpc.messages'], now);
  const waiting: Buffer[] = [];
  /** Bytes of the waiting frames. If they exceed the largest frame, the socket stops reading. */
  let waitingSize = 0;
  let isWorking = false;
  /** Whether responses wait for the client to read them. */
  let isUnread = false;
  /** Whether the client has sent anything since the last ping. */
  let isAlive = true;
  let retired = false;
  let lastActive = now();

  const place = caller.backlog.open({ shed: () => subscriptions.shed(), destroy: () => socket.terminate() });
  const queue = createSocketQueue(socket, duplex, place, {
    maxEvents: limits['subscription.events'],
    maxBytes: limits['subscription.bytes'],
  });
  const send = (text: string): void => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(text);
    if (duplex.writableNeedDrain) onceSent(duplex, place.send({}, text.length));
  };
  const subscriptions = createSocketSubscriptions({
    ...{ dialect, events, caller, limits, queue, send, owner },
    onSlow: () => close(1008, 'slow client'),
  });
  const calls = createSocketCalls({ ...options, subscriptions });

  function close(code: number, reason: string): void {
    subscriptions.drop();
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), closing).unref();
  }

  async function work(): Promise<void> {
    isWorking = true;
    for (let frame = waiting.shift(); frame !== undefined; frame = waiting.shift()) {
      waitingSize -= frame.length;
      const turn = turns.take(caller.name);
      if (turn !== undefined) {
        socket.once('close', turn.cancel);
        await turn.begun;
        socket.off('close', turn.cancel);
      }
      const answer = await calls.answer(frame);
      if (answer !== undefined) send(answer);
      // Execute the next call only when the client has read the responses.
      isUnread = true;
      await queue.ready();
      isUnread = false;
      if (socket.isPaused && waitingSize <= limits['rpc.message']) {
        isAlive = true;
        socket.resume();
      }
      lastActive = now();
    }
    isWorking = false;
    closeIfDone();
  }

  function closeIfDone(): void {
    if (retired && !isWorking) close(1012, 'Service restart');
  }

  const take = (frame: Buffer) => {
    // Messages that arrive after the close are ignored.
    if (socket.readyState !== socket.OPEN) return;
    if (messages.take(1) > 0) return close(1008, `Too many messages: at most ${limits['rpc.messages']} a minute`);
    waiting.push(frame);
    waitingSize += frame.length;
    if (waitingSize > limits['rpc.message']) socket.pause();
    if (isWorking) return;
    work().catch((error: unknown) => {
      faults.note('socket', error, requestId);
      close(1011, 'Internal error');
    });
  };
  socket.on('message', (data) => contain(owner, () => take(bytesOf(data))));

  let bytesRead = 0;
  const ping = () => {
    // A pong queues behind other data of the client, so any data counts as a sign of life, as on a node.
    if (duplex instanceof Socket && duplex.bytesRead > bytesRead) {
      bytesRead = duplex.bytesRead;
      isAlive = true;
    }
    // While reading is paused because earlier frames wait, a client cannot be heard.
    if (!isAlive && !(socket.isPaused && !isUnread)) return socket.terminate();
    isAlive = false;
    if (isWorking || subscriptions.count() > 0) lastActive = now();
    else if (now() - lastActive >= limits['rpc.idle']) return close(1000, 'Idle');
    if (socket.readyState === socket.OPEN) socket.ping();
  };
  const pings = setInterval(() => contain(owner, ping), limits['socket.ping']);
  socket.on('pong', () => {
    isAlive = true;
  });
  // On an invalid frame, the socket closes itself with the matching code.
  socket.on('error', () => undefined);
  const stopWaiting = session.onEnd(() => close(1008, 'The token has expired'));
  socket.once('close', () => {
    clearInterval(pings);
    stopWaiting();
    subscriptions.drop();
    waiting.length = 0;
    calls.leave();
  });

  return {
    retire() {
      if (retired) return;
      retired = true;
      calls.refuse();
      subscriptions.cancel('CometBFT exited');
      closeIfDone();
    },
  };
}
