import {
  integerAt,
  integerOrNull,
  numberAt,
  oneOf,
  type Row,
  type Sql,
  sql,
  textAt,
  textOrNull,
} from '../database/database.ts';
import {
  type DeliveryState,
  deliveryStates,
  type Webhook,
  type WebhookDelivery,
  type WebhookReason,
  type WebhookState,
  webhookReasons,
  webhookSignings,
  webhookStates,
} from '../webhooks.ts';

/** Where deliveries continue: all events below `height` and the first `position` at it are delivered. */
export interface WebhookPlace {
  readonly height: bigint;
  readonly position: number;
}

/** A webhook with what delivers it. */
export interface StoredWebhook extends Webhook {
  readonly owner: string;
  readonly clientId: string;
  /** The names of the scopes with which it reads. */
  readonly scopes: readonly string[];
  /** The encrypted keys. */
  readonly keys: string;
  /** Whether its owner has deleted it. */
  readonly isDeleted: boolean;
  /** The number of its last change, among those of all webhooks. */
  readonly changed: bigint;
  readonly place: WebhookPlace;
  /** The id of the last event that was delivered; null if none was. */
  readonly previous: string | null;
  /** A redelivery that is under way; null if there is none. */
  readonly replay: (WebhookPlace & { readonly to: bigint }) | null;
}

const deleted = 'DELETED';

export function webhookIn(row: Row): StoredWebhook {
  const state = oneOf(row, 'state', [...webhookStates, deleted]);
  const height = integerAt(row, 'height');
  const to = integerOrNull(row, 'replay_to');
  const delivered = integerOrNull(row, 'delivered');
  const tries = numberAt(row, 'tries');
  return {
    id: textAt(row, 'id'),
    owner: textAt(row, 'owner'),
    clientId: textAt(row, 'client_id'),
    scopes: textAt(row, 'scopes').split(' '),
    url: textAt(row, 'url'),
    description: textAt(row, 'description'),
    document: textAt(row, 'document'),
    operationName: textOrNull(row, 'operation_name'),
    variables: textAt(row, 'variables'),
    signing: oneOf(row, 'signing', webhookSignings),
    keys: textAt(row, 'keys'),
    isDeleted: state === deleted,
    state: state === deleted ? 'DISABLED' : state,
    reason: row.reason === null ? null : oneOf(row, 'reason', webhookReasons),
    message: textOrNull(row, 'message'),
    created: numberAt(row, 'created'),
    changed: integerAt(row, 'changed'),
    height: height - 1n,
    place: { height, position: numberAt(row, 'position') },
    sequence: integerAt(row, 'sequence'),
    previous: textOrNull(row, 'previous'),
    delivered: delivered === null ? null : Number(delivered),
    tries,
    nextTry: tries === 0 ? null : numberAt(row, 'next_try'),
    replay:
      to === null
        ? null
        : { height: integerAt(row, 'replay_height'), position: Number(integerOrNull(row, 'replay_position') ?? 0n), to },
  };
}

export function deliveryIn(row: Row): WebhookDelivery {
  const status = integerOrNull(row, 'status');
  return {
    webhook: textAt(row, 'webhook'),
    sequence: integerAt(row, 'sequence'),
    event: textAt(row, 'event'),
    height: integerAt(row, 'height'),
    state: oneOf(row, 'state', deliveryStates),
    tries: numberAt(row, 'tries'),
    status: status === null ? null : Number(status),
    response: textOrNull(row, 'response'),
    error: textOrNull(row, 'error'),
    time: numberAt(row, 'time'),
  };
}

/** The first statement of each change. It locks the row, so changes are numbered in the order in which they are stored. */
export const beginChange = sql`UPDATE webhook_lease SET changed = changed + 1`;

const thisChange = sql`(SELECT changed FROM webhook_lease)`;

/** Inserts a webhook. */
export function insertWebhook(webhook: StoredWebhook): Sql {
  const { place } = webhook;
  return sql`INSERT INTO webhooks (id, owner, client_id, scopes, url, description, document, operation_name, variables, signing, keys, state,
    created, changed, height, position, sequence, tries, next_try) VALUES (${webhook.id}, ${webhook.owner}, ${webhook.clientId},
    ${webhook.scopes.join(' ')}, ${webhook.url}, ${webhook.description}, ${webhook.document}, ${webhook.operationName}, ${webhook.variables},
    ${webhook.signing}, ${webhook.keys}, ${webhook.state}, ${BigInt(webhook.created)}, ${thisChange}, ${place.height},
    ${BigInt(place.position)}, 0, 0, 0)`;
}

/** Removes a webhook that was just inserted if its owner has more than `max`. Returns its id then. */
export const removeOver = (id: string, owner: string, max: number): Sql =>
  sql`DELETE FROM webhooks WHERE id = ${id} AND (SELECT count(*) FROM webhooks WHERE owner = ${owner} AND state <> ${deleted}) > ${BigInt(max)}
    RETURNING id`;

const ownRow = (owner: string, id: string): Sql => sql`id = ${id} AND owner = ${owner} AND state <> ${deleted}`;

/** Changes what its owner may change. Returns the id if it exists. */
export const updateWebhook = (
  owner: string,
  { id, url, description, document, operationName, variables, keys }: StoredWebhook,
): Sql =>
  sql`UPDATE webhooks SET url = ${url}, description = ${description}, document = ${document}, operation_name = ${operationName},
    variables = ${variables}, keys = ${keys}, changed = ${thisChange} WHERE ${ownRow(owner, id)} RETURNING id`;

/** Pauses a webhook for its owner, or continues it. */
export const pauseWebhook = (owner: string, id: string, isPaused: boolean): Sql =>
  isPaused
    ? sql`UPDATE webhooks SET state = 'PAUSED', reason = 'OWNER', message = NULL, changed = ${thisChange} WHERE ${ownRow(owner, id)} RETURNING id`
    : sql`UPDATE webhooks SET state = 'ACTIVE', reason = NULL, message = NULL, tries = 0, next_try = 0, changed = ${thisChange}
        WHERE ${ownRow(owner, id)} RETURNING id`;

/** Marks a webhook as deleted. Its row stays until the server that delivers has seen it. */
export const deleteWebhook = (owner: string, id: string): Sql =>
  sql`UPDATE webhooks SET state = ${deleted}, keys = '', url = '', changed = ${thisChange} WHERE ${ownRow(owner, id)} RETURNING id`;

/** Removes what is left of a deleted webhook. */
export const purgeWebhook = (id: string): readonly Sql[] => [
  sql`DELETE FROM webhook_deliveries WHERE webhook = ${id}`,
  sql`DELETE FROM webhooks WHERE id = ${id} AND state = ${deleted}`,
];

/** Begins a redelivery. */
export const replayWebhook = (owner: string, id: string, from: bigint, to: bigint): Sql =>
  sql`UPDATE webhooks SET replay_height = ${from}, replay_position = 0, replay_to = ${to}, changed = ${thisChange}
    WHERE ${ownRow(owner, id)} RETURNING id`;

export const ownWebhooks = (owner: string): Sql =>
  sql`SELECT * FROM webhooks WHERE owner = ${owner} AND state <> ${deleted} ORDER BY created, id`;

export const ownWebhook = (owner: string, id: string): Sql => sql`SELECT * FROM webhooks WHERE ${ownRow(owner, id)}`;

/** The deliveries of an owner's webhooks before a sequence, the newest first. */
export function ownDeliveries(
  owner: string,
  webhook: string | undefined,
  state: DeliveryState | undefined,
  before: bigint | undefined,
  first: number,
): Sql {
  const of = webhook === undefined ? sql`` : sql` AND w.id = ${webhook}`;
  const inState = state === undefined ? sql`` : sql` AND d.state = ${state}`;
  const page = before === undefined ? sql`` : sql` AND d.sequence < ${before}`;
  return sql`SELECT d.* FROM webhooks w JOIN webhook_deliveries d ON d.webhook = w.id
    WHERE w.owner = ${owner} AND w.state <> ${deleted}${of}${inState}${page} ORDER BY d.time DESC, d.sequence DESC LIMIT ${BigInt(first)}`;
}

/** The webhooks that were changed after a number, in the order of the changes. */
export const changedWebhooks = (after: bigint): Sql =>
  sql`SELECT * FROM webhooks WHERE changed > ${after} ORDER BY changed, id`;

// What the server that delivers writes. Each transaction begins with holdLease, and changes nothing if another server has the lease.

export const leaseQuery = sql`SELECT holder, beat, changed FROM webhook_lease`;

/** Takes the lease from the holder that was seen with this beat. Returns a row if that succeeded. */
export const takeLease = (holder: string, last: { readonly holder: string; readonly beat: bigint }): Sql =>
  sql`UPDATE webhook_lease SET holder = ${holder}, beat = beat + 1 WHERE holder = ${last.holder} AND beat = ${last.beat} RETURNING holder`;

/** Shows the others that the holder runs. Returns a row if it has the lease. It locks the row until the end of the transaction. */
export const holdLease = (holder: string): Sql =>
  sql`UPDATE webhook_lease SET beat = beat + 1 WHERE holder = ${holder} RETURNING changed`;

/** Gives the lease back, so that another server takes it at once. */
export const leaveLease = (holder: string): Sql =>
  sql`UPDATE webhook_lease SET holder = '', beat = beat + 1 WHERE holder = ${holder}`;

const holdsLease = (holder: string): Sql => sql`EXISTS (SELECT 1 FROM webhook_lease WHERE holder = ${holder})`;

/** Moves the cursor of a webhook over an event, or over heights without one. */
export const moveCursor = (
  holder: string,
  { id, place, sequence, previous, delivered }: Pick<StoredWebhook, 'id' | 'place' | 'sequence' | 'previous' | 'delivered'>,
): Sql =>
  sql`UPDATE webhooks SET height = ${place.height}, position = ${BigInt(place.position)}, sequence = ${sequence}, previous = ${previous},
    delivered = ${delivered === null ? null : BigInt(delivered)}, tries = 0, next_try = 0 WHERE id = ${id} AND ${holdsLease(holder)}`;

/** Moves a redelivery, or ends it. */
export const moveReplay = (holder: string, { id, replay }: Pick<StoredWebhook, 'id' | 'replay'>): Sql =>
  sql`UPDATE webhooks SET replay_height = ${replay?.height ?? null}, replay_position = ${replay ? BigInt(replay.position) : null},
    replay_to = ${replay?.to ?? null}, tries = 0, next_try = 0 WHERE id = ${id} AND ${holdsLease(holder)}`;

/** Notes a failed try. */
export const noteFailure = (holder: string, id: string, tries: number, nextTry: number): Sql =>
  sql`UPDATE webhooks SET tries = ${BigInt(tries)}, next_try = ${BigInt(nextTry)} WHERE id = ${id} AND ${holdsLease(holder)}`;

/** Stops a webhook, unless its owner has changed it meanwhile. */
export const stopWebhook = (
  holder: string,
  { id, changed }: Pick<StoredWebhook, 'id' | 'changed'>,
  state: Exclude<WebhookState, 'ACTIVE'>,
  reason: WebhookReason,
  message: string,
): Sql =>
  sql`UPDATE webhooks SET state = ${state}, reason = ${reason}, message = ${message}
    WHERE id = ${id} AND changed = ${changed} AND state = 'ACTIVE' AND ${holdsLease(holder)}`;

/** Stores a delivery, in place of what an earlier try of it has stored. */
export const storeDelivery = (holder: string, delivery: WebhookDelivery): Sql => {
  const { webhook, sequence, event, height, state, tries, status, response, error, time } = delivery;
  return sql`INSERT INTO webhook_deliveries (webhook, sequence, event, height, state, tries, status, response, error, time)
    SELECT id, CAST(${sequence} AS BIGINT), ${event}, CAST(${height} AS BIGINT), ${state}, CAST(${BigInt(tries)} AS BIGINT),
      CAST(${status === null ? null : BigInt(status)} AS BIGINT), ${response}, ${error}, CAST(${BigInt(time)} AS BIGINT)
    FROM webhooks WHERE id = ${webhook} AND ${holdsLease(holder)}
    ON CONFLICT (webhook, sequence) DO UPDATE SET state = excluded.state, tries = excluded.tries, status = excluded.status,
      response = excluded.response, error = excluded.error, time = excluded.time`;
};

/** Removes the deliveries of a webhook up to a sequence. */
export const dropDeliveries = (id: string, upTo: bigint): Sql =>
  sql`DELETE FROM webhook_deliveries WHERE webhook = ${id} AND sequence <= ${upTo}`;

/** The sequence of an event that was delivered before. */
export const sequenceOf = (id: string, event: string): Sql =>
  sql`SELECT sequence FROM webhook_deliveries WHERE webhook = ${id} AND event = ${event}`;
