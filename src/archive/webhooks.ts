import type { Viewer } from '../reads/viewer.ts';

/** Whether a webhook delivers: ACTIVE does, PAUSED waits for its owner, DISABLED was ended because its receiver is gone (410). */
export const webhookStates = ['ACTIVE', 'PAUSED', 'DISABLED'] as const;
export type WebhookState = (typeof webhookStates)[number];

/** Why a webhook does not deliver. */
export const webhookReasons = [
  'OWNER',
  'RECEIVER_FAILED',
  'RECEIVER_GONE',
  'CLIENT_DELETED',
  'SCOPE_REVOKED',
  'STREAM_ENDED',
  'STREAM_FAILED',
] as const;
export type WebhookReason = (typeof webhookReasons)[number];

/** How deliveries are signed: ED25519 with a key whose public part verifies, or HMAC with a secret that both sides have. */
export const webhookSignings = ['ED25519', 'HMAC'] as const;
export type WebhookSigning = (typeof webhookSignings)[number];

/** What came of a delivery: RETRYING is tried again, FAILED has had its last try. */
export const deliveryStates = ['DELIVERED', 'RETRYING', 'FAILED'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A webhook as its owner sees it. Times are in ms since 1970. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly document: string;
  readonly operationName: string | null;
  /** The JSON of the variables. */
  readonly variables: string;
  readonly signing: WebhookSigning;
  readonly state: WebhookState;
  /** null for an active webhook. */
  readonly reason: WebhookReason | null;
  /** What happened, for the owner; null for an active webhook and for one that its owner paused. */
  readonly message: string | null;
  readonly created: number;
  /** All events up to this height are delivered. */
  readonly height: bigint;
  /** The number of events that were delivered, each counted once. */
  readonly sequence: bigint;
  /** When the last event was delivered; null if none was. */
  readonly delivered: number | null;
  /** When the next try is due; null if no try has failed. */
  readonly nextTry: number | null;
  /** Failed tries of the next event. */
  readonly tries: number;
}

/** The keys of a webhook. They are shown when they are made, and never again. */
export interface WebhookKeys {
  /** `whsec_…` for HMAC. null for ED25519, whose private key stays here. */
  readonly secret: string | null;
  /** `whpk_…` for ED25519. null for HMAC. */
  readonly publicKey: string | null;
}

export interface NewWebhook {
  readonly webhook: Webhook;
  readonly keys: WebhookKeys;
}

/** One of the last deliveries of a webhook. */
export interface WebhookDelivery {
  readonly webhook: string;
  readonly sequence: bigint;
  /** The id of the event, `webhook-id` of the delivery. */
  readonly event: string;
  readonly height: bigint;
  readonly state: DeliveryState;
  readonly tries: number;
  /** The HTTP status of the last response; null if there was none. */
  readonly status: number | null;
  /** The first 200 printable characters of the last response; null if there was none. */
  readonly response: string | null;
  /** Why there was no response; null if there was one. */
  readonly error: string | null;
  readonly time: number;
}

/** What came of a try. `response` has at most 200 printable characters. */
export interface WebhookTry {
  readonly status: number | null;
  readonly response: string | null;
  readonly error: string | null;
  readonly milliseconds: number;
}

export interface WebhookInput {
  readonly url: string;
  /** A subscription, or a query with `@live`. Either it or `documentId` is given. */
  readonly document?: string | null | undefined;
  /** The id of a trusted document. */
  readonly documentId?: string | null | undefined;
  readonly operationName?: string | null | undefined;
  /** An object, by default empty. */
  readonly variables?: unknown;
  /** Begin after this height. By default after the newest block. */
  readonly after?: bigint | null | undefined;
  readonly description?: string | null | undefined;
  /** By default ED25519. */
  readonly signing?: WebhookSigning | null | undefined;
}

/** What changes of a webhook. What is absent or null stays. */
export interface WebhookUpdate extends Pick<WebhookInput, 'description' | 'document' | 'operationName' | 'variables'> {
  readonly url?: string | null | undefined;
}

/**
 * The webhooks of a server. Each belongs to the subject of the viewer; those of others do not exist for it. All functions reject with a `RequestError`:
 * BAD_USER_INPUT, RATE_LIMITED over `webhooks.count`, FORBIDDEN, WEBHOOK_NOT_FOUND, and ARCHIVE_UNAVAILABLE while the database cannot be used.
 */
export interface Webhooks {
  create(viewer: Viewer, input: WebhookInput): Promise<NewWebhook>;
  update(viewer: Viewer, id: string, input: WebhookUpdate): Promise<Webhook>;
  /** Pauses a webhook, or continues one in any state from its height. */
  pause(viewer: Viewer, id: string, isPaused: boolean): Promise<Webhook>;
  /** Resolves with the id. */
  delete(viewer: Viewer, id: string): Promise<string>;
  /** Makes new keys. The old ones sign too for 24 hours. */
  rotate(viewer: Viewer, id: string): Promise<NewWebhook>;
  /** Sends a delivery without an event now, outside the order. */
  test(viewer: Viewer, id: string): Promise<WebhookTry>;
  /** Delivers the events of these heights again, before what is new. */
  redeliver(viewer: Viewer, id: string, from: bigint, to: bigint): Promise<Webhook>;
  list(viewer: Viewer): Promise<readonly Webhook[]>;
  /** Resolves with null if there is none. */
  find(viewer: Viewer, id: string): Promise<Webhook | null>;
  /** The last deliveries before a sequence, the newest first. */
  deliveries(
    viewer: Viewer,
    filter: {
      readonly webhook?: string | null | undefined;
      readonly state?: DeliveryState | null | undefined;
      readonly before?: bigint | null | undefined;
      readonly first: number;
    },
  ): Promise<readonly WebhookDelivery[]>;
}
