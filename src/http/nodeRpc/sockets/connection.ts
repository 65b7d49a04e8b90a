import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { onceSent } from '../../messages/onceSent.ts';
import { contain, type Faults } from '../../observability/faults.ts';
import { createTokenBucket } from '../../rateLimits/tokenBucket.ts';
import type { Turns } from '../../rateLimits/turns.ts';
import { bytesOf } from '../../sockets/socketMessage.ts';
import type { NodeEvents } from '../nodeEvents.ts';
import { createSocketCalls, type SocketCallsOptions } from './calls.ts';
import { createSocketQueue } from './eventQueue.ts';
import { createSocketSubscriptions } from './subscriptions.ts';

/** How long a socket may take to read what it was sent and to answer that it is closed, ms. */
const closing = 5_000;

/** A socket of the node RPC. */
export interface RpcConnection {
  /** Ends its subscriptions as a node does that stops, and closes it, 1012, when the call under way has its answer. */
  retire(): void;
}

/** What a connection is made of. */
export interface RpcConnectionOptions extends Omit<SocketCallsOptions, 'subscriptions'> {
  readonly socket: WebSocket;
  /** What lies under it. */
  readonly duplex: Duplex;
  readonly events: NodeEvents;
  readonly turns: Turns;
  /** Notes what is wrong in this server, never what a client did. */
  readonly faults: Faults;
  /** The id of its upgrade. */
  readonly requestId: string;
}

/**
 * Speaks JSON-RPC on a socket, as the node does (chain.md 1.7): its calls are answered one after another, and events come in between. It is
 * closed with 1008 when its token ends, when it sends too much, and when it reads too slowly what it has subscribed to.
 */
export function connectRpc(options: RpcConnectionOptions): RpcConnection {
  const { socket, duplex, dialect, events, session, caller, turns, limits, faults, requestId } = options;
  const owner = { faults, requestId: () => requestId, abandon: () => socket.terminate() };
  const now = (): number => performance.now();
  const messages = createTokenBucket(limits['rpc.burst'], limits['rpc.messages'], now);
  const waiting: Buffer[] = [];
  /** Bytes of the frames that wait; when they are more than one frame may have, further ones are left at the sender. */
  let waitingSize = 0;
  let isWorking = false;
  /** Whether it waits for the client to read its answers. */
  let isUnread = false;
  /** Whether something was heard of the client since the last ping. */
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
      // Whoever does not read its answers is given no more of them.
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
    // A pong waits behind what the client is sending: whatever comes of it shows that it is there, as on the node.
    if (duplex instanceof Socket && duplex.bytesRead > bytesRead) {
      bytesRead = duplex.bytesRead;
      isAlive = true;
    }
    // Nothing is heard of a client whose next frames are left waiting for the sake of those before.
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
  // What is wrong with its frames: the socket closes itself with the code for it.
  socket.on('error', () => undefined);
  const stopWaiting = session.onEnd(() => close(1008, 'The token has ended'));
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
