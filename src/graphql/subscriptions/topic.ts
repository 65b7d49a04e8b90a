import { createHash } from 'node:crypto';
import {
  type ArgumentNode,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  print,
  TypeInfo,
  type VariableDefinitionNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { charge, type Refused } from '../../answers/caller.ts';
import { type Span, setScope, type Tracer } from '../../chain/tracing/tracer.ts';
import type { BlockEvents, BlockStream } from '../../reads/stream.ts';
import type { EventBatch, EventOperation } from './payload.ts';
import type { Subscriber } from './subscriber.ts';

/** An opened stream of events, and how its events are rendered. */
export interface OpenSource {
  readonly stream: BlockStream<unknown>;
  /** Renders the events of a block, or returns them from the replay cache. */
  render(block: BlockEvents<unknown>): Promise<EventBatch>;
  /** The points that {@link OpenSource.render} of this block costs now: fewer if it is in the replay cache. */
  price(block: BlockEvents<unknown>): number;
  /** Renders the state that the stream begins with. */
  renderPresent(present: BlockEvents<unknown>): Promise<EventBatch>;
  /** The points of one execution. */
  readonly points: number;
  /** Ends a subscriber whose caller has too few points. */
  refuse(subscriber: Subscriber, refusal: Refused): void;
  /** The height of the newest block; undefined if no block is known. */
  head(): bigint | undefined;
  /** Converts a failure of the stream to an error for the caller. */
  mask(error: unknown): GraphQLError;
  /** Ends the stream and its reads. May be called several times. */
  close(): void;
}

/** A stream that is read once for all of its subscribers. */
interface Source {
  /** The height up to which its subscribers have all events. */
  position(): bigint;
  /** Adds a subscriber. It gets all further events above its own `after`. */
  add(subscriber: Subscriber): void;
  /** Removes a subscriber. The source ends with the last one. */
  remove(subscriber: Subscriber): void;
  /** Ends the source and its subscribers, with these errors. */
  close(errors?: readonly GraphQLError[]): void;
}

/** The open sources of a topic. */
interface Sources {
  readonly open: Set<Source>;
  /** The one at the head. It does not wait for full sockets; the others do. */
  live: Source | undefined;
}

/**
 * Adds a source to those of a topic. It reads the blocks above `after`, from the first {@link Source.add} on. The stream is closed with the source. When it
 * reaches the live source, its subscribers move there.
 */
function openSource(opened: OpenSource, after: bigint, sources: Sources): Source {
  const subscribers = new Set<Subscriber>();
  let position = after;
  let running = false;
  let over = false;

  const source: Source = {
    position: () => position,
    add(subscriber) {
      subscriber.source = source;
      subscribers.add(subscriber);
      if (running) return;
      running = true;
      void run();
    },
    remove(subscriber) {
      subscribers.delete(subscriber);
      if (subscribers.size === 0) source.close();
    },
    close(errors) {
      if (over) return;
      finish();
      for (const subscriber of subscribers) subscriber.end(errors);
      subscribers.clear();
    },
  };

  function finish(): void {
    over = true;
    sources.open.delete(source);
    if (sources.live === source) sources.live = undefined;
    opened.close();
  }

  function moveTo(other: Source): void {
    finish();
    for (const subscriber of subscribers) {
      if (subscriber.after < position) subscriber.after = position;
      other.add(subscriber);
    }
    subscribers.clear();
  }

  /**
   * Sends the events of the next block. Resolves to whether the source continues. A function of its own, so that a source that waits for a block
   * keeps nothing of the last one in memory.
   */
  async function sendNext(): Promise<boolean> {
    const next = await opened.stream.nextBlock();
    if (over) return false;
    if (next.done) {
      source.close();
      return false;
    }
    const { height } = next.value;
    const listening: Subscriber[] = [];
    for (const subscriber of subscribers) if (height > subscriber.after) listening.push(subscriber);
    charge(listening, opened.price(next.value), opened.refuse);
    if (over) return false;
    const batch = await opened.render(next.value);
    if (over) return false;
    position = height;
    for (const subscriber of subscribers) if (position > subscriber.after) subscriber.offer(batch);
    if (batch.last) source.close();
    return !batch.last;
  }

  async function run(): Promise<void> {
    try {
      do {
        if (sources.live === undefined && position === opened.head()) sources.live = source;
        const { live } = sources;
        if (live !== undefined && live !== source && live.position() <= position) return moveTo(live);
        if (live !== source) for (const subscriber of subscribers) await subscriber.ready();
      } while (!over && (await sendNext()));
    } catch (error) {
      source.close([opened.mask(error)]);
    }
  }

  sources.open.add(source);
  return source;
}

/** All subscribers of equal subscriptions, wherever they begin. */
export type Topic = ReturnType<typeof createTopic>;

/**
 * Creates a topic. It has one source at the head: that of the first subscriber to reach it. Subscribers past the position of this source read from it.
 * The others catch up on a source of their own, as fast as their sockets allow, and then move. `onEmpty` is called when the last subscriber is gone.
 */
export function createTopic(key: string, document: DocumentNode, onEmpty: () => void) {
  const subscribers = new Set<Subscriber>();
  const beginning = new Map<Subscriber, OpenSource>();
  const sources: Sources = { open: new Set(), live: undefined };

  /** Sends the state that the stream begins with. Resolves to whether the stream continues. */
  async function begin(subscriber: Subscriber, source: OpenSource): Promise<boolean> {
    beginning.set(subscriber, source);
    try {
      const present = await source.stream.present();
      if (present !== undefined && !subscriber.isGone()) {
        charge([subscriber], present.events.length * source.points, source.refuse);
        if (subscriber.isGone()) return false;
        const batch = await source.renderPresent(present);
        subscriber.offer(batch);
        if (batch.last) {
          subscriber.end();
          return false;
        }
      }
    } catch (error) {
      subscriber.end([source.mask(error)]);
      return false;
    } finally {
      beginning.delete(subscriber);
    }
    return !subscriber.isGone();
  }

  return {
    /** The identity of its subscriptions. */
    key,
    /** The document of its subscriptions. */
    document,
    /**
     * Sends a subscriber the state that its source begins with, and all events above its `after`. The source was opened for it and is closed at once
     * if the live source serves it. Never rejects.
     */
    async join(subscriber: Subscriber, source: OpenSource): Promise<void> {
      subscribers.add(subscriber);
      if (!(await begin(subscriber, source))) return source.close();
      const { live } = sources;
      if (live === undefined || live.position() > subscriber.after)
        return openSource(source, subscriber.after, sources).add(subscriber);
      live.add(subscriber);
      source.close();
    },
    /** Removes a subscriber that has ended or left. */
    remove(subscriber: Subscriber): void {
      if (!subscribers.delete(subscriber)) return;
      beginning.get(subscriber)?.close();
      subscriber.source?.remove(subscriber);
      if (subscribers.size === 0) onEmpty();
    },
    /** The current subscribers. */
    subscribers: (): ReadonlySet<Subscriber> => subscribers,
    /** The number of open sources. */
    sources: (): number => sources.open.size + beginning.size,
  };
}

/** What the traces of a source need. */
interface SourceTraces {
  /** The name of its operation. */
  readonly name: string | undefined;
  /** The signal of its reads. */
  readonly signal: AbortSignal;
  /** The span of the operation that opened it. */
  readonly opener: Span | undefined;
  readonly tracer: Tracer;
}

/**
 * Records each block of a source in a trace of its own: the reads that find its events, and their execution. Without a tracer that is on, it is
 * the source itself.
 */
export function traced(source: OpenSource, { name, signal, opener, tracer }: SourceTraces): OpenSource {
  const rounds = tracer.rounds(name === undefined ? 'block of a subscription' : `block of ${name}`, opener, {
    'graphql.operation.type': 'subscription',
    ...(name !== undefined && { 'graphql.operation.name': name }),
  });
  if (rounds === undefined) return source;
  setScope(signal, rounds);
  return {
    ...source,
    async render(block) {
      if (block.events.length > 0) rounds.begin();
      try {
        return await source.render(block);
      } finally {
        rounds.end({ 'stele.height': Number(block.height), 'stele.events': block.events.length });
      }
    },
    async renderPresent(present) {
      rounds.begin();
      try {
        return await source.renderPresent(present);
      } finally {
        rounds.end({ 'stele.height': Number(present.height), 'stele.events': present.events.length });
      }
    },
    close() {
      rounds.close();
      source.close();
    },
  };
}

/** The identity of a subscription. */
export interface TopicKey {
  /** Equal for subscriptions with equal events: same document, operation, variables and scopes, wherever they begin. */
  readonly topic: string;
  /** The argument `after`; undefined if the caller gave none. */
  readonly after: bigint | undefined;
}

/** The analysis of a document. */
interface Known {
  /** The operation name and the document without the argument `after`. */
  readonly text: string;
  /** The names of the variables, except those only used by `after`, sorted. */
  readonly variables: readonly string[];
  readonly after: { readonly node: ArgumentNode; readonly type: GraphQLInputType } | undefined;
  /** The definitions of the variables that `after` uses. */
  readonly afterVariables: readonly VariableDefinitionNode[];
}

/** The argument of every subscription that only sets its start. */
const startArgument = 'after';

function variablesIn(node: DocumentNode | OperationDefinitionNode | ArgumentNode): Set<string> {
  const names = new Set<string>();
  visit(node, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void names.add(name.value),
  });
  return names;
}

function lookAt(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Known {
  const types = new TypeInfo(schema);
  let after: Known['after'];
  const without = visit(
    document,
    visitWithTypeInfo(types, {
      Argument(node) {
        const type = types.getInputType();
        if (node.name.value !== startArgument || types.getParentType() !== schema.getSubscriptionType() || !type)
          return undefined;
        after ??= { node, type };
        return null;
      },
    }),
  );
  const others = variablesIn(without);
  const usedVariables = after === undefined ? new Set<string>() : variablesIn(after.node);
  const definitions = operation.variableDefinitions ?? [];
  const isOnlyStart = ({ variable: { name } }: VariableDefinitionNode): boolean =>
    usedVariables.has(name.value) && !others.has(name.value);
  const text = visit(without, { VariableDefinition: (node) => (isOnlyStart(node) ? null : undefined) });
  return {
    text: `${operation.name?.value ?? ''}\n${print(text)}`,
    variables: definitions
      .filter((definition) => !isOnlyStart(definition))
      .map(({ variable }) => variable.name.value)
      .toSorted(),
    after,
    afterVariables: definitions.filter(({ variable }) => usedVariables.has(variable.name.value)),
  };
}

/** JSON with sorted keys, so that equal values have equal text. */
function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const subscribers = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${subscribers.map(([name, subscriber]) => `${JSON.stringify(name)}:${ordered(subscriber)}`).join()}}`;
}

/**
 * Creates the function that identifies subscriptions and live queries. `scopes` are those of the viewer, sorted. The variables must be valid. Each
 * document is analysed once.
 */
export function createTopicKeys(
  schema: GraphQLSchema,
): (operation: Omit<EventOperation, 'points'>, scopes: string) => TopicKey {
  const knownKeys = new WeakMap<OperationDefinitionNode, Known>();

  return ({ document, operationName, variableValues = {} }, scopes) => {
    const operation = getOperationAST(document, operationName);
    if (operation === null || operation === undefined) throw new Error('the document does not have the operation');
    let knownKey = knownKeys.get(operation);
    if (knownKey === undefined) {
      knownKey = lookAt(schema, document, operation);
      knownKeys.set(operation, knownKey);
    }
    const { text, variables, after, afterVariables } = knownKey;
    const ownVariables = variables
      .filter((name) => variableValues?.[name] !== undefined)
      .map((name) => [name, variableValues?.[name]]);
    const topic = createHash('sha256')
      .update(`${scopes}\n${text}\n${ordered(ownVariables)}`)
      .digest('base64');
    if (after === undefined) return { topic, after: undefined };
    const { coerced = {} } = getVariableValues(schema, afterVariables, variableValues ?? {});
    const height = valueFromAST(after.node.value, after.type, coerced);
    return { topic, after: typeof height === 'bigint' ? height : undefined };
  };
}
