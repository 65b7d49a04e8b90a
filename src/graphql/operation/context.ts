import type { Client } from '../../chain/client.ts';
import { createDependencies, type Dependencies } from '../../chain/state/dependencies.ts';
import type { Bounds } from '../../config/bounds.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { createPin, type Pinned, pinned, unpinned } from '../../reads/pin.ts';
import type { Session } from '../../reads/viewer.ts';
import { type Locate, locateNothing } from '../documents/tokenLocations.ts';
import type { Caller } from '../request/caller.ts';
import type { RequestParams } from '../request/requestParams.ts';
import type { RequestRecord } from '../request/requestRecord.ts';
import type { OpenSubscription } from '../subscriptions/operation.ts';
import type { Picked } from './pickHeight.ts';

/** The context of one operation. It is created before the document is parsed. */
export interface OperationContext {
  readonly session: Session;
  readonly record: RequestRecord;
  /** The height that the operation is read at; undefined if none could be picked. */
  readonly height: bigint | undefined;
  /** The root value of the operation. */
  readonly root: Pinned<object>;
  /** The parameters of the request. Operations on a WebSocket do not use it. */
  readonly params: RequestParams;
  /** The caller whose limits apply. */
  readonly caller: Caller;
  /** Aborts the reads of the operation. */
  readonly signal: AbortSignal;
  readonly outcome: Outcome;
  /** Notes what the operation reads, because its answer may be sent at other heights. Its height is printed as a place. */
  readonly dependencies: Dependencies;
}

/** What execution finds out about an operation. */
export interface Outcome {
  /** Whether an equal request at the same height always has the same answer. Setting it to false calls `cannotShare`. */
  immutable: boolean;
  /** The opened subscription, which must be begun or dropped; undefined for other operations. */
  subscription: OpenSubscription | undefined;
  /** Whether the request had a document. */
  hasDocument: boolean;
  /** Whether the response must contain `extensions.cost`. */
  wantsCost: boolean;
  /** Whether a live query may send its changes as JSON Patch. */
  wantsPatch: boolean;
  /** Whether the operation has a `totalCount`: the chain then reads the whole list. */
  countsLists: boolean;
  /** Locates errors in the text of the document. */
  locate: Locate;
}

/** Notes what a request asks for in its `extensions`. */
export function noteWishes(outcome: Outcome, extensions: Readonly<Record<string, unknown>> | null | undefined): void {
  outcome.wantsCost = extensions?.cost === true;
  outcome.wantsPatch = extensions?.patch === true;
}

/** The bounds of pages, from the limits in force. */
export function boundsOf(limits: Limits): Bounds {
  return { pageMax: limits['page.size.max'], offsetMax: limits['page.offset'] };
}

/** Creates the context of an operation whose height is picked. */
export function createOperationContext({
  client,
  picked,
  limits,
  cannotShare,
  ...request
}: Omit<OperationContext, 'height' | 'root' | 'outcome' | 'dependencies'> & {
  readonly client: Client;
  readonly picked: Picked;
  readonly limits: Limits;
  /** Called when it is known that the answer is for this request only. May be called several times. */
  readonly cannotShare?: () => void;
}): OperationContext {
  const { signal } = request;
  const dependencies = createDependencies();
  const outcome = new RequestOutcome(cannotShare);
  if ('error' in picked)
    return { ...request, height: undefined, root: unpinned(picked.error, { client, signal }), outcome, dependencies };
  const { height } = picked;
  return {
    ...request,
    height,
    root: pinned(createPin(client, height, { signal, bounds: boundsOf(limits), dependencies }), {}),
    outcome,
    dependencies,
  };
}

/** It is a class because each request has one: on an object literal, accessors cost as much as all its members. */
class RequestOutcome implements Outcome {
  subscription: OpenSubscription | undefined = undefined;
  hasDocument = false;
  wantsCost = false;
  wantsPatch = false;
  countsLists = false;
  locate: Locate = locateNothing;
  readonly #cannotShare: (() => void) | undefined;
  #immutable = false;

  constructor(cannotShare: (() => void) | undefined) {
    this.#cannotShare = cannotShare;
  }

  get immutable(): boolean {
    return this.#immutable;
  }

  set immutable(value) {
    this.#immutable = value;
    if (!value) this.#cannotShare?.();
  }
}
