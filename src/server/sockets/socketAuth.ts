import type { IncomingMessage } from 'node:http';
import type { Session } from '../../reads/viewer.ts';
import type { Authenticator } from '../auth/auth.ts';
import { type Refusal, tokenIn, tokenOf } from '../auth/bearer.ts';

/** The result of the authentication of an upgrade. */
export interface UpgradeSession {
  /** The session. undefined without a token: the client must then send it in its first message. */
  readonly session: Session | undefined;
  /** The token in the header of the upgrade. */
  readonly token: string | undefined;
}

/** The result of a first message: a session, or the reason why the socket is closed. */
export type InitResult = { readonly session: Session } | { readonly close: 'forbidden' | 'invalidToken' | 'tryLater' };

const forbidden = { close: 'forbidden' } as const;

/**
 * Authenticates an upgrade. An upgrade without a token is accepted, because browsers cannot set headers and send the token in
 * the first message.
 */
export async function authenticateUpgrade(auth: Authenticator, request: IncomingMessage): Promise<UpgradeSession | Refusal> {
  const outcome = await auth.authenticate(request);
  if ('reason' in outcome) return outcome.reason === 'noToken' ? { session: undefined, token: undefined } : outcome;
  const sent = tokenOf(request);
  return { session: outcome, token: 'token' in sent ? sent.token : undefined };
}

/**
 * Authenticates the first message by its `connectionParams`. If the header of the upgrade has a token as well, both must be
 * equal.
 */
export async function authenticateInit(
  auth: Authenticator,
  { session, token }: UpgradeSession,
  connectionParams: unknown,
): Promise<InitResult> {
  const sent = tokenIn(connectionParams);
  if (session !== undefined) {
    const isConsistent = 'token' in sent ? token === undefined || sent.token === token : sent.reason === 'noToken';
    return isConsistent ? { session } : forbidden;
  }
  if ('reason' in sent) return sent.reason === 'invalidToken' ? { close: 'invalidToken' } : forbidden;
  const outcome = await auth.verify(sent.token);
  if ('viewer' in outcome) return { session: outcome };
  if (outcome.reason === 'noKeys') return { close: 'tryLater' };
  return outcome.reason === 'expiredToken' ? forbidden : { close: 'invalidToken' };
}
