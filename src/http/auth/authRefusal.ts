import type { IncomingMessage } from 'node:http';
import type { Scope } from '../../reads/viewer.ts';
import { clientAddress } from '../messages/clientAddress.ts';
import { type ErrorResponse, errorResponse, rateLimitResponse } from '../messages/errors.ts';
import type { Rates } from '../rateLimits/rates.ts';

/** Why a request is not served, by what stands in its headers. */
export type Refusal =
  /** No token: 401. */
  | { readonly reason: 'noToken' }
  /** One that does not verify: 401, and nothing that says why. */
  | { readonly reason: 'invalidToken' }
  /** One that verified until it expired: 401, whatever else its address sends, so that its client gets a new one. */
  | { readonly reason: 'expiredToken' }
  /** Tokens in two places: 400. */
  | { readonly reason: 'twoTokens' }
  /** One that does not allow this: 403. */
  | { readonly reason: 'noScope'; readonly scope: Scope }
  /** It cannot be known whether it verifies, as the issuer's keys cannot be had now: 503. `retryAfter` is in seconds. */
  | { readonly reason: 'noKeys'; readonly retryAfter: number };

const needed = 'A bearer token is needed, and one that verifies.';

/** The answer to a refused request; 429 after too many tokens from its address that did not verify. An expired token does not count. */
export function countRefusal(refusal: Refusal, request: IncomingMessage, rates: Rates): ErrorResponse {
  const tooMany = refusal.reason === 'invalidToken' ? rates.failedAuthentication(clientAddress(request)) : undefined;
  return tooMany === undefined ? refusalResponse(refusal) : rateLimitResponse(tooMany);
}

/** The answer to a refused request (RFC 6750, 3). That of all 401 is one and tells nothing of the token. */
export function refusalResponse(refusal: Refusal): ErrorResponse {
  switch (refusal.reason) {
    case 'noToken':
      return errorResponse(401, 'UNAUTHENTICATED', needed, {}, { 'www-authenticate': 'Bearer' });
    case 'invalidToken':
    case 'expiredToken':
      return errorResponse(401, 'UNAUTHENTICATED', needed, {}, { 'www-authenticate': 'Bearer error="invalid_token"' });
    case 'twoTokens':
      return errorResponse(
        400,
        'BAD_USER_INPUT',
        'A token is sent once, in the header `Authorization`.',
        {},
        { 'www-authenticate': 'Bearer error="invalid_request"' },
      );
    case 'noScope': {
      const { scope } = refusal;
      const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
      return errorResponse(403, 'FORBIDDEN', `This needs a token with the scope \`${scope}\`.`, { scope }, headers);
    }
    case 'noKeys': {
      const { retryAfter } = refusal;
      const message = 'The keys that tokens are checked with cannot be had now.';
      return errorResponse(503, 'UNAUTHENTICATED', message, { retryAfter }, { 'retry-after': `${retryAfter}` });
    }
  }
}
