import { z } from 'zod';
import {
  deliveryStates,
  type Webhook,
  type WebhookDelivery,
  type WebhookKeys,
  type Webhooks,
  type WebhookTry,
  webhookReasons,
  webhookSignings,
  webhookStates,
} from '../../archive/webhooks.ts';
import { deliveriesInput, shownWebhook } from '../../modules/webhooks/schema.ts';
import { badInput } from '../../reads/errors.ts';
import { idInput } from '../../reads/input.ts';
import type { Viewer } from '../../reads/viewer.ts';
import { height, objectOf, orNull, time } from './schemas.ts';

const webhookFields = {
  id: z.string(),
  url: z.string().describe('Where deliveries are sent.'),
  description: z.string().describe('The text of its owner; empty if there is none.'),
  document: z.string().describe('The subscription, or the query with `@live`.'),
  operationName: orNull(z.string(), 'The operation of the document; null if it has only one.'),
  variables: z.record(z.string(), z.unknown()).describe('The variables.'),
  signing: z.enum(webhookSignings).describe('How deliveries are signed.'),
  secret: orNull(z.string(), 'The secret `whsec_…` of HMAC, right after it was made. null otherwise.'),
  publicKey: orNull(z.string(), 'The public key `whpk_…` of ED25519, right after it was made. null otherwise.'),
  state: z.enum(webhookStates).describe('Whether it delivers.'),
  reason: orNull(z.enum(webhookReasons), 'Why it does not deliver; null if it does.'),
  message: orNull(z.string(), 'What happened when it was stopped; null if it delivers or its owner paused it.'),
  createdAt: time.describe('When it was created.'),
  height: height.describe('All events up to this height are delivered.'),
  lag: orNull(height, 'Blocks from `height` to the newest block; null while that is not known.'),
  sequence: height.describe('The number of delivered events, each counted once.'),
  deliveredAt: orNull(time, 'When an event was last delivered; null if none was.'),
  tries: z.int().describe('Failed tries of the next event.'),
  nextTryAt: orNull(time, 'When the next event is tried again; null if no try of it has failed.'),
};
const webhookSchema = objectOf('A webhook: each event of a subscription or live query is sent to a URL.', webhookFields);

const outcomeFields = {
  responseStatus: orNull(z.int(), 'The HTTP status of the response; null if there was none.'),
  response: orNull(z.string(), 'The first 200 printable characters of the response; null if there was none.'),
  error: orNull(z.string(), 'Why there was no response; null if there was one.'),
};
const testSchema = objectOf('What came of a test.', {
  ...outcomeFields,
  milliseconds: z.int().describe('How long it took.'),
});
const deliverySchema = objectOf('One of the last deliveries of a webhook.', {
  eventId: z.string().describe('The id of the event, `webhook-id` of the delivery.'),
  sequence: height.describe('The number of the event, from 1, without gaps.'),
  height: height.describe('The height of the event.'),
  state: z.enum(deliveryStates).describe('What came of it.'),
  tries: z.int().describe('Tries so far.'),
  ...outcomeFields,
  time: time.describe('When it was last tried.'),
});

const changes = {
  url: z.string().describe('An https URL at a public address.'),
  document: z
    .string()
    .optional()
    .describe('A subscription that takes `after`, or a query with `@live`. It reads with the scopes of the token.'),
  operationName: z.string().optional().describe('The operation, if the document has several.'),
  variables: z.record(z.string(), z.unknown()).optional().describe('The variables.'),
  description: z.string().optional().describe('A text for its owner, of at most 500 characters.'),
};
const newWebhook = objectOf('A new webhook, with `document` or `documentId`.', {
  ...changes,
  documentId: z.string().optional().describe('The id of a trusted document.'),
  after: height.optional().describe('Begin after this height, so that history is delivered first. Default: the newest block.'),
  signing: z.enum(webhookSignings).optional().describe('How deliveries are signed. Default: ED25519.'),
});
const changedWebhook = objectOf('What changes. What is absent stays.', { ...changes, url: changes.url.optional() });
const pause = objectOf('Whether it pauses.', {
  paused: z.boolean().optional().describe('false continues it from its height. Default: true.'),
});
const heights = objectOf('The heights whose events are delivered again.', {
  from: height.describe('The first height.'),
  to: height.describe('The last height, at most `height` of the webhook.'),
});

/** The schemas of webhooks, by the names of their components in OpenAPI. */
export const webhookSchemas = {
  Webhook: webhookSchema,
  Webhooks: z.object({ items: z.array(webhookSchema).describe('In the order of their creation.') }),
  WebhookDeliveries: z.object({ items: z.array(deliverySchema).describe('The newest first.') }),
  WebhookTest: testSchema,
  DeletedWebhook: z.object({ id: z.string() }),
  WebhookInput: newWebhook,
  WebhookChanges: changedWebhook,
  WebhookPause: pause,
  WebhookHeights: heights,
} as const;

/** A request for webhooks. */
interface WebhookRequest {
  readonly webhooks: Webhooks;
  readonly viewer: Viewer;
  /** The newest block; undefined while it is not known. */
  readonly newest: bigint | undefined;
  /** The id in the path, which is that of a webhook of the viewer. Empty if the path has none. */
  readonly id: string;
  /** The webhook with this id; undefined if the path has none. */
  readonly webhook: Webhook | undefined;
  /** The body; an empty object if there is none. */
  readonly body: unknown;
  readonly query: URLSearchParams;
}

/** A route of `/v1/webhooks`, for both the handler and the OpenAPI description. Every route needs the scope `webhooks`. */
export interface WebhookRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** What follows `/v1/webhooks`: '', '/{id}', or '/{id}/name'. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The name of the schema of its body. Absent if it takes none. */
  readonly body?: keyof typeof webhookSchemas;
  /** The parameters of the query, with their schemas in OpenAPI. Absent if it takes none. */
  readonly query?: Readonly<Record<string, { readonly schema: object; readonly description: string }>>;
  /** The name of the schema of its response. */
  readonly response: keyof typeof webhookSchemas;
  /** The status of a success: 200 by default. */
  readonly status?: 201;
  answer(request: WebhookRequest): Promise<object>;
}

const timeOf = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString();

function jsonOf(webhook: Webhook, newest: bigint | undefined, keys?: WebhookKeys): object {
  const { lag } = shownWebhook(webhook, newest);
  const { id, url, description, document, operationName, variables, signing, state, reason, message, tries } = webhook;
  return {
    ...{ id, url, description, document, operationName, variables: JSON.parse(variables), signing },
    ...{ secret: keys?.secret ?? null, publicKey: keys?.publicKey ?? null },
    ...{ state, reason, message, createdAt: timeOf(webhook.created) },
    ...{ height: webhook.height.toString(), lag: lag?.toString() ?? null, sequence: webhook.sequence.toString() },
    ...{ deliveredAt: timeOf(webhook.delivered), tries, nextTryAt: timeOf(webhook.nextTry) },
  };
}

const outcomeOf = ({ status, response, error }: WebhookTry | WebhookDelivery): object => ({
  responseStatus: status,
  response,
  error,
});

function deliveryOf(delivery: WebhookDelivery): object {
  const { event, sequence, height: at, state, tries } = delivery;
  return {
    ...{ eventId: event, sequence: sequence.toString(), height: at.toString(), state, tries },
    ...outcomeOf(delivery),
    time: timeOf(delivery.time),
  };
}

/** What a member of a body must be. The strings with a format are heights. */
function boundOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_type') return `a JSON ${issue.expected === 'record' ? 'object' : issue.expected}`;
  return issue?.code === 'invalid_value' ? `one of ${issue.values.join(', ')}` : 'a whole number, in decimal';
}

/** A body by its schema. Throws BAD_USER_INPUT with the name of the first member that is wrong. */
function bodyOf<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsedBody = schema.safeParse(body, { reportInput: true });
  if (parsedBody.success) return parsedBody.data;
  const [issue] = parsedBody.error.issues;
  throw badInput(issue?.path.join('.') || 'body', typeof issue?.input === 'string' ? issue.input : '', boundOf(issue));
}

const heightIn = (name: string, text: string): bigint => idInput(name, text, { least: 0n, most: 2n ** 63n - 1n });

function queryOf(query: URLSearchParams): Parameters<Webhooks['deliveries']>[1] {
  const [status, after, first] = ['status', 'after', 'first'].map((name) => query.get(name));
  const state = deliveryStates.find((each) => each === status) ?? null;
  if (status != null && state === null) throw badInput('status', status, `one of ${deliveryStates.join(', ')}`);
  return {
    state,
    before: after == null ? null : heightIn('after', after),
    first: deliveriesInput(first == null ? 20 : Number(first)),
  };
}

/** The routes of `/v1/webhooks`. Each does what the field of GraphQL with its name does. */
export const webhookRoutes: readonly WebhookRoute[] = [
  {
    method: 'GET',
    path: '',
    operationId: 'getWebhooks',
    summary: 'The webhooks of the caller',
    description: 'Lists the webhooks of the subject of the token, in the order of their creation. Not read at a height.',
    response: 'Webhooks',
    answer: async ({ webhooks, viewer, newest }) => ({
      items: (await webhooks.list(viewer)).map((webhook) => jsonOf(webhook, newest)),
    }),
  },
  {
    method: 'POST',
    path: '',
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Creates a webhook of the subject of the token. The secret or public key is shown once, here. Fails with RATE_LIMITED over `webhooks.count`.',
    body: 'WebhookInput',
    response: 'Webhook',
    status: 201,
    async answer({ webhooks, viewer, newest, body }) {
      const { after, ...input } = bodyOf(newWebhook, body);
      const created = await webhooks.create(viewer, {
        ...input,
        after: after === undefined ? null : heightIn('after', after),
      });
      return jsonOf(created.webhook, newest, created.keys);
    },
  },
  {
    method: 'GET',
    path: '/{id}',
    operationId: 'getWebhook',
    summary: 'A webhook',
    description: 'Returns a webhook with its state and the blocks that it is behind. Not read at a height.',
    response: 'Webhook',
    answer: async ({ webhook, newest }) => (webhook === undefined ? {} : jsonOf(webhook, newest)),
  },
  {
    method: 'PATCH',
    path: '/{id}',
    operationId: 'updateWebhook',
    summary: 'Change a webhook',
    description: 'Changes what the body has. Events after `height` are those of a new document.',
    body: 'WebhookChanges',
    response: 'Webhook',
    answer: async ({ webhooks, viewer, newest, id, body }) =>
      jsonOf(await webhooks.update(viewer, id, bodyOf(changedWebhook, body)), newest),
  },
  {
    method: 'DELETE',
    path: '/{id}',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes a webhook with its deliveries.',
    response: 'DeletedWebhook',
    answer: async ({ webhooks, viewer, id }) => ({ id: await webhooks.delete(viewer, id) }),
  },
  {
    method: 'POST',
    path: '/{id}/pause',
    operationId: 'pauseWebhook',
    summary: 'Pause or continue a webhook',
    description: 'Pauses a webhook, or continues one in any state from its height if `paused` is false. Nothing is lost.',
    body: 'WebhookPause',
    response: 'Webhook',
    answer: async ({ webhooks, viewer, newest, id, body }) =>
      jsonOf(await webhooks.pause(viewer, id, bodyOf(pause, body).paused ?? true), newest),
  },
  {
    method: 'POST',
    path: '/{id}/rotateSecret',
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the key of a webhook',
    description: 'Makes a new key and shows it once. Deliveries have a signature of the old key too for 24 hours.',
    response: 'Webhook',
    async answer({ webhooks, viewer, newest, id }) {
      const rotatedWebhook = await webhooks.rotate(viewer, id);
      return jsonOf(rotatedWebhook.webhook, newest, rotatedWebhook.keys);
    },
  },
  {
    method: 'POST',
    path: '/{id}/test',
    operationId: 'testWebhook',
    summary: 'Send a test',
    description: 'Sends a delivery with `"test": true` and without an event, once and now, and returns the response.',
    response: 'WebhookTest',
    async answer({ webhooks, viewer, id }) {
      const outcome = await webhooks.test(viewer, id);
      return { ...outcomeOf(outcome), milliseconds: outcome.milliseconds };
    },
  },
  {
    method: 'POST',
    path: '/{id}/redeliver',
    operationId: 'redeliver',
    summary: 'Deliver events again',
    description: 'Delivers the events of these heights again, with the same ids, before it continues with new ones.',
    body: 'WebhookHeights',
    response: 'Webhook',
    async answer({ webhooks, viewer, newest, id, body }) {
      const { from, to } = bodyOf(heights, body);
      return jsonOf(await webhooks.redeliver(viewer, id, heightIn('from', from), heightIn('to', to)), newest);
    },
  },
  {
    method: 'GET',
    path: '/{id}/deliveries',
    operationId: 'getWebhookDeliveries',
    summary: 'The last deliveries of a webhook',
    description: 'Lists the last deliveries, the newest first. The last `webhooks.deliveries` are kept. Not read at a height.',
    query: {
      status: { schema: { type: 'string', enum: deliveryStates }, description: 'Those of this state only.' },
      after: {
        schema: { type: 'string', pattern: '^[0-9]+$' },
        description: 'Those before this sequence: the last one of the previous page.',
      },
      first: { schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, description: 'How many.' },
    },
    response: 'WebhookDeliveries',
    answer: async ({ webhooks, viewer, id, query }) => ({
      items: (await webhooks.deliveries(viewer, { ...queryOf(query), webhook: id })).map(deliveryOf),
    }),
  },
];
