import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../answers/caller.ts';
import { noHeights, pickHeight } from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import { bufferBytes, objectBytes } from '../../chain/memory/memoryBudget.ts';
import { boundsOf, type Limits } from '../../config/limits/limits.ts';
import { createPin } from '../../reads/pin.ts';
import { refusalResponse } from '../../server/auth/bearer.ts';
import { Lifetime } from '../../server/lifetime.ts';
import {
  failureResponse,
  graphqlShape,
  limitReachedResponse,
  methodNotAllowed,
  notFound,
  rateLimitResponse,
  sendError,
} from '../../server/messages/errors.ts';
import { clientAddress, publicOrigin } from '../../server/messages/requestHeaders.ts';
import type { Rates } from '../../server/rateLimits/rates.ts';
import type { Handler, RequestContext } from '../../server/router.ts';
import { escapedText } from '../pages/escapedText.ts';
import { type BundledFile, sendFile } from '../pages/pages.ts';
import { type Card, govCard, groupCard, tallyText } from './card.ts';
import { createDrawings } from './drawings.ts';
import { height, width } from './picture.ts';

/** Points of what a card reads, and of drawing it, which takes a core for some 100 ms. */
const readPoints = 10;
const drawPoints = 500;

/** How long a page waits for its tags, in ms. It is sent without them then. */
const tagsWait = 500;

/** The longest description, in characters. Sites show less. */
const longestDescription = 300;

/** The kind and the id of a proposal in a path, for ids of 64 bits. */
const cardPath = /^\/cards\/(proposals|gov)\/([1-9]\d{0,18})\.png$/;
const pagePath = /^\/dashboard\/(proposals|gov)\/([1-9]\d{0,18})$/;

interface ProposalPath {
  readonly kind: string;
  readonly id: bigint;
}

function proposalIn(pattern: RegExp, path: string): ProposalPath | undefined {
  const [, kind, id] = pattern.exec(path) ?? [];
  return kind === undefined || id === undefined ? undefined : { kind, id: BigInt(id) };
}

/** What a site shows below the title: the state, the tally, the deadline, and the beginning of the summary. */
function descriptionOf(card: Card): string {
  const text = [card.state, tallyText(card), card.deadline, card.summary.replaceAll(/\s+/g, ' ').trim()]
    .filter((part) => part !== '')
    .join('. ');
  return text.length <= longestDescription ? text : `${text.slice(0, longestDescription - 1).toWellFormed()}…`;
}

/** The elements `meta` of a page with a card (Open Graph protocol, and Twitter's cards). */
function tagsOf(card: Card, { kind, id }: ProposalPath, site: string, origin: string): string {
  const properties = {
    'og:type': 'article',
    'og:site_name': site,
    'og:title': card.title || card.name,
    'og:description': descriptionOf(card),
    'og:url': `${origin}/dashboard/${kind}/${id}`,
    'og:image': `${origin}/cards/${kind}/${id}.png`,
    'og:image:type': 'image/png',
    'og:image:width': String(width),
    'og:image:height': String(height),
    'og:image:alt': `${card.name}: ${card.state}`,
  };
  const elements = Object.entries(properties).map(
    ([name, content]) => `<meta property="${name}" content="${escapedText(content)}">\n`,
  );
  return `${elements.join('')}<meta name="twitter:card" content="summary_large_image">\n`;
}

/**
 * Creates the cards of proposals: pictures at `/cards/proposals/{id}.png` and `/cards/gov/{id}.png`, which need the scope `read` as every other read of
 * the chain, and the tags for the pages of proposals. `site` is the name of the site in them.
 */
export function createCards(options: {
  readonly client: Client;
  readonly rates: Rates;
  readonly limits: Limits;
  readonly site: string;
  /** Logs each failure that callers do not see. */
  readonly report: (error: unknown) => void;
}) {
  const { client, rates, limits, site, report } = options;
  const bounds = boundsOf(limits);
  const drawings = createDrawings();
  const drawingNow = createInFlight<BundledFile>();
  /** The pictures by what is on them. */
  const files = client.memory.cache<BundledFile>(
    'answers',
    'cards',
    ({ plain }) => 2 * objectBytes + bufferBytes + plain.reduce((sum, { length }) => sum + length, 0),
  );

  /** The card at the newest height. null if there is no such proposal. */
  async function cardOf({ kind, id }: ProposalPath, lifetime: Lifetime, caller: Caller & { readonly name: string }) {
    const picked = await pickHeight(client, noHeights, limits, lifetime, caller);
    if ('error' in picked) throw picked.error;
    const pin = createPin(client, picked.height, { signal: lifetime, caller: caller.name, bounds });
    return (kind === 'gov' ? govCard : groupCard)(pin, id, limits['request.freshness']);
  }

  async function handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const { record, session, caller, path, arrived } = context;
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendError(response, methodNotAllowed, record);
    if (!session.viewer.scopes.includes('read'))
      return sendError(response, refusalResponse({ reason: 'noScope', scope: 'read' }), record);
    const proposal = proposalIn(cardPath, path);
    if (proposal === undefined) return sendError(response, notFound, record);
    const charge = async (points: number) => {
      record.cost = (record.cost ?? 0) + points;
      return caller.take(points);
    };
    // The router has charged 1 point already.
    const refusal = await charge(readPoints - 1);
    if (refusal !== undefined) return sendError(response, rateLimitResponse(refusal), record);
    const lifetime = new Lifetime({
      ...{ response, milliseconds: limits['request.deadline'], startedAt: arrived, scope: record.span },
    });
    try {
      const card = await cardOf(proposal, lifetime, caller);
      if (card === null) return sendError(response, notFound, record);
      const { summary: _, ...drawn } = card;
      const hash = createHash('sha256').update(JSON.stringify(drawn)).digest('base64url').slice(0, 22);
      let file = files.get(hash);
      if (file === undefined) {
        if (!drawingNow.has(hash) && drawings.waiting() >= limits['card.waiting'])
          return sendError(response, limitReachedResponse({ limit: 'card.waiting', max: limits['card.waiting'] }), record);
        const tooMuch = await charge(drawPoints);
        if (tooMuch !== undefined) return sendError(response, rateLimitResponse(tooMuch), record);
        file = await drawingNow.join(hash, lifetime.signal, async () => {
          const drawing = { type: 'image/png', plain: [await drawings.draw(card)], hash };
          files.set(hash, drawing);
          return drawing;
        });
      }
      if (response.closed) return;
      sendFile(request, response, file, {
        'cache-control': `${session.viewer.isAnonymous === true ? 'public' : 'private'}, max-age=60`,
        'cross-origin-resource-policy': 'cross-origin',
        'content-security-policy': "default-src 'none'",
        vary: 'Authorization, Origin',
      });
    } catch (error) {
      const failure = failureResponse(error);
      if (failure === undefined) throw error;
      sendError(response, failure, record);
    } finally {
      lifetime.end();
    }
  }

  return {
    handler: { surface: 'dashboard', shape: graphqlShape, paths: ['/cards/*'], handle } satisfies Handler,
    /**
     * The tags for the page of a proposal, as a visitor without a token may see them. undefined at every other path, if the proposal does not exist, if the
     * caller has no points left, and if the chain is not read in time. Never rejects.
     */
    async tags(request: IncomingMessage, path: string): Promise<string | undefined> {
      const proposal = proposalIn(pagePath, path);
      if (proposal === undefined) return undefined;
      const lifetime = new Lifetime({ milliseconds: tagsWait });
      try {
        const caller = rates.ofAnonymous(clientAddress(request));
        await caller.fresh();
        if ((await caller.take(readPoints)) !== undefined) return undefined;
        const card = await cardOf(proposal, lifetime, caller);
        return card === null ? undefined : tagsOf(card, proposal, site, publicOrigin(request));
      } catch (error) {
        if (failureResponse(error) === undefined) report(error);
        return undefined;
      } finally {
        lifetime.end();
      }
    },
    close: drawings.close,
  };
}
