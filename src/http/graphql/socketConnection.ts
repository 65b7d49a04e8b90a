import type { Duplex } from 'node:stream';
import type { GraphQLError } from 'graphql';
import type { Server as Protocol } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { checkJson, JsonBoundError, type JsonBounds } from '../../chain/wire/boundedJson.ts';
import { asObject } from '../../chain/wire/decode.ts';
import { quoteLongIntegers } from '../../chain/wire/parseJson.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { jsonBoundsOf, jsonExcess } from '../../graphql/limits/jsonBounds.ts';
import type { NamedHeights } from '../../graphql/operation/context.ts';
import type { BacklogPlace } from '../../graphql/request/caller.ts';
import type { RequestRecord } from '../../graphql/request/requestRecord.ts';
import type { Sink } from '../../graphql/subscriptions/subscriber.ts';
import type { RequestError } from '../../reads/errors.ts';
import type { Session } from '../../reads/viewer.ts';
import type { Lifetime } from '../handlers/lifetime.ts';
import { onceSent } from '../messages/onceSent.ts';
import { contain, type Faults } from '../observability/faults.ts';
import type { ClientLimits } from '../rateLimits/rates.ts';
import { createTokenBucket } from '../rateLimits/tokenBucket.ts';
import { createTurnQueue } from '../rateLimits/turnQueue.ts';
import type { Turns } from '../rateLimits/turns.ts';
import type { Entered } from '../sockets/socketAuth.ts';
import { closeWith, largestCopied, sendAround } from '../sockets/socketFrames.ts';
import { bytesOf } from '../sockets/socketMessage.ts';

/** An operation on a socket, until it is over. */
export interface RunningOperation {
  /** What its client calls it: the client may complete it, and call another one so, before it is over here. */
  readonly id: string;
  /** What is told of it. */
  readonly record: RequestRecord;
  /** Has it told of, when it is over. */
  readonly end: () => void;
  /** How long it is read for. */
  readonly reads: Lifetime;
  /** How long it waits for a block: until it is completed, or the socket is closed. */
  readonly waits: Lifetime;
  /** Gives its place among the requests of its caller back, which it may do several times; undefined as long as it has none. */
  leave: (() => void) | undefined;
}

/** One WebSocket of a client, as the operations on it see it. */
export interface SocketConnection {
  /** The heights that its upgrade named, for every operation on it. */
  readonly named: NamedHeights;
  /** The id of its upgrade, which those of its operations begin with. */
  readonly requestId: string;
  /** Operations begun on it so far. */
  begun: number;
  /** Its operations, by what the protocol read of the message that began each. */
  readonly operations: Map<object, RunningOperation>;
  /** Those that have neither given their answer nor begun to stream, by id. */
  readonly answering: Map<string, RunningOperation>;
  /** What its upgrade said of who it is. */
  readonly entered: Entered;
  /** Whose it is, once its first message was taken. */
  session: Session | undefined;
  /** Whose limits it counts towards, once its first message was taken. */
  caller: ClientLimits | undefined;
  /** Where it came from. */
  readonly address: string;
  /** What a viewer is called there. */
  readonly callerName: (session: Session) => string;
  /** Ids of its subscriptions, of which some may be over. */
  readonly streams: Set<string>;
  /** Gives its place among the caller's connections back. */
  leave: (() => void) | undefined;
  /** Whether an operation runs on it. */
  active: () => boolean;
  /** Whether the operation with this id runs on it and was not completed by its client. */
  isOpen: (id: string) => boolean;
  /** Stops waiting for the end of the session. */
  stopWaiting: (() => void) | undefined;
  /** When the message that the protocol is being told of came, by the clock of `performance`, and its length. */
  received: number;
  receivedBytes: number;
  /** The operation has given its answer, or begun to stream. */
  answered(operation: RunningOperation): void;
  /** Where the payloads of the subscription `id` go; `onEnd` is told when it is over, behind the error message if there is one. */
  outlet(id: string, onEnd: (errors: readonly GraphQLError[] | undefined) => void): Sink;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  /** Closes it, and says first where its interrupted subscriptions resume. */
  close(code: number, reason: string): void;
}

/** The text of a message, with its long integers as strings; what refuses it if its JSON is beyond a bound. */
function textOf(bytes: Buffer, bounds: JsonBounds): string | RequestError {
  try {
    checkJson(bytes, bounds);
  } catch (error) {
    if (error instanceof JsonBoundError) return jsonExcess(error);
    throw error;
  }
  return quoteLongIntegers(bytes.toString());
}

/** How long a socket may take to read what it was sent and to answer that it is closed, ms. */
const closing = 5_000;

/**
 * Speaks the protocol on a socket: hands it each message, pings it, and terminates a socket that has not answered by the next time. `duplex` is what lies under the socket. `retire` closes it with 1012, the service restarts, as soon as
 * every operation that was begun has its answer.
 */
export function connect(options: {
  readonly protocol: Protocol<SocketConnection>;
  readonly socket: WebSocket;
  readonly duplex: Duplex;
  readonly named: NamedHeights;
  readonly requestId: string;
  readonly entered: Entered;
  readonly address: string;
  readonly callerName: (session: Session) => string;
  readonly turns: Turns;
  readonly limits: Limits;
  /** Notes what is wrong in this server, never what a client did. */
  readonly faults: Faults;
}): { retire(): void } {
  const { protocol, socket, duplex, named, requestId, entered, address, callerName, turns, limits, faults } = options;
  const owner = { faults, requestId: () => requestId, abandon: () => socket.terminate() };
  const now = (): number => performance.now();
  const messages = createTokenBucket(limits['socket.burst'], limits['socket.messages'], now);
  const jsonBounds = jsonBoundsOf(limits);
  let lastActive = now();
  let retired = false;
  /** Where each subscription that the server has interrupted resumes, by id, until the client is told. */
  const resume = new Map<string, Record<string, unknown>>();
  // Each subscription of a full socket waits for it.
  duplex.setMaxListeners(0);

  const connection: SocketConnection = {
    named,
    requestId,
    begun: 0,
    operations: new Map(),
    answering: new Map(),
    entered,
    session: undefined,
    caller: undefined,
    address,
    callerName,
    streams: new Set(),
    leave: undefined,
    active: () => false,
    isOpen: () => true,
    stopWaiting: undefined,
    received: 0,
    receivedBytes: 0,
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
    close(code, reason) {
      sendResume();
      closeWith(socket, code, reason);
    },
    answered(operation) {
      if (connection.answering.get(operation.id) === operation) connection.answering.delete(operation.id);
      operation.reads.end();
      operation.leave?.();
      closeIfDone();
    },
    outlet(id, onEnd) {
      const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
      return {
        send({ json }) {
          // The same payload goes to others, who must get it whatever is wrong here.
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
   * Sends where the interrupted subscriptions resume, as the payload of a `ping`. An `error` message would be final for clients, which
   * subscribe again by themselves when the socket is closed.
   */
  function sendResume(): void {
    if (resume.size > 0 && socket.readyState === socket.OPEN)
      socket.send(JSON.stringify({ type: 'ping', payload: { resume: Object.fromEntries(resume) } }));
    resume.clear();
  }

  function closeIfDone(): void {
    if (!retired || connection.answering.size > 0) return;
    // The protocol sends what it tells of only behind telling of it.
    setImmediate(() => {
      if (connection.answering.size > 0) return;
      connection.close(1012, 'Service restart');
      setTimeout(() => socket.terminate(), closing).unref();
    });
  }

  let answersPlace: BacklogPlace | undefined;
  /** Where the answers are counted that the client does not read. */
  function answers(): BacklogPlace | undefined {
    answersPlace ??= connection.caller?.backlog.open({ shed: () => undefined, destroy: () => socket.terminate() });
    return answersPlace;
  }

  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) =>
        new Promise((resolve) => {
          // A message that cannot be sent is for nobody: the socket is closed.
          if (socket.readyState !== socket.OPEN) return resolve();
          let release: (() => void) | undefined;
          socket.send(text, () => {
            release?.();
            resolve();
          });
          if (duplex.writableNeedDrain) release = answers()?.send({}, text.length);
        }),
      close: (code, reason) => closeWith(socket, code, reason),
      onMessage(tell) {
        const take = (bytes: Buffer, received: number): void => {
          if (socket.readyState !== socket.OPEN) return;
          const message = textOf(bytes, jsonBounds);
          if (typeof message !== 'string') {
            socket.close(4400, message.message);
            return;
          }
          Object.assign(connection, { received, receivedBytes: bytes.length });
          tell(message).catch((error: unknown) => {
            // The protocol throws for these types, and only for these, before it does anything.
            if (isServerMessage(message)) return socket.close(4400, 'Invalid message received');
            faults.note('socket', error, requestId);
            socket.close(4500, 'Internal server error');
          });
          // The protocol does not tell of operations that are completed before they have an answer.
          for (const [id, { waits }] of connection.answering) if (!connection.isOpen(id)) waits.leave();
        };
        const inTurn = createTurnQueue({
          ...{ socket, turns, caller: () => connection.caller?.name },
          handle: (bytes, received) => contain(owner, () => take(bytes, received)),
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
    if (connection.active()) lastActive = now();
    else if (now() - lastActive >= limits['socket.idle']) return socket.close(1000, 'Idle');
    if (socket.readyState === socket.OPEN) socket.ping();
  };
  const pings = setInterval(() => contain(owner, ping), limits['socket.ping']);
  socket.on('pong', () => {
    isAlive = true;
  });
  // What is wrong with its frames: the socket closes itself with the code for it.
  socket.on('error', () => undefined);
  socket.once('close', (code, reason) => {
    clearInterval(pings);
    closed(code, String(reason)).catch((error: unknown) => faults.note('socket', error, requestId));
  });

  return {
    retire() {
      retired = true;
      sendResume();
      closeIfDone();
    },
  };
}

/** Types of messages that only a server sends. */
const serverTypes: readonly unknown[] = ['connection_ack', 'next', 'error'];

/** Whether a message is of a type that only a server sends. */
function isServerMessage(text: string): boolean {
  try {
    return serverTypes.includes(asObject(JSON.parse(text), 'message').type);
  } catch {
    return false;
  }
}
