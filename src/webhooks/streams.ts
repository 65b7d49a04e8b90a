import type { GraphQLError } from 'graphql';
import { createRequestRecord } from '../answers/caller.ts';
import { answerChain } from '../answers/pickHeight.ts';
import type { StoredWebhook, WebhookPlace } from '../archive/store/webhooks.ts';
import type { Client } from '../chain/client.ts';
import type { Limits } from '../config/limits/limits.ts';
import { createOperationContext } from '../graphql/engine/context.ts';
import type { Engine } from '../graphql/engine/engine.ts';
import type { Payload } from '../graphql/subscriptions/payload.ts';
import type { Leavable, OpenSubscription, Sink } from '../graphql/subscriptions/subscriber.ts';
import { type Session, scopesAmong, type Viewer } from '../reads/viewer.ts';
import { createRequestId } from '../server/observability/requestLog.ts';
import { callerOf, type Rates } from '../server/rateLimits/rates.ts';
import { afterVariable, resumableDocument } from './document.ts';

/** An event of the stream of a webhook. */
export interface WebhookEvent {
  readonly height: bigint;
  /** Its index among the events at this height. */
  readonly position: number;
  /** The members `data`, `errors` and `extensions` of its result, as JSON without braces. */
  readonly members: string;
  /** What it takes in memory, in bytes. */
  readonly bytes: number;
}

/** What a webhook reads: the document and whose it is. */
export type WebhookSource = Pick<StoredWebhook, 'owner' | 'clientId' | 'scopes' | 'document' | 'operationName' | 'variables'>;

/** Where the events of a stream go. */
export interface EventSink {
  event(event: WebhookEvent): void;
  /** The stream has ended: with this error, or because it is complete. */
  end(error: StreamError | undefined): void;
}

/** Why a stream could not be opened, or ended. */
export interface StreamError {
  readonly code: string;
  readonly message: string;
  /** When to try again, in ms; undefined if the error does not say. */
  readonly retryAfter: number | undefined;
}

/** The codes of streams that end in the same way however often they are opened. */
const finalCodes: readonly string[] = [
  'BAD_USER_INPUT',
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'OPERATION_TOO_COMPLEX',
  'FORBIDDEN',
  'MODULE_ABSENT',
  'SCHEMA_CHANGED',
  'HEIGHT_PRUNED',
  'HISTORY_DEPENDS_ON_HEIGHT',
  'CHAIN_RESET',
];

/** Whether opening the stream again cannot succeed. */
export const isFinal = ({ code }: StreamError): boolean => finalCodes.includes(code);

function streamError([error]: readonly GraphQLError[]): StreamError {
  const { code, retryAfter } = error?.extensions ?? {};
  return {
    code: typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR',
    message: error?.message ?? '',
    retryAfter: typeof retryAfter === 'number' ? retryAfter * 1_000 : undefined,
  };
}

/** The events of payloads, which the webhooks of a topic share. */
const eventsOf = new WeakMap<Payload, WebhookEvent>();

function eventOf(payload: Payload): WebhookEvent {
  const knownEvent = eventsOf.get(payload);
  if (knownEvent !== undefined) return knownEvent;
  const json = payload.json.toString();
  const { extensions }: { extensions: { height: string; index?: number } } = JSON.parse(json);
  const members = json.slice(json.indexOf('{') + 1, json.lastIndexOf('}'));
  const event = { height: BigInt(extensions.height), position: extensions.index ?? 0, members, bytes: 2 * members.length };
  eventsOf.set(payload, event);
  return event;
}

const nothing = (): void => undefined;

/** A sink that is never full: what a webhook cannot take it reads again. */
function sinkOf({ event, end }: EventSink): Sink {
  return {
    send: (payload) => event(eventOf(payload)),
    isFull: () => false,
    onceDrained: () => nothing,
    copies: () => false,
    unsent: () => 0,
    onceSent: (onSent) => onSent(),
    destroy: nothing,
    end: (errors) => end(errors === undefined || errors.length === 0 ? undefined : streamError(errors)),
    interrupt: (error) => end(streamError([error])),
  };
}

/** Opens the streams of webhooks in the engine, as those of clients. Equal ones are executed once. */
export type WebhookStreams = ReturnType<typeof createWebhookStreams>;

export function createWebhookStreams(options: {
  readonly client: Client;
  readonly engine: Engine;
  readonly rates: Rates;
  readonly limits: Limits;
}) {
  const { client, engine, rates, limits } = options;

  async function prepare(source: WebhookSource, after: bigint): Promise<OpenSubscription | StreamError> {
    const { text } = resumableDocument(source.document, source.operationName, limits['graphql.tokens']);
    const viewer: Viewer = {
      subject: source.owner,
      clientId: source.clientId,
      scopes: scopesAmong(source.scopes),
      expiresAt: Number.POSITIVE_INFINITY,
    };
    const session: Session = { viewer, onEnd: () => nothing };
    const signal = AbortSignal.timeout(limits['request.deadline']);
    const { height } = client.head.current() ?? (await client.head.ready({ signal }));
    const variables = { ...JSON.parse(source.variables), [afterVariable]: after.toString() };
    const context = createOperationContext({
      ...{ client, session, limits, signal },
      picked: { height, chain: answerChain(client) },
      record: createRequestRecord(createRequestId()),
      readParams: () => ({ query: text, variables, operationName: source.operationName }),
      transport: { method: 'POST' },
      caller: callerOf(rates, '', session),
    });
    const { errors } = await engine.run(context);
    const { subscription } = context.outcome;
    if (subscription !== undefined) return subscription;
    return streamError(errors ?? []);
  }

  return {
    /** Opens a stream that begins after a height and drops it. Resolves with why it cannot be opened; undefined if it can. */
    async check(source: WebhookSource, after: bigint): Promise<StreamError | undefined> {
      const opened = await prepare(source, after);
      if ('code' in opened) return opened;
      opened.drop();
      return undefined;
    },
    /** Opens a stream at a place. It may send events before the place. Rejects if no node can be reached. */
    async open(source: WebhookSource, { height }: WebhookPlace, sink: EventSink): Promise<Leavable | StreamError> {
      const opened = await prepare(source, height - 1n);
      return 'code' in opened ? opened : opened.begin(sinkOf(sink));
    },
  };
}
