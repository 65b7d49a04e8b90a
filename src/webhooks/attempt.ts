import { Client, type Dispatcher } from 'undici';
import type { WebhookTry } from '../archive/webhooks.ts';
import { version } from '../config/version.ts';
import { type Network, RefusedReceiver } from './network.ts';

/** The characters of a response that are shown. */
const shownCharacters = 200;

/** The longest wait that a receiver can ask for, in ms. */
const longestRetryAfter = 24 * 3_600_000;

/** Why a connection ends. Made once, because the stack of a new error for each costs more than the request. */
const over = new Error('the response was read');

/** What came of a try, and when the receiver wants the next one, in ms from now; undefined if it does not say. */
export interface Attempt extends WebhookTry {
  readonly retryAfter: number | undefined;
}

export interface AttemptOptions {
  readonly network: Pick<Network, 'resolve'>;
  /** The longest try, in ms. */
  readonly timeout: number;
  /** The most bytes of a response that are read. */
  readonly maxBytes: number;
}

/** The milliseconds of a `Retry-After` (RFC 9110): seconds, or a date. */
function retryAfterOf(header: string | string[] | undefined): number | undefined {
  const text = typeof header === 'string' ? header.trim() : '';
  if (text === '') return undefined;
  const milliseconds = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(milliseconds, 0), longestRetryAfter);
}

/** Reads the beginning of a body. What a receiver sends after its status does not change the outcome, so failures are ignored. */
async function beginningOf(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      const part = Buffer.from(chunk).subarray(0, maxBytes - bytes);
      chunks.push(part);
      bytes += part.length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    // The time is over, or the connection is lost.
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return [...text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '')].slice(0, shownCharacters).join('');
}

/** Why there was no response, for the owner. Nothing of the error itself is shown, because it may name an address. */
function reasonOf(error: unknown, isLate: boolean, timeout: number): string {
  if (error instanceof RefusedReceiver) return error.message;
  if (isLate) return `The receiver did not respond within ${timeout / 1_000} s.`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/CERT|TLS|SSL|SELF_SIGNED|ALTNAME/.test(code)) return 'The certificate of the receiver is not valid.';
  return 'The connection to the receiver failed.';
}

/**
 * Sends one delivery. Resolves the host once, checks its addresses, and connects to the one that was checked, over a connection of its own. Follows no
 * redirect. Never rejects.
 */
export async function attempt(
  { network, timeout, maxBytes }: AttemptOptions,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Attempt> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(timeout);
  const took = (): number => Math.round(performance.now() - startedAt);
  let client: Client | undefined;
  try {
    const url = new URL(target);
    const late = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    late.catch(() => undefined);
    const { address, family } = await Promise.race([network.resolve(url), late]);
    client = new Client(url.origin, {
      connect: {
        timeout,
        lookup: (_host, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family)),
      },
    });
    const response = await client.request({
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `stele/${version}`, ...headers },
      body,
      signal,
    });
    const { statusCode: status } = response;
    const beginning = await beginningOf(response.body, maxBytes);
    return {
      status,
      response: beginning,
      error: null,
      milliseconds: took(),
      retryAfter: retryAfterOf(response.headers['retry-after']),
    };
  } catch (error) {
    const reason = reasonOf(error, signal.aborted, timeout);
    return { status: null, response: null, error: reason, milliseconds: took(), retryAfter: undefined };
  } finally {
    // The response was read as far as it is wanted.
    client?.destroy(over).catch(() => undefined);
  }
}
