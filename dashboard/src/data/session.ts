import { signal } from '@preact/signals';
import { texts } from '../language/language.ts';
import {
  beginLogin,
  clientToken,
  finishLogin,
  isLoginReturn,
  type OpenIdLogin,
  type PageSettings,
  readSettings,
} from './login.ts';

/**
 * Whether the visitor may read: `asking` until the first answer, `granted` with a token, `public` without one, `none` on a server that gives pages no token,
 * `expired` if the token that the visitor entered or logged in for has expired, `refused` if the server does not accept it for another reason,
 * `malformed` if it is no token.
 */
export type Access = 'asking' | 'granted' | 'public' | 'none' | 'expired' | 'refused' | 'malformed';

export const access = signal<Access>('asking');

/** The login that the server offers. undefined if it offers none, or it is not known yet. */
export const openIdLogin = signal<OpenIdLogin | undefined>(undefined);

/** Why the last login failed. */
export const loginFailure = signal<string | undefined>(undefined);

/** Whether the page is opened by the provider after a login, until the login has failed. */
export const isReturning = signal(isLoginReturn());

const key = 'stele.token';

/** The token that the visitor entered or logged in for, kept until the tab is closed. */
function entered(): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The token that was returned last, to notice one that the server refuses. */
let last: string | undefined;

/** The token that the page uses now. undefined before the first. */
let present: string | undefined;

/** Requests a token for the page, and keeps it for {@link fetchWithToken}. undefined if the page reads without one. */
export async function requestToken(): Promise<string | undefined> {
  present = await newToken();
  return present;
}

/** Sends a request to the server with the token of the page, and once more with a new one if the server refuses it. */
export async function fetchWithToken(path: string, accept: string, init: RequestInit = {}): Promise<Response> {
  const type = init.body === undefined ? {} : { 'content-type': 'application/json' };
  const ask = (token: string | undefined): Promise<Response> =>
    fetch(path, { ...init, headers: { accept, ...type, ...(token !== undefined && { authorization: `Bearer ${token}` }) } });
  const response = await ask(present ?? (await requestToken()));
  return response.status === 401 ? ask(await requestToken()) : response;
}

/**
 * Returns a token for the page: the one that the visitor entered or logged in for, else that of the development server for local pages, else that of the
 * public client of the server. undefined without one on a server that everybody may read. Otherwise rejects, and sets {@link access} accordingly. Asked
 * again, an entered token was refused or has expired.
 */
async function newToken(): Promise<string | undefined> {
  const enteredToken = entered();
  if (enteredToken !== undefined && enteredToken !== last) {
    last = enteredToken;
    access.value = 'granted';
    return enteredToken;
  }
  if (enteredToken !== undefined) {
    forgetToken(refusalOf(enteredToken));
    void readLogin();
    throw new Error('the token is no longer accepted');
  }
  const developmentOwn = await developmentToken();
  const { login, public: isPublic } = developmentOwn === undefined ? await readLogin() : {};
  const token = login?.kind === 'client' ? await clientToken(login.clientId) : developmentOwn;
  if (token !== undefined || isPublic === true) {
    access.value = token === undefined ? 'public' : 'granted';
    return token;
  }
  if (access.value === 'asking' || access.value === 'granted') access.value = 'none';
  throw new Error('the server gives the page no token');
}

/** A clock may be wrong by this much, in ms. */
const clockError = 60_000;

/** Why the server refused a token: a JSON Web Token says when it expires. */
function refusalOf(token: string): Access {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return 'malformed';
  try {
    const { exp }: { exp?: unknown } = JSON.parse(atob(token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''));
    return typeof exp === 'number' && exp * 1_000 < Date.now() + clockError ? 'expired' : 'refused';
  } catch {
    return 'malformed';
  }
}

/** The token that the development server has for local pages. undefined on other servers. Rejects with a status that passes, such as that of a limit. */
async function developmentToken(): Promise<string | undefined> {
  const response = await fetch('/playground/token', { cache: 'no-store' });
  if (response.status === 204) return undefined;
  if (response.status !== 200) throw new Error(`the server gives the page no token (status ${response.status})`);
  const { access_token }: { access_token: string } = await response.json();
  return access_token;
}

/** Reads how the server gives tokens, and offers its login to the visitor. */
async function readLogin(): Promise<PageSettings> {
  const settings = await readSettings();
  if (settings.login?.kind === 'openid') openIdLogin.value = settings.login;
  return settings;
}

/** Uses a token from now on. The page is loaded again, so that nothing is left of an earlier one. */
export function enterToken(token: string, address = window.location.href): void {
  sessionStorage.setItem(key, token.trim().replace(/^Bearer\s+/i, ''));
  if (address === window.location.href) window.location.reload();
  else window.location.replace(address);
}

/** Forgets the token that the visitor entered. */
export function forgetToken(next: Access = 'none'): void {
  sessionStorage.removeItem(key);
  last = undefined;
  access.value = next;
}

/** Goes to the login of the server's provider. {@link loginFailure} says why it cannot. */
export async function startLogin(login: OpenIdLogin): Promise<void> {
  loginFailure.value = undefined;
  await beginLogin(login).catch(failLogin);
}

/** Ends a login with the code in the address, and opens the page that the visitor wanted to see. */
export async function endLogin(): Promise<void> {
  try {
    const { login } = await readLogin();
    if (login?.kind !== 'openid') throw new Error(texts.value.login.noLogin);
    const { token, back } = await finishLogin(login);
    enterToken(token, new URL(back, window.location.origin).href);
  } catch (error) {
    failLogin(error);
    access.value = 'none';
    isReturning.value = false;
  }
}

function failLogin(error: unknown): void {
  // A request that was not answered rejects with a TypeError, whose text depends on the browser.
  loginFailure.value =
    error instanceof Error && !(error instanceof TypeError) ? error.message : texts.value.login.providerUnreachable;
}
