import type { IncomingMessage } from 'node:http';
import type { Session } from '../../reads/viewer.ts';
import type { Authenticator } from '../auth/auth.ts';
import type { Refusal } from '../auth/authRefusal.ts';
import { tokenIn, tokenOf } from '../auth/bearer.ts';

/** Who a socket belongs to, as far as its upgrade tells. */
export interface Entered {
  /** undefined until the client says who it is in its first message. */
  readonly session: Session | undefined;
  /** The token of the upgrade's header. */
  readonly token: string | undefined;
}

/** How a first message is answered: with a session, or by closing; `invalidToken` where a token was sent that does not verify. */
export type Admission = { readonly session: Session } | { readonly close: 'forbidden' | 'invalidToken' | 'tryLater' };

const forbidden = { close: 'forbidden' } as const;

/** Looks at an upgrade. One without a token is let in: browsers can set no header, and say who they are in the first message. */
export async function enter(auth: Authenticator, request: IncomingMessage): Promise<Entered | Refusal> {
  const outcome = await auth.authenticate(request);
  if ('reason' in outcome) return outcome.reason === 'noToken' ? { session: undefined, token: undefined } : outcome;
  const sent = tokenOf(request);
  return { session: outcome, token: 'token' in sent ? sent.token : undefined };
}

/** Looks at the `connectionParams` of the first message. With a token in the header too, both must be the same. */
export async function admit(auth: Authenticator, { session, token }: Entered, connectionParams: unknown): Promise<Admission> {
  const sent = tokenIn(connectionParams);
  if (session !== undefined) {
    const fits = 'token' in sent ? token === undefined || sent.token === token : sent.reason === 'noToken';
    return fits ? { session } : forbidden;
  }
  if ('reason' in sent) return sent.reason === 'invalidToken' ? { close: 'invalidToken' } : forbidden;
  const outcome = await auth.verify(sent.token);
  if ('viewer' in outcome) return { session: outcome };
  if (outcome.reason === 'noKeys') return { close: 'tryLater' };
  return outcome.reason === 'expiredToken' ? forbidden : { close: 'invalidToken' };
}
