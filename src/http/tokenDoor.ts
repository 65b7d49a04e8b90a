import type { PublicDoor } from './door.ts';
import { nowhere, sendError } from './errors.ts';
import type { Issuer } from './issuer.ts';

/** Makes the door at the paths that have to do with tokens: with another's issuer there is nothing behind it. */
export function createTokenDoor(issuer: Issuer | undefined): PublicDoor {
  return {
    surface: 'tokens',
    answers: (path) => path === '/oauth/token' || path.startsWith('/.well-known/'),
    async handle(request, response, path) {
      if (issuer?.answers(path)) return issuer.handle(request, response, path);
      sendError(response, nowhere);
    },
  };
}
