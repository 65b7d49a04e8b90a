import type { GraphQLError } from 'graphql';
import { type Refused, rateLimited } from '../../answers/caller.ts';
import type { Fingerprint } from '../../chain/blocks/head.ts';
import { RequestError } from '../../reads/errors.ts';

/** Messages of streams that the server ends early. */
const messages = {
  SLOW_CONSUMER: 'The subscriber reads too slowly.',
  SERVER_SHUTDOWN: 'The server is shutting down.',
  SUBSCRIPTION_JWT_EXPIRED: 'The token has expired.',
} as const;

/** The error of a stream. The height is the one up to which all events were delivered; undefined if the stream has no such height. */
type Ending = (lastHeight?: bigint) => GraphQLError;

/** The errors of streams that the server ends early. */
export interface Endings {
  /** SLOW_CONSUMER. */
  readonly tooSlow: Ending;
  /** SERVER_SHUTDOWN. */
  readonly stopped: Ending;
  /** SUBSCRIPTION_JWT_EXPIRED. */
  readonly expired: Ending;
  /** RATE_LIMITED: the caller has too few points for the next event. */
  unpaid(refused: Refused): Ending;
}

/** Creates the errors. `mask` converts an error to one for the caller. `chain` identifies the chain; undefined while it is not known. */
export function createEndings(mask: (error: unknown) => GraphQLError, chain: () => Fingerprint | undefined): Endings {
  const ending =
    ({ code, message, facts }: Pick<RequestError, 'code' | 'message' | 'facts'>): Ending =>
    (lastHeight) => {
      if (lastHeight === undefined) return mask(new RequestError(code, message, facts));
      return mask(
        new RequestError(code, `${message} ${resumeAfter(lastHeight)}`, {
          ...facts,
          lastHeight,
          after: lastHeight,
          chain: chain(),
        }),
      );
    };
  const of = (code: keyof typeof messages): Ending => ending({ code, message: messages[code], facts: {} });
  return {
    tooSlow: of('SLOW_CONSUMER'),
    stopped: of('SERVER_SHUTDOWN'),
    expired: of('SUBSCRIPTION_JWT_EXPIRED'),
    unpaid: (refused) => ending(rateLimited(refused)),
  };
}

function resumeAfter(height: bigint): string {
  return `All events up to height ${height} were delivered. Resume with \`after: ${height}\`.`;
}
