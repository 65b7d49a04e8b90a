import { fetchWithToken } from '../../data/session.ts';
import { serverTexts } from '../../language/server/texts.ts';

/** A webhook of the visitor, as `/v1/webhooks` returns it. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly signing: 'ED25519' | 'HMAC';
  /** The key, right after it was made. */
  readonly secret: string | null;
  readonly publicKey: string | null;
  readonly state: 'ACTIVE' | 'PAUSED' | 'DISABLED';
  readonly reason: string | null;
  readonly message: string | null;
  readonly height: string;
  readonly lag: string | null;
  readonly sequence: string;
  readonly deliveredAt: string | null;
  readonly tries: number;
  readonly nextTryAt: string | null;
}

/** What came of a try. */
interface Outcome {
  readonly responseStatus: number | null;
  readonly response: string | null;
  readonly error: string | null;
}

export interface Delivery extends Outcome {
  readonly eventId: string;
  readonly sequence: string;
  readonly height: string;
  readonly state: 'DELIVERED' | 'RETRYING' | 'FAILED';
  readonly tries: number;
  readonly time: string;
}

export interface TestOutcome extends Outcome {
  readonly milliseconds: number;
}

/** Why a request for webhooks failed. The message is for developers, who are those that have webhooks. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Sends a request below `/v1/webhooks`. Rejects with a {@link WebhookFailure}. */
export async function ask<T>(method: 'GET' | 'POST' | 'DELETE', path = '', body?: object): Promise<T> {
  const init = { method, cache: 'no-store', ...(body !== undefined && { body: JSON.stringify(body) }) } as const;
  const response = await fetchWithToken(`/v1/webhooks${path}`, 'application/json', init).catch(() => {
    throw new WebhookFailure(0, 'CONNECTION_FAILED', serverTexts.value.webhooks.noAnswer);
  });
  const json: { readonly code?: string; readonly message?: string } & T = await response.json();
  if (!response.ok) throw new WebhookFailure(response.status, json.code ?? '', json.message ?? '');
  return json;
}

/** The failure in an error; others are thrown again. */
export function failureOf(error: unknown): WebhookFailure {
  if (error instanceof WebhookFailure) return error;
  throw error;
}
