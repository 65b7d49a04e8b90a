import { SteleError } from './errors.ts';

/** A bearer token, or the function that requests one. It returns undefined for requests without a token. */
export type TokenInput = string | (() => string | undefined | Promise<string | undefined>);

/** The token of a client. */
export interface Tokens {
  /** Returns the token, or requests it. undefined if the client has none. Rejects with TOKEN_FAILED. */
  get(): Promise<string | undefined>;
  /** Notes that the server refused a token. Returns whether another one can be requested. */
  refuse(token: string | undefined): boolean;
}

/** A token is requested again this long before it expires, in ms, but not before it has lived for nine tenths of its time. */
const margin = 30_000;

/** The time at which a token expires, in ms since 1970. Infinity if it does not say. */
function expiryOf(token: string): number {
  try {
    const [, payload = ''] = token.split('.');
    const { exp }: { exp?: unknown } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof exp === 'number' ? exp * 1_000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Creates the token of a client. It is requested once for all who wait for it. */
export function createTokens(input: TokenInput | undefined): Tokens {
  let current: { readonly token: string | undefined; readonly until: number } | undefined;
  let askedToken: Promise<string | undefined> | undefined;

  async function ask(request: Exclude<TokenInput, string>): Promise<string | undefined> {
    try {
      const token = await request();
      const left = token === undefined ? Number.POSITIVE_INFINITY : expiryOf(token) - Date.now();
      // If it seems to have expired, the clock of this machine is wrong: the server refuses it when it has.
      const lasts = left > 0 ? left - Math.min(margin, left / 10) : Number.POSITIVE_INFINITY;
      current = { token, until: Date.now() + lasts };
      return token;
    } catch (cause) {
      throw new SteleError('TOKEN_FAILED', `The token request failed: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      });
    } finally {
      askedToken = undefined;
    }
  }

  return {
    async get() {
      if (typeof input !== 'function') return input;
      if (current !== undefined && Date.now() < current.until) return current.token;
      askedToken ??= ask(input);
      return askedToken;
    },
    refuse(token) {
      if (typeof input !== 'function') return false;
      if (current?.token === token) current = undefined;
      return true;
    },
  };
}
