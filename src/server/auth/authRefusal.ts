import type { IncomingMessage } from 'node:http';
import type { Scope } from '../../reads/viewer.ts';
import { clientAddress } from '../messages/clientAddress.ts';
import { type ErrorResponse, errorResponse, rateLimitResponse } from '../messages/errors.ts';
import type { Rates } from '../rateLimits/rates.ts';

/** Why authentication refuses a request. */
export type Refusal =
  /** No token: 401. */
  | { readonly reason: 'noToken' }
  /** The token does not verify: 401, without a reason. */
  | { readonly reason: 'invalidToken' }
  /**
   * The token has expired: 401. It never counts towards `rate.failedAuthentications`, so that its client can get a new token.
   */
  | { readonly reason: 'expiredToken' }
  /** More than one token: 400. */
  | { readonly reason: 'twoTokens' }
  /** The token lacks the scope: 403. */
  | { readonly reason: 'noScope'; readonly scope: Scope }
  /** The keys to verify the token are unavailable: 503. `retryAfter` is in seconds. */
  | { readonly reason: 'noKeys'; readonly retryAfter: number };

const tokenRequired = 'A valid bearer token is required.';

/**
 * Creates the response to a refused request, and counts an invalid token. 429 after too many invalid tokens from the address.
 * Expired tokens do not count.
 */
export function countRefusal(refusal: Refusal, request: IncomingMessage, rates: Rates): ErrorResponse {
  const tooMany = refusal.reason === 'invalidToken' ? rates.failedAuthentication(clientAddress(request)) : undefined;
  return tooMany === undefined ? refusalResponse(refusal) : rateLimitResponse(tooMany);
}

/**
 * Creates the response to a refused request (RFC 6750, 3). All 401 responses have the same body, which reveals nothing about
 * the token.
 */
export function refusalResponse(refusal: Refusal): ErrorResponse {
  switch (refusal.reason) {
    case 'noToken':
      return errorResponse(401, 'UNAUTHENTICATED', tokenRequired, {}, { 'www-authenticate': 'Bearer' });
    case 'invalidToken':
    case 'expiredToken':
      return errorResponse(401, 'UNAUTHENTICATED', tokenRequired, {}, { 'www-authenticate': 'Bearer error="invalid_token"' });
    case 'twoTokens':
      return errorResponse(
        400,
        'BAD_USER_INPUT',
        'Send exactly one token, in the `Authorization` header.',
        {},
        { 'www-authenticate': 'Bearer error="invalid_request"' },
      );
    case 'noScope': {
      const { scope } = refusal;
      const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
      return errorResponse(403, 'FORBIDDEN', `A token with the scope \`${scope}\` is required.`, { scope }, headers);
    }
    case 'noKeys': {
      const { retryAfter } = refusal;
      const message = 'The keys to verify tokens are temporarily unavailable.';
      return errorResponse(503, 'UNAUTHENTICATED', message, { retryAfter }, { 'retry-after': `${retryAfter}` });
    }
  }
}
