import type { Duplex } from 'node:stream';
import type { Server as Protocol } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { checkJson, JsonBoundError, type JsonBounds } from '../../chain/wire/boundedJson.ts';
import { asObject } from '../../chain/wire/decode.ts';
import { quoteLongIntegers } from '../../chain/wire/parseJson.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { jsonBoundsOf, jsonExcess } from '../../graphql/limits/jsonBounds.ts';
import type { NamedHeights } from '../../graphql/operation/pickHeight.ts';
import { joinSmall } from '../../graphql/request/answer.ts';
import type { BacklogPlace } from '../../graphql/request/caller.ts';
import type { RequestError } from '../../reads/errors.ts';
import type { Session } from '../../reads/viewer.ts';
import { onceSent } from '../messages/onceSent.ts';
import { contain, type Faults } from '../observability/faults.ts';
import { createTokenBucket } from '../rateLimits/tokenBucket.ts';
import { createTurnQueue } from '../rateLimits/turnQueue.ts';
import type { Turns } from '../rateLimits/turns.ts';
import type { UpgradeSession } from '../sockets/socketAuth.ts';
import { closeWith, largestCopied, sendAround, sendFrames } from '../sockets/socketFrames.ts';
import { bytesOf } from '../sockets/socketMessage.ts';
import type { SocketConnection } from './socketConnection.ts';

/** Returns the text of a message with long integers as strings, or the error if its JSON exceeds a bound. */
function textOf(bytes: Buffer, bounds: JsonBounds): string | RequestError {
  try {
    checkJson(bytes, bounds);
  } catch (error) {
    if (error instanceof JsonBoundError) return jsonExcess(error);
    throw error;
  }
  return quoteLongIntegers(bytes.toString());
}

/** The start of a message with a result. */
function headOf(id: string): string {
  return `{"id":${JSON.stringify(id)},"type":"next","payload":`;
}

/** How long a client may take to read the last messages and to confirm the close of a socket, in ms. */
const closeTimeout = 5_000;

/**
 * Runs the protocol on a socket: passes it each message, pings the client, and terminates a socket that has not responded by
 * the next ping. `duplex` is the connection of the socket. `retire` closes the socket with 1012 (service restart) once every
 * query and mutation on it has its result.
 */
export function connectSocket(options: {
  readonly protocol: Protocol<SocketConnection>;
  readonly socket: WebSocket;
  readonly duplex: Duplex;
  readonly named: NamedHeights;
  readonly requestId: string;
  readonly upgrade: UpgradeSession;
  readonly address: string;
  readonly callerName: (session: Session) => string;
  readonly turns: Turns;
  readonly limits: Limits;
  /** Notes faults of this server, never errors of a client. */
  readonly faults: Faults;
}): { retire(): void } {
  const { protocol, socket, duplex, named, requestId, upgrade, address, callerName, turns, limits, faults } = options;
  const owner = { faults, requestId: () => requestId, abandon: () => socket.terminate() };
  const now = (): number => performance.now();
  const messages = createTokenBucket(limits['socket.burst'], limits['socket.messages'], now);
  const jsonBounds = jsonBoundsOf(limits);
  let lastActive = now();
  let isRetired = false;
  /** The resume position of each subscription that the server has interrupted, by id, until it is sent to the client. */
  const resume = new Map<string, Record<string, unknown>>();
  // Each subscription waits for a full socket to drain.
  duplex.setMaxListeners(0);

  const connection: SocketConnection = {
    named,
    requestId,
    begun: 0,
    operations: new Map(),
    answering: new Map(),
    upgrade,
    session: undefined,
    caller: undefined,
    address,
    callerName,
    streams: new Set(),
    releaseSlot: undefined,
    isActive: () => false,
    isOpen: () => true,
    stopWaiting: undefined,
    received: 0,
    receivedBytes: 0,
    receivedText: '',
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
    close(code, reason) {
      sendResume();
      closeWith(socket, code, reason);
    },
    answered(operation) {
      if (connection.answering.get(operation.id) === operation) connection.answering.delete(operation.id);
      operation.presence.end();
      operation.releaseSlot?.();
      closeIfDone();
    },
    sendResult: (id, json) =>
      sending((sent) => {
        const pieces = joinSmall([Buffer.from(headOf(id)), ...json, Buffer.from('}')]);
        sendFrames(socket, pieces, sent);
        return pieces.reduce((sum, { length }) => sum + length, 0);
      }),
    sink(id, onEnd) {
      const head = headOf(id);
      return {
        send({ json }) {
          // The same payload is sent to other sockets, so a fault here must not affect them.
          if (socket.readyState === socket.OPEN) contain(owner, () => sendAround(socket, head, json, '}'));
        },
        isFull: () => duplex.writableNeedDrain,
        onceDrained(wake) {
          duplex.once('drain', wake);
          return () => duplex.off('drain', wake);
        },
        copies: ({ json }) => json.length <= largestCopied,
        unsent: () => duplex.writableLength,
        onceSent: (sent) => onceSent(duplex, sent),
        destroy: () => socket.terminate(),
        end(errors) {
          if (errors !== undefined && socket.readyState === socket.OPEN)
            socket.send(JSON.stringify({ id, type: 'error', payload: errors }));
          onEnd(errors);
        },
        interrupt(error) {
          resume.set(id, error.extensions);
          onEnd([error]);
        },
      };
    },
  };

  /**
   * Sends where the interrupted subscriptions resume, as the payload of a `ping`. Clients treat an `error` message as final,
   * but subscribe again when the socket closes.
   */
  function sendResume(): void {
    if (resume.size > 0 && socket.readyState === socket.OPEN)
      socket.send(JSON.stringify({ type: 'ping', payload: { resume: Object.fromEntries(resume) } }));
    resume.clear();
  }

  function closeIfDone(): void {
    if (!isRetired || connection.answering.size > 0) return;
    // The protocol library sends a result after the callback for it.
    setImmediate(() => {
      if (connection.answering.size > 0) return;
      connection.close(1012, 'Service restart');
      setTimeout(() => socket.terminate(), closeTimeout).unref();
    });
  }

  let backlogPlace: BacklogPlace | undefined;
  /** The place in the caller's backlog that counts unread results. */
  function backlog(): BacklogPlace | undefined {
    backlogPlace ??= connection.caller?.backlog.open({ shed: () => undefined, destroy: () => socket.terminate() });
    return backlogPlace;
  }

  /** Resolves when a message was written to the network. Counts it as unread if the socket is full. `write` returns its length. */
  function sending(write: (sent: () => void) => number): Promise<void> {
    return new Promise((resolve) => {
      // The socket is closed: the message is dropped.
      if (socket.readyState !== socket.OPEN) return resolve();
      let release: (() => void) | undefined;
      const length = write(() => {
        release?.();
        resolve();
      });
      if (duplex.writableNeedDrain) release = backlog()?.send({}, length);
    });
  }

  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) =>
        sending((sent) => {
          socket.send(text, sent);
          return text.length;
        }),
      close: (code, reason) => closeWith(socket, code, reason),
      onMessage(deliver) {
        const handle = (bytes: Buffer, received: number): void => {
          if (socket.readyState !== socket.OPEN) return;
          const message = textOf(bytes, jsonBounds);
          if (typeof message !== 'string') {
            socket.close(4400, message.message);
            return;
          }
          Object.assign(connection, { received, receivedBytes: bytes.length, receivedText: message });
          deliver(message).catch((error: unknown) => {
            // The protocol library throws for these types only, and before it does anything.
            if (isServerMessage(message)) return socket.close(4400, 'Invalid message received');
            faults.note('socket', error, requestId);
            socket.close(4500, 'Internal server error');
          });
          // An operation has read it.
          connection.receivedText = '';
          // The protocol library has no callback for operations that are completed before they have a result.
          for (const [id, { waits }] of connection.answering) if (!connection.isOpen(id)) waits.cancel();
        };
        const inTurn = createTurnQueue({
          ...{ socket, turns, caller: () => connection.caller?.name },
          handle: (bytes, received) => contain(owner, () => handle(bytes, received)),
        });
        socket.on('message', (data) =>
          contain(owner, () => {
            // Messages that arrive after the close are ignored.
            if (socket.readyState !== socket.OPEN) return;
            if (messages.take(1) > 0)
              return socket.close(4429, `Too many messages: at most ${limits['socket.messages']} a minute`);
            inTurn(bytesOf(data), now());
          }),
        );
      },
    },
    connection,
  );

  let isAlive = true;
  const ping = () => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    if (connection.isActive()) lastActive = now();
    else if (now() - lastActive >= limits['socket.idle']) return socket.close(1000, 'Idle');
    if (socket.readyState === socket.OPEN) socket.ping();
  };
  const pings = setInterval(() => contain(owner, ping), limits['socket.ping']);
  socket.on('pong', () => {
    isAlive = true;
  });
  // Invalid frames: the socket closes itself with the code for the error.
  socket.on('error', () => undefined);
  socket.once('close', (code, reason) => {
    clearInterval(pings);
    closed(code, String(reason)).catch((error: unknown) => faults.note('socket', error, requestId));
  });

  return {
    retire() {
      isRetired = true;
      sendResume();
      closeIfDone();
    },
  };
}

/** The types of messages that only servers send. */
const serverTypes: readonly unknown[] = ['connection_ack', 'next', 'error'];

/** Whether a message has a type that only servers send. */
function isServerMessage(text: string): boolean {
  try {
    return serverTypes.includes(asObject(JSON.parse(text), 'message').type);
  } catch {
    return false;
  }
}
