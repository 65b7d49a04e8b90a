import type { GraphQLParams } from 'graphql-yoga';
import { costPlace, type Making } from '../../answers/answer.ts';
import { type ProofRequest, RequestQuorum, requestQuorum } from '../../answers/assurance.ts';
import type { Caller, RequestRecord } from '../../answers/caller.ts';
import type { Picked } from '../../answers/pickHeight.ts';
import { type LazySignal, signalOf } from '../../chain/base/time.ts';
import type { Client } from '../../chain/client.ts';
import { Dependencies } from '../../chain/state/state.ts';
import type { Span } from '../../chain/tracing/tracer.ts';
import { createBlockLoaders } from '../../modules/blocks/query.ts';
import { RequestError } from '../../reads/errors.ts';
import { type Awaitable, andThen, createPin, heightPlace, type Pinned, pinned, pinOf, unpinned } from '../../reads/pin.ts';
import type { Session } from '../../reads/viewer.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import { createLocate, type Locate, locateNothing } from '../documents/errors.ts';
import { CountTally } from '../documents/operationChecks.ts';
import { heightExtensions, type JsonResult } from '../execution/execution.ts';
import type { OpenSubscription } from '../subscriptions/subscriber.ts';

/** The context of one operation, which resolvers and plugins get. It is created before the document is parsed. */
export interface OperationContext extends GraphQLContext {
  readonly session: Session;
  readonly record: RequestRecord;
  /** The height that the operation is read at; undefined if none could be picked. */
  readonly height: bigint | undefined;
  /** The root value of the operation. */
  readonly root: Pinned<object>;
  /** The parameters of the request, or the refusal of its document. */
  readParams(): Readonly<Record<string, unknown>>;
  readonly transport: Transport;
  /** The caller whose limits apply. */
  readonly caller: Caller;
  /** Aborts the reads of the operation. */
  readonly signal: AbortSignal | LazySignal;
  readonly outcome: Outcome;
  /** Charges for the lists that it counts. */
  readonly counted: CountTally;
  /** Notes what the operation reads, because its answer may be sent at other heights. Its height is printed as a place. */
  readonly dependencies: Dependencies;
  /** The proof that the answer must have, and what makes it; undefined if the request asks for none. */
  readonly proof: WantedProof | undefined;
  /** How many nodes must agree on the answer, or why the request is refused for it; undefined if it names no number. */
  readonly quorum: RequestQuorum | RequestError | undefined;
  /** The engine sets it. */
  broadcastCommit: boolean;
  /** Yoga sets these two. They are members from the start, because an object to which members are added later is slow. */
  request: Request | undefined;
  params: GraphQLParams | undefined;
}

/** The proof of an answer that a request asks for. */
export interface WantedProof extends ProofRequest {
  /** What makes proofs. undefined if this server makes none. */
  readonly proofs: Client['answerProofs'];
}

/** What an operation depends on besides its parameters. */
export interface Transport {
  /** Over a WebSocket: POST. */
  readonly method: 'GET' | 'POST';
  /** The URL and the headers of the HTTP request, for plugins. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** Why the client accepts no result. undefined if it accepts one. */
  readonly notAcceptable?: RequestError | undefined;
  /** Called before the charge, once the viewer may run the operation. Throws if the connection has no room for it. Only WebSockets have it. */
  admit?(isStream: boolean): void;
}

/** The quorum that a request names, or the error that refuses it. */
function quorumFor(client: Client, value: unknown): RequestQuorum | RequestError | undefined {
  try {
    return requestQuorum(client, 'extensions.quorum', value);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
}

export function createOperationContext({
  client,
  picked,
  making,
  session,
  record,
  readParams,
  transport,
  caller,
  signal,
  limits,
  proof: proofRequest,
  quorum: givenQuorum,
}: Pick<OperationContext, 'session' | 'record' | 'readParams' | 'transport' | 'caller' | 'signal' | 'limits'> & {
  readonly client: Client;
  readonly picked: Picked;
  readonly making?: Pick<Making, 'cannotShare'>;
  readonly proof?: ProofRequest | undefined;
  /** What the request names as its quorum. */
  readonly quorum?: unknown;
}): OperationContext {
  // Most requests name none.
  const quorum = givenQuorum === undefined ? undefined : quorumFor(client, givenQuorum);
  const reading = quorum instanceof RequestQuorum ? quorum : undefined;
  const proof = proofRequest && { ...proofRequest, proofs: client.answerProofs };
  const dependencies = new Dependencies();
  // A proof is one of its height, and of the time of its block.
  if (proof !== undefined) dependencies.dependsOnHeight();
  const printsTime = proof === undefined;
  const factor = reading?.factor ?? 1;
  const tally = new CountTally(limits, (each) => {
    const points = each * factor;
    caller.charge(points);
    record.cost = (record.cost ?? 0) + points;
  });
  const height = 'error' in picked ? undefined : picked.height;
  const root =
    'error' in picked
      ? unpinned(picked.error, { client, signal: signalOf(signal) })
      : pinned(
          createPin(reading?.client ?? client, picked.height, {
            signal,
            caller: caller.name,
            bounds: tally,
            dependencies,
            printsTime,
          }),
          {},
        );
  const outcome = new Outcome();
  outcome.making = making;
  const { viewer } = session;
  const warnings = new Set<string>();
  // Spreads of the request and of parts of this object took longer than all else here.
  return {
    session,
    record,
    height,
    root,
    readParams,
    transport,
    caller,
    signal,
    outcome,
    counted: tally,
    dependencies,
    viewer,
    limits,
    warnings,
    proof,
    quorum,
    broadcastCommit: false,
    request: undefined,
    params: undefined,
  };
}

/** What execution finds out about an operation. It is a class because each request has one: on an object literal, accessors cost as much as all its members. */
class Outcome {
  /** The opened subscription, which must be begun or dropped; undefined for other operations. */
  subscription: OpenSubscription | undefined = undefined;
  /** Whether the request had a document. */
  hasDocument = false;
  /** Whether it is a subscription or live query. */
  isStream = false;
  /** Whether its document was valid, and its transport admitted it. */
  isAdmitted = false;
  /** Whether the response must contain `extensions.cost`. */
  wantsCost = false;
  /** Whether the response must contain `extensions.time`. */
  wantsTime = false;
  /** Whether a live query may send its changes as JSON Patch. */
  wantsPatch = false;
  /** What the request asks for in `extensions.history` and `extensions.since`. */
  history: object | undefined = undefined;
  since: string | undefined = undefined;
  /** Whether the operation has a `totalCount`: the chain then reads the whole list. */
  countsLists = false;
  /** The text of the document. undefined until it is known. */
  text: string | undefined = undefined;
  /** The span of the operation, which ends with its result. undefined if it is not recorded. */
  span: Span | undefined = undefined;
  /** What it is executed for. It is notified when the answer turns out to be for this request only. */
  making: Pick<Making, 'cannotShare'> | undefined = undefined;
  #immutable = false;
  #locate: Locate | undefined = undefined;

  /** Locates errors in the text of the document. */
  get locate(): Locate {
    if (this.text === undefined) return locateNothing;
    this.#locate ??= createLocate(this.text);
    return this.#locate;
  }

  /** Whether an equal request at the same height always has the same answer. Setting it to false calls `cannotShare`. */
  get immutable(): boolean {
    return this.#immutable;
  }

  set immutable(value) {
    this.#immutable = value;
    if (!value) this.making?.cannotShare();
  }
}

/**
 * A result with the height that it was read at, and with the time of that block and its cost if the request asked for them. They are places, which are
 * filled when the answer is sent. It is a promise if the block has to be read for its time, which is left out if that fails.
 */
export function withExtensions(result: JsonResult, context: OperationContext): Awaitable<JsonResult> {
  const { height, outcome, root } = context;
  const { data, errors, extensions } = result;
  // Most results have nothing else. A copy of them takes longer.
  const isPlain = !(errors || extensions || outcome.wantsTime || outcome.wantsCost || context.quorum);
  if (height !== undefined && data !== undefined && isPlain) return { data, extensions: heightExtensions };
  if (height === undefined || !outcome.wantsTime) return extended(result, context, undefined);
  const pin = pinOf(root);
  const printed = pin.printedTime();
  if (printed !== undefined) return extended(result, context, printed);
  const read = andThen(pin.loaders(createBlockLoaders).block.load(height), ({ header }) => header.time);
  if (!(read instanceof Promise)) return extended(result, context, read);
  return read.then(
    (time) => extended(result, context, time),
    () => {
      outcome.immutable = false;
      return extended(result, context, undefined);
    },
  );
}

function extended(
  result: JsonResult,
  { height, outcome, record, quorum }: OperationContext,
  time: string | undefined,
): JsonResult {
  const wantsCost = outcome.wantsCost && record.cost !== undefined;
  if (height === undefined && !wantsCost) return result;
  return {
    ...result,
    extensions: {
      ...result.extensions,
      ...(height !== undefined && { height: heightPlace.toString() }),
      ...(time !== undefined && { time }),
      ...(wantsCost && { cost: costPlace }),
      ...(quorum instanceof RequestQuorum && result.data !== undefined && { quorum: quorum.agreement() }),
    },
  };
}
