import type { Archive } from '../archive/setup/archive.ts';
import { isChainError } from '../chain/base/errors.ts';
import { headerTimeText } from '../chain/base/time.ts';
import type { Client } from '../chain/client.ts';
import type { Limits } from '../config/limits/limits.ts';
import type { NamedDocuments } from '../graphql/documents/requestParams.ts';
import type { Engine } from '../graphql/engine/engine.ts';
import { badInput, RequestError } from '../reads/errors.ts';
import type { Rates } from '../server/rateLimits/rates.ts';
import { attempt } from './attempt.ts';
import { createDeliveries, type Deliveries, type DeliveriesOptions, type ScopesOf } from './deliveries.ts';
import { createKeySafe } from './keys.ts';
import { createNetwork, type Lookup } from './network.ts';
import { createWebhookStreams } from './streams.ts';
import { createWebhooks } from './webhooks.ts';

/** How a server delivers webhooks. */
export interface WebhookSettings {
  /** Encrypts the keys of webhooks. All servers on one archive have the same. */
  readonly secret: string;
  /** Networks besides the public ones that receivers may be in. */
  readonly networks: readonly string[];
  /** Resolves the hosts of receivers. By default, the resolver of the system. */
  readonly lookup?: Lookup | undefined;
  /** The waits between tries, in ms. By default those of the documentation. */
  readonly schedule?: DeliveriesOptions['schedule'];
}

/** The longest read of a block time, in ms. */
const readTimeout = 15_000;

/** Serves the webhooks of an archive, and begins to compete for delivering them. The archive then has them. */
export function startWebhooks(options: {
  readonly client: Client;
  readonly archive: Archive;
  readonly engine: Engine;
  readonly rates: Rates;
  readonly limits: Limits;
  readonly documents: NamedDocuments;
  readonly settings: WebhookSettings;
  readonly scopesOf: ScopesOf;
  readonly report: (error: unknown) => void;
}): Deliveries {
  const { client, archive, limits, documents, settings, scopesOf, report } = options;
  const network = createNetwork(settings.networks, settings.lookup);
  const safe = createKeySafe(settings.secret);
  const streams = createWebhookStreams(options);
  const tryOnce: DeliveriesOptions['attempt'] = (url, headers, body) =>
    attempt({ network, timeout: limits['webhooks.timeout'], maxBytes: limits['webhooks.response'] }, url, headers, body);
  const deliveries = createDeliveries({
    ...{ archive, safe, streams, scopesOf, report },
    attempt: tryOnce,
    timeAt: async (height) =>
      client.head.timeAt(height) ?? headerTimeText(await client.timeOf(height, AbortSignal.timeout(readTimeout))),
    kept: limits['webhooks.deliveries'],
    maxConnections: limits['webhooks.connections'],
    maxBytes: limits['webhooks.bytes'],
    newest: () => client.head.current()?.height,
    ...(settings.schedule && { schedule: settings.schedule }),
  });
  archive.webhooks = createWebhooks({
    ...{ archive, streams, network, safe, limits },
    attempt: tryOnce,
    documentOf({ document, documentId }, { scopes }) {
      if ((document == null) === (documentId == null))
        throw badInput('document', '', 'present if there is no `documentId`, and only then');
      const namedDocument = documents.find(
        { query: document ?? undefined, documentId: documentId ?? undefined, extensions: undefined },
        scopes,
      );
      if (namedDocument instanceof RequestError) throw namedDocument;
      return namedDocument.named ?? document ?? '';
    },
    async newest() {
      const current = client.head.current();
      if (current !== undefined) return current.height;
      const { height } = await client.head
        .ready({ signal: AbortSignal.timeout(limits['request.deadline']) })
        .catch((error: unknown) => {
          if (isChainError(error)) throw error;
          throw new RequestError('WEBHOOKS_UNAVAILABLE', 'No node has responded yet. Retry later.', {});
        });
      return height;
    },
    onChange: deliveries.poke,
  });
  return deliveries;
}
