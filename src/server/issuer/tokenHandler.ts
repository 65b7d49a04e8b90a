import type { Refused } from '../../answers/caller.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { PublicHandler } from '../handlers/handler.ts';
import { clientAddress } from '../messages/clientAddress.ts';
import { type ErrorShape, notFound, sendError } from '../messages/errors.ts';
import type { Rates } from '../rateLimits/rates.ts';
import type { CountAttempt } from '../rateLimits/secretAttempts.ts';
import type { Issuer } from './issuer.ts';

/** The error format of RFC 6749 (5.2), which has no error code for an exceeded rate. */
const oauthShape: ErrorShape = ({ status, message }) =>
  JSON.stringify({ error: status === 429 ? 'temporarily_unavailable' : 'invalid_request', error_description: message });

/** Creates the handler at `/oauth/token` and `/.well-known/`. Without an embedded issuer, it responds 404. */
export function createTokenHandler(options: {
  readonly issuer: Issuer | undefined;
  readonly rates: Rates;
  readonly limits: Limits;
}): PublicHandler {
  const { issuer, rates, limits } = options;
  return {
    surface: 'tokens',
    shape: oauthShape,
    matches: (path) => path === '/oauth/token' || path.startsWith('/.well-known/'),
    origins: async (path) => issuer?.origins(path) ?? [],
    async handle(request, response, path) {
      if (!issuer?.matches(path)) return sendError(response, notFound);
      await rates.freshFailures(clientAddress(request));
      const countAttempt: CountAttempt = (clientId) => rates.attemptSecret(clientAddress(request), clientId);
      const countPublicToken = (clientId: string): Refused | undefined =>
        rates.takePublicToken(clientId, clientAddress(request));
      return issuer.handle(request, response, path, { maxBody: limits['http.otherBody'], countAttempt, countPublicToken });
    },
  };
}
