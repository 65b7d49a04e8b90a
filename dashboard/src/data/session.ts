import { signal } from '@preact/signals';

/**
 * Whether the visitor may read: `asking` until the first answer, `granted` with a token, `none` on a server that gives pages no token,
 * `expired` if the token that the visitor entered is no longer accepted.
 */
export type Access = 'asking' | 'granted' | 'none' | 'expired';

export const access = signal<Access>('asking');

const key = 'stele.token';

/** The token that the visitor entered, kept until the tab is closed. */
function entered(): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The token that was returned last, to notice one that the server refuses. */
let last: string | undefined;

/**
 * Requests a token for the page. The development server has one for local pages; elsewhere it is the one that the visitor
 * entered. Rejects without one, and sets {@link access} accordingly. Asked again, an entered token was refused or has expired.
 */
export async function requestToken(): Promise<string> {
  const own = entered();
  if (own !== undefined && own !== last) {
    last = own;
    access.value = 'granted';
    return own;
  }
  if (own !== undefined) {
    forgetToken('expired');
    throw new Error('the token is no longer accepted');
  }
  const response = await fetch('/playground/token', { cache: 'no-store' });
  if (response.status === 200) {
    const { access_token }: { access_token: string } = await response.json();
    access.value = 'granted';
    return access_token;
  }
  // Other statuses, such as that of a limit, pass.
  if (response.status === 204 && access.value !== 'expired') access.value = 'none';
  throw new Error(`the server gives the page no token (status ${response.status})`);
}

/** Uses a token from now on. The page is loaded anew, so that nothing is left of an earlier one. */
export function enterToken(token: string): void {
  sessionStorage.setItem(key, token.trim().replace(/^Bearer\s+/i, ''));
  window.location.reload();
}

/** Forgets the token that the visitor entered. */
export function forgetToken(next: Access = 'none'): void {
  sessionStorage.removeItem(key);
  last = undefined;
  access.value = next;
}
