import { archiveOf } from '../../archive/setup/archive.ts';
import {
  deliveryStates,
  type NewWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookInput,
  type WebhookKeys,
  type Webhooks,
  type WebhookTry,
  type WebhookUpdate,
  webhookReasons,
  webhookSignings,
  webhookStates,
} from '../../archive/webhooks.ts';
import { fromMilliseconds } from '../../chain/base/time.ts';
import type { Client } from '../../chain/client.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import {
  type Builder,
  createInputRef,
  createRef,
  enumValues,
  liveField,
  nonNull,
  nonNullList,
  usesContext,
  webhooksField,
} from '../../schema/builder.ts';

type ShownWebhook = Webhook & { readonly keys?: WebhookKeys; readonly lag: bigint | null };

const WebhookRef = createRef<ShownWebhook>('Webhook');
const PayloadRef = createRef<{ readonly webhook: ShownWebhook }>('WebhookPayload');
const DeletedRef = createRef<{ readonly id: string }>('DeletedWebhook');
const DeliveryRef = createRef<WebhookDelivery>('WebhookDelivery');
const TestRef = createRef<WebhookTry>('WebhookTest');
const CreateRef = createInputRef<WebhookInput>('CreateWebhookInput');
const UpdateRef = createInputRef<WebhookUpdate>('UpdateWebhookInput');

/** The most deliveries in one answer. */
const mostDeliveries = 100;

/** What serves webhooks. Throws WEBHOOKS_UNAVAILABLE if this server does not. */
export function webhooksOf(client: Pick<Client, 'archive'>): Webhooks {
  const webhooks = archiveOf(client.archive())?.webhooks;
  if (webhooks !== undefined) return webhooks;
  throw new RequestError(
    'WEBHOOKS_UNAVAILABLE',
    'This server delivers no webhooks: it has no archive, or its archive is a database that servers share and --shared-secret is missing.',
    {},
  );
}

/** A webhook with the blocks that it is behind. */
export function shownWebhook(webhook: Webhook, newest: bigint | undefined, keys?: WebhookKeys): ShownWebhook {
  const lag = newest === undefined ? null : newest - webhook.height;
  return { ...webhook, lag: lag !== null && lag < 0n ? 0n : lag, ...(keys && { keys }) };
}

/** Checks the size of a page of deliveries. Throws BAD_USER_INPUT. */
export function deliveriesInput(first: number): number {
  if (first >= 1 && first <= mostDeliveries) return first;
  throw badInput('first', String(first), `an integer from 1 to ${mostDeliveries}`);
}

const dateTime = (milliseconds: number | null) => (milliseconds === null ? null : fromMilliseconds(milliseconds));

function addTypes(builder: Builder) {
  const State = builder.enumType('WebhookState', {
    description: 'Whether a webhook delivers.',
    values: {
      ...enumValues(webhookStates),
      ACTIVE: { description: 'It delivers.' },
      PAUSED: { description: 'It waits until `pauseWebhook` continues it. Nothing is lost.' },
      DISABLED: { description: 'The receiver responded with 410. `pauseWebhook` can continue it.' },
    },
  });
  const Reason = builder.enumType('WebhookReason', {
    description: 'Why a webhook does not deliver.',
    values: {
      ...enumValues(webhookReasons),
      OWNER: { description: 'Its owner paused it.' },
      RECEIVER_FAILED: { description: 'The last try of a delivery failed.' },
      RECEIVER_GONE: { description: 'The receiver responded with 410.' },
      CLIENT_DELETED: { description: 'The client that created it was deleted.' },
      SCOPE_REVOKED: { description: 'The client that created it has lost a scope.' },
      STREAM_ENDED: { description: 'Its subscription is complete.' },
      STREAM_FAILED: { description: 'Its document cannot be executed any more. `message` has the reason.' },
    },
  });
  const Signing = builder.enumType('WebhookSigning', {
    description: 'How deliveries are signed, by the Standard Webhooks specification.',
    values: {
      ...enumValues(webhookSignings),
      ED25519: { description: 'With a private key (`v1a`). The receiver verifies with `publicKey`, which is no secret.' },
      HMAC: { description: 'With a secret that the receiver has too (`v1`).' },
    },
  });
  const DeliveryState = builder.enumType('WebhookDeliveryState', {
    description: 'What came of a delivery.',
    values: {
      ...enumValues(deliveryStates),
      DELIVERED: { description: 'The receiver responded with 2xx.' },
      RETRYING: { description: 'The last try failed. It is tried again.' },
      FAILED: { description: 'The last of all tries failed, and the webhook was stopped.' },
    },
  });
  builder.objectType(WebhookRef, {
    description: 'A webhook: each event of a subscription or live query is sent to a URL.',
    fields: (t) => ({
      id: t.expose('id', nonNull('ID', 'Its id.')),
      url: t.expose('url', nonNull('String', 'Where deliveries are sent.')),
      description: t.expose('description', nonNull('String', 'The text of its owner; empty if there is none.')),
      document: t.expose('document', nonNull('String', 'The subscription, or the query with `@live`.')),
      operationName: t.expose('operationName', {
        type: 'String',
        description: 'The operation of the document; null if it has only one.',
      }),
      variables: t.field({
        ...nonNull('JSON', 'The variables.'),
        resolve: ({ variables }): unknown => JSON.parse(variables),
      }),
      signing: t.expose('signing', nonNull(Signing, 'How deliveries are signed.')),
      secret: t.field({
        type: 'String',
        description: 'The secret `whsec_…` of HMAC, right after it was made. null otherwise.',
        resolve: ({ keys }) => keys?.secret ?? null,
      }),
      publicKey: t.field({
        type: 'String',
        description: 'The public key `whpk_…` of ED25519, right after it was made. null otherwise.',
        resolve: ({ keys }) => keys?.publicKey ?? null,
      }),
      state: t.expose('state', nonNull(State, 'Whether it delivers.')),
      reason: t.expose('reason', { type: Reason, description: 'Why it does not deliver; null if it does.' }),
      message: t.expose('message', {
        type: 'String',
        description: 'What happened when it was stopped; null if it delivers or its owner paused it.',
      }),
      createdAt: t.field({
        ...nonNull('DateTime', 'When it was created.'),
        resolve: ({ created }) => fromMilliseconds(created),
      }),
      height: t.expose('height', nonNull('Int64', 'All events up to this height are delivered.')),
      lag: t.expose('lag', {
        type: 'Int64',
        description: 'Blocks from `height` to the newest block; null while that is not known.',
      }),
      sequence: t.expose('sequence', nonNull('Int64', 'The number of delivered events, each counted once.')),
      deliveredAt: t.field({
        type: 'DateTime',
        description: 'When an event was last delivered; null if none was.',
        resolve: ({ delivered }) => dateTime(delivered),
      }),
      tries: t.expose('tries', nonNull('Int', 'Failed tries of the next event.')),
      nextTryAt: t.field({
        type: 'DateTime',
        description: 'When the next event is tried again; null if no try of it has failed.',
        resolve: ({ nextTry }) => dateTime(nextTry),
      }),
    }),
  });
  builder.objectType(PayloadRef, {
    description: 'A webhook after a change.',
    fields: (t) => ({ webhook: t.expose('webhook', nonNull(WebhookRef, 'The webhook.')) }),
  });
  builder.objectType(DeletedRef, {
    description: 'A webhook that was deleted.',
    fields: (t) => ({ id: t.expose('id', nonNull('ID', 'Its id.')) }),
  });
  builder.objectType(DeliveryRef, {
    description: 'One of the last deliveries of a webhook.',
    fields: (t) => ({
      webhookId: t.expose('webhook', nonNull('ID', 'The id of the webhook.')),
      eventId: t.expose('event', nonNull('ID', 'The id of the event, `webhook-id` of the delivery.')),
      sequence: t.expose('sequence', nonNull('Int64', 'The number of the event, from 1, without gaps.')),
      height: t.expose('height', nonNull('Int64', 'The height of the event.')),
      state: t.expose('state', nonNull(DeliveryState, 'What came of it.')),
      tries: t.expose('tries', nonNull('Int', 'Tries so far.')),
      responseStatus: t.expose('status', {
        type: 'Int',
        description: 'The HTTP status of the last response; null if there was none.',
      }),
      response: t.expose('response', {
        type: 'String',
        description: 'The first 200 printable characters of the last response; null if there was none.',
      }),
      error: t.expose('error', { type: 'String', description: 'Why there was no response; null if there was one.' }),
      time: t.field({ ...nonNull('DateTime', 'When it was last tried.'), resolve: ({ time }) => fromMilliseconds(time) }),
    }),
  });
  builder.objectType(TestRef, {
    description: 'What came of a test.',
    fields: (t) => ({
      responseStatus: t.expose('status', { type: 'Int', description: 'The HTTP status; null if there was no response.' }),
      response: t.expose('response', {
        type: 'String',
        description: 'The first 200 printable characters of the response; null if there was none.',
      }),
      error: t.expose('error', { type: 'String', description: 'Why there was no response; null if there was one.' }),
      milliseconds: t.expose('milliseconds', nonNull('Int', 'How long it took.')),
    }),
  });
  builder.inputType(CreateRef, {
    description: 'A new webhook.',
    fields: (t) => ({
      url: t.string({ required: true, description: 'An https URL at a public address.' }),
      document: t.string({
        description:
          'A subscription that takes `after`, or a query with `@live`. Pass it or `documentId`. It reads with the scopes of the token.',
      }),
      documentId: t.string({ description: 'The id of a trusted document.' }),
      operationName: t.string({ description: 'The operation, if the document has several.' }),
      variables: t.field({ type: 'JSON', description: 'The variables, an object.' }),
      after: t.field({
        type: 'Int64',
        description: 'Begin after this height, so that history is delivered first. Default: the newest block.',
      }),
      description: t.string({ description: 'A text for its owner, of at most 500 characters.' }),
      signing: t.field({ type: Signing, description: 'How deliveries are signed. Default: ED25519.' }),
    }),
  });
  builder.inputType(UpdateRef, {
    description: 'What changes. What is absent or null stays.',
    fields: (t) => ({
      url: t.string(),
      document: t.string({ description: 'Events after `height` are those of the new document.' }),
      operationName: t.string(),
      variables: t.field({ type: 'JSON' }),
      description: t.string(),
    }),
  });
  return { DeliveryState };
}

/** Adds the webhooks of the caller: `webhooks`, `webhook`, `webhookDeliveries`, and the mutations that change them. */
export function addWebhooks(builder: Builder): void {
  const { DeliveryState } = addTypes(builder);
  const newestOf = (root: Pinned<object>): bigint | undefined => pinOf(root).client.head.current()?.height;
  const withLag = (root: Pinned<object>, webhook: Webhook): ShownWebhook => shownWebhook(webhook, newestOf(root));
  const created = (root: Pinned<object>, { webhook, keys }: NewWebhook) => ({
    webhook: shownWebhook(webhook, newestOf(root), keys),
  });
  const query = { ...liveField, ...webhooksField };

  builder.queryFields((t) => ({
    webhooks: t.field({
      ...nonNullList(WebhookRef, 'The webhooks of the caller, in the order of their creation. Not read at a height.'),
      extensions: query,
      resolve: usesContext(async (root, _args, { viewer }) =>
        (await webhooksOf(pinOf(root).client).list(viewer)).map((webhook) => withLag(root, webhook)),
      ),
    }),
    webhook: t.field({
      type: WebhookRef,
      description: 'A webhook of the caller; null if it has none with this id. Not read at a height.',
      args: { id: t.arg.id({ required: true }) },
      extensions: query,
      resolve: usesContext(async (root, { id }, { viewer }) => {
        const webhook = await webhooksOf(pinOf(root).client).find(viewer, String(id));
        return webhook && withLag(root, webhook);
      }),
    }),
    webhookDeliveries: t.field({
      ...nonNullList(
        DeliveryRef,
        'The last deliveries of the webhooks of the caller, the newest first. Of each webhook, the last `webhooks.deliveries` are kept. Not read at a height.',
      ),
      args: {
        webhook: t.arg.id({ description: 'Those of this webhook only.' }),
        status: t.arg({ type: DeliveryState }),
        after: t.arg({ type: 'Int64', description: 'Those before this sequence: the last one of the previous page.' }),
        first: t.arg.int({ defaultValue: 20, description: 'From 1 to 100.' }),
      },
      extensions: query,
      resolve: usesContext((root, { webhook, status, after, first }, { viewer }) =>
        webhooksOf(pinOf(root).client).deliveries(viewer, {
          webhook: webhook == null ? null : String(webhook),
          state: status,
          before: after,
          first: deliveriesInput(first ?? 20),
        }),
      ),
    }),
  }));

  builder.mutationFields((t) => ({
    createWebhook: t.field({
      ...nonNull(
        PayloadRef,
        'Creates a webhook of the caller. The secret or public key is shown once, here. Fails with RATE_LIMITED over `webhooks.count`.',
      ),
      args: { input: t.arg({ type: CreateRef, required: true }) },
      extensions: webhooksField,
      resolve: usesContext(async (root, { input }, { viewer }) =>
        created(root, await webhooksOf(pinOf(root).client).create(viewer, input)),
      ),
    }),
    updateWebhook: t.field({
      ...nonNull(PayloadRef, 'Changes a webhook of the caller.'),
      args: { id: t.arg.id({ required: true }), input: t.arg({ type: UpdateRef, required: true }) },
      extensions: webhooksField,
      resolve: usesContext(async (root, { id, input }, { viewer }) => ({
        webhook: withLag(root, await webhooksOf(pinOf(root).client).update(viewer, String(id), input)),
      })),
    }),
    pauseWebhook: t.field({
      ...nonNull(PayloadRef, 'Pauses a webhook of the caller, or continues it from its height if `paused` is false.'),
      args: { id: t.arg.id({ required: true }), paused: t.arg.boolean({ defaultValue: true }) },
      extensions: webhooksField,
      resolve: usesContext(async (root, { id, paused }, { viewer }) => ({
        webhook: withLag(root, await webhooksOf(pinOf(root).client).pause(viewer, String(id), paused ?? true)),
      })),
    }),
    deleteWebhook: t.field({
      ...nonNull(DeletedRef, 'Deletes a webhook of the caller.'),
      args: { id: t.arg.id({ required: true }) },
      extensions: webhooksField,
      resolve: usesContext(async (root, { id }, { viewer }) => ({
        id: await webhooksOf(pinOf(root).client).delete(viewer, String(id)),
      })),
    }),
    rotateWebhookSecret: t.field({
      ...nonNull(
        PayloadRef,
        'Makes a new key for a webhook of the caller, and shows it once. Deliveries have a signature of the old key too for 24 hours.',
      ),
      args: { id: t.arg.id({ required: true }) },
      extensions: webhooksField,
      resolve: usesContext(async (root, { id }, { viewer }) =>
        created(root, await webhooksOf(pinOf(root).client).rotate(viewer, String(id))),
      ),
    }),
    testWebhook: t.field({
      ...nonNull(
        TestRef,
        'Sends a delivery with `"test": true` and without an event to a webhook of the caller, once and now.',
      ),
      args: { id: t.arg.id({ required: true }) },
      extensions: webhooksField,
      resolve: usesContext((root, { id }, { viewer }) => webhooksOf(pinOf(root).client).test(viewer, String(id))),
    }),
    redeliver: t.field({
      ...nonNull(
        PayloadRef,
        'Delivers the events of these heights again to a webhook of the caller, with the same ids, before it continues with new ones.',
      ),
      args: {
        webhook: t.arg.id({ required: true }),
        from: t.arg({ type: 'Int64', required: true }),
        to: t.arg({ type: 'Int64', required: true, description: 'At most `height` of the webhook.' }),
      },
      extensions: webhooksField,
      resolve: usesContext(async (root, { webhook, from, to }, { viewer }) => ({
        webhook: withLag(root, await webhooksOf(pinOf(root).client).redeliver(viewer, String(webhook), from, to)),
      })),
    }),
  }));
}
