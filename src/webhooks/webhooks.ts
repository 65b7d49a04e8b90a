import { randomBytes, randomUUID } from 'node:crypto';
import { DatabaseError, type Row, type Sql } from '../archive/database/database.ts';
import type { Archive } from '../archive/setup/archive.ts';
import {
  beginChange,
  deleteWebhook,
  deliveryIn,
  insertWebhook,
  ownDeliveries,
  ownWebhook,
  ownWebhooks,
  pauseWebhook,
  removeOver,
  replayWebhook,
  type StoredWebhook,
  updateWebhook,
  webhookIn,
} from '../archive/store/webhooks.ts';
import type { WebhookInput, Webhooks } from '../archive/webhooks.ts';
import type { Limits } from '../config/limits/limits.ts';
import { badInput, RequestError } from '../reads/errors.ts';
import type { Viewer } from '../reads/viewer.ts';
import type { Attempt } from './attempt.ts';
import { createRing, type KeySafe, rotated, shownKeys, signerOf } from './keys.ts';
import type { Network } from './network.ts';
import { isFinal, type WebhookStreams } from './streams.ts';

/** The longest description, in characters, and the most bytes of variables. */
const [longestDescription, mostVariables] = [500, 16 * 1024];

export interface WebhooksOptions {
  readonly archive: Pick<Archive, 'read' | 'change'>;
  readonly streams: Pick<WebhookStreams, 'check'>;
  readonly network: Pick<Network, 'checkUrl'>;
  readonly safe: KeySafe;
  readonly limits: Limits;
  readonly attempt: (url: string, headers: Readonly<Record<string, string>>, body: string) => Promise<Attempt>;
  /** The text of a trusted document by its id, or of any document that may be used. Throws a `RequestError`. */
  readonly documentOf: (input: Pick<WebhookInput, 'document' | 'documentId'>, viewer: Viewer) => string;
  /** The newest block. Rejects if no node can be reached. */
  readonly newest: () => Promise<bigint>;
  /** Called after each change. */
  readonly onChange: () => void;
  readonly now?: () => number;
}

const notFound = (id: string): RequestError => badInput('id', id, 'the id of a webhook of yours');

/** Whose webhooks a viewer sees. Anybody can have a token of a public client, so that has none. */
function ownerOf(viewer: Viewer): string {
  if (viewer.isPublic === true || viewer.isAnonymous === true)
    throw new RequestError('FORBIDDEN', 'A webhook needs the token of a client of its own.', { scope: 'webhooks' });
  return viewer.subject;
}

function variablesText(variables: unknown): string {
  if (variables === undefined || variables === null) return '{}';
  const text = typeof variables === 'object' && !Array.isArray(variables) ? JSON.stringify(variables) : '';
  if (text === '' || Buffer.byteLength(text) > mostVariables)
    throw badInput('variables', '', `an object of at most ${mostVariables} bytes of JSON`);
  return text;
}

function descriptionText(description: string | null | undefined): string {
  if ((description?.length ?? 0) > longestDescription)
    throw badInput('description', description ?? '', `at most ${longestDescription} characters`);
  return description ?? '';
}

/** Creates what users do with webhooks. All state is in the database of the archive, so any server on it answers. */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { archive, streams, network, safe, limits, attempt, documentOf, newest, onChange, now = Date.now } = options;

  /** What the database does for a user, with its failures as errors for the user. */
  async function inDatabase<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      throw new RequestError(
        'ARCHIVE_UNAVAILABLE',
        'The database of the webhooks cannot be used at the moment. Retry later.',
        {},
      );
    }
  }

  const read = ({ text, values }: Sql): Promise<readonly Row[]> => inDatabase(() => archive.read(text, values));

  async function change(...statements: readonly Sql[]): Promise<readonly (readonly Row[])[]> {
    const [, ...results] = await inDatabase(() => archive.change([beginChange, ...statements]));
    onChange();
    return results;
  }

  async function found(viewer: Viewer, id: string): Promise<StoredWebhook> {
    const [row] = await read(ownWebhook(ownerOf(viewer), id));
    if (row === undefined) throw notFound(id);
    return webhookIn(row);
  }

  /** Changes a webhook of the viewer with a statement that returns its id, and returns it as it is afterwards. */
  async function changed(viewer: Viewer, id: string, statement: Sql): Promise<StoredWebhook> {
    const [rows = []] = await change(statement);
    if (rows.length === 0) throw notFound(id);
    return found(viewer, id);
  }

  /** Throws why the stream of a webhook cannot be opened. What may pass, as a node that cannot be reached, is no reason. */
  async function checkStream(webhook: StoredWebhook): Promise<void> {
    const error = await streams.check(webhook, webhook.place.height - 1n);
    if (error === undefined) return;
    if (error.code === 'RATE_LIMITED') throw new RequestError('RATE_LIMITED', error.message, {});
    if (!isFinal(error)) return;
    throw new RequestError(error.code === 'FORBIDDEN' ? 'FORBIDDEN' : 'BAD_USER_INPUT', `\`document\`: ${error.message}`, {
      argument: 'document',
      bound: 'a subscription that takes `after`, or a query with `@live`, which the token may run',
    });
  }

  return {
    async create(viewer, input) {
      const owner = ownerOf(viewer);
      const head = await newest();
      const after = input.after ?? head;
      if (after < 0n || after > head) throw badInput('after', after.toString(), `a height from 0 to ${head}`);
      const signing = input.signing ?? 'ED25519';
      const ring = createRing(signing);
      const webhook: StoredWebhook = {
        id: `wh_${randomBytes(16).toString('base64url')}`,
        ...{ owner, clientId: viewer.clientId, scopes: viewer.scopes, signing },
        url: network.checkUrl(input.url),
        description: descriptionText(input.description),
        document: documentOf(input, viewer),
        operationName: input.operationName ?? null,
        variables: variablesText(input.variables),
        keys: safe.seal(ring),
        ...{ state: 'ACTIVE', reason: null, message: null, created: Math.floor(now()), changed: 0n, isDeleted: false },
        height: after,
        place: { height: after + 1n, position: 0 },
        ...{ sequence: 0n, previous: null, delivered: null, tries: 0, nextTry: null, replay: null },
      };
      await checkStream(webhook);
      const max = limits['webhooks.count'];
      const [, removed = []] = await change(insertWebhook(webhook), removeOver(webhook.id, owner, max));
      if (removed.length > 0)
        throw new RequestError('RATE_LIMITED', `The limit webhooks.count of ${max} is reached. Delete another webhook first.`, {
          limit: 'webhooks.count',
          max,
        });
      return { webhook, keys: shownKeys(ring) };
    },
    async update(viewer, id, input) {
      const stored = await found(viewer, id);
      const isOther = input.document != null || input.operationName != null || input.variables != null;
      const webhook: StoredWebhook = {
        ...stored,
        ...(input.url != null && { url: network.checkUrl(input.url) }),
        ...(input.description != null && { description: descriptionText(input.description) }),
        ...(input.document != null && { document: documentOf({ document: input.document }, viewer) }),
        ...(input.operationName != null && { operationName: input.operationName }),
        ...(input.variables != null && { variables: variablesText(input.variables) }),
      };
      if (isOther) await checkStream(webhook);
      return changed(viewer, id, updateWebhook(stored.owner, webhook));
    },
    pause: (viewer, id, isPaused) => changed(viewer, id, pauseWebhook(ownerOf(viewer), id, isPaused)),
    async delete(viewer, id) {
      const [rows = []] = await change(deleteWebhook(ownerOf(viewer), id));
      if (rows.length === 0) throw notFound(id);
      return id;
    },
    async rotate(viewer, id) {
      const stored = await found(viewer, id);
      const ring = rotated(safe.open(stored.keys), stored.signing, now());
      const webhook = await changed(viewer, id, updateWebhook(stored.owner, { ...stored, keys: safe.seal(ring) }));
      return { webhook, keys: shownKeys(ring) };
    },
    async test(viewer, id) {
      const stored = await found(viewer, id);
      const event = `test_${randomUUID()}`;
      const time = new Date(now());
      const body = JSON.stringify({ id: event, webhook: id, test: true, time: time.toISOString(), data: null });
      const headers = {
        'webhook-id': event,
        'webhook-timestamp': Math.floor(time.getTime() / 1_000).toString(),
        'webhook-signature': signerOf(safe.open(stored.keys), now)(event, time, body),
      };
      const { status, response, error, milliseconds } = await attempt(stored.url, headers, body);
      return { status, response, error, milliseconds };
    },
    async redeliver(viewer, id, from, to) {
      const { height, owner } = await found(viewer, id);
      if (from < 1n || from > to || to > height)
        throw badInput('to', to.toString(), `a height from \`from\` to ${height}, up to which the webhook has delivered`);
      return changed(viewer, id, replayWebhook(owner, id, from, to));
    },
    list: async (viewer) => (await read(ownWebhooks(ownerOf(viewer)))).map(webhookIn),
    async find(viewer, id) {
      const [row] = await read(ownWebhook(ownerOf(viewer), id));
      return row === undefined ? null : webhookIn(row);
    },
    async deliveries(viewer, { webhook, state, before, first }) {
      const rows = await read(
        ownDeliveries(ownerOf(viewer), webhook ?? undefined, state ?? undefined, before ?? undefined, first),
      );
      return rows.map(deliveryIn);
    },
  };
}
