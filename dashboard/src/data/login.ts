import { texts } from '../language/language.ts';
/** How the pages get a token: `--dashboard-client-id` of the server. */
export type Login = OpenIdLogin | { readonly kind: 'client'; readonly clientId: string };

/** A login at an OpenID provider. */
export interface OpenIdLogin {
  readonly kind: 'openid';
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What the page keeps while the visitor is at the provider. */
interface Pending {
  readonly state: string;
  readonly verifier: string;
  /** The page that the visitor wanted to see. */
  readonly back: string;
}

/** The path that the provider redirects to. */
const loginPath = '/dashboard/login';

const pendingKey = 'stele.login';

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** Whether the provider has redirected here after a login. */
export function isLoginReturn(): boolean {
  return window.location.pathname === loginPath && /[?&]state=/.test(window.location.search);
}

const redirectUri = (): string => `${window.location.origin}${loginPath}`;

/** What the server says of its pages: how it gives them a token, undefined if visitors enter one, and whether they may read without. */
export interface PageSettings {
  readonly login?: Login;
  readonly public?: boolean;
}

/** Reads what the server says of its pages. */
export async function readSettings(): Promise<PageSettings> {
  const response = await fetch('/dashboard/settings.json');
  return response.ok ? response.json() : {};
}

/** Requests a token of the public client that the server names. undefined if the issuer refuses it. */
export async function clientToken(clientId: string): Promise<string | undefined> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId });
  const response = await fetch('/oauth/token', { method: 'POST', body });
  if (response.status === 429 || response.status === 503) throw new Error(`no token now (status ${response.status})`);
  if (!response.ok) return undefined;
  const { access_token }: { access_token: string } = await response.json();
  return access_token;
}

interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

async function metadataOf(issuer: string): Promise<Metadata> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(texts.value.login.providerStatus(String(response.status)));
  const metadata: Metadata = await response.json();
  if (metadata.issuer !== issuer) throw new Error(texts.value.login.otherMetadata);
  return metadata;
}

/** Goes to the login of the provider (Authorization Code with PKCE, RFC 7636). Rejects with a reason to show. */
export async function beginLogin({ issuer, clientId, scope, parameters }: OpenIdLogin): Promise<void> {
  // Browsers have no `crypto.subtle` on pages without TLS.
  if (!window.isSecureContext) throw new Error(texts.value.login.needsHttps);
  const { authorization_endpoint: endpoint } = await metadataOf(issuer);
  const { pathname, search } = window.location;
  const pending: Pending = { state: random(), verifier: random(), back: pathname + search };
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
  const url = new URL(endpoint);
  const ownParameters = {
    client_id: clientId,
    redirect_uri: redirectUri(),
    response_type: 'code',
    scope,
    state: pending.state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries({ ...parameters, ...ownParameters })) url.searchParams.set(name, value);
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  window.location.assign(url);
}

/** Redeems the code in the address that the provider redirected to. Resolves with the token and the page to go back to. Rejects with a reason to show. */
export async function finishLogin({
  issuer,
  clientId,
}: OpenIdLogin): Promise<{ readonly token: string; readonly back: string }> {
  const stored = sessionStorage.getItem(pendingKey);
  sessionStorage.removeItem(pendingKey);
  const query = new URLSearchParams(window.location.search);
  // Neither the code nor the state stays in the address.
  history.replaceState(null, '', '/dashboard');
  const pending: Pending | undefined = stored === null ? undefined : JSON.parse(stored);
  if (pending === undefined || query.get('state') !== pending.state) throw new Error(texts.value.login.notBegun);
  if (query.has('error')) throw new Error(texts.value.login.refusedFor(query.get('error') ?? ''));
  // A provider that names itself must be the one that was asked (RFC 9207).
  if (query.has('iss') && query.get('iss') !== issuer) throw new Error(texts.value.login.otherProvider);
  const { token_endpoint: endpoint } = await metadataOf(issuer);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    code: query.get('code') ?? '',
    code_verifier: pending.verifier,
  });
  const response = await fetch(endpoint, { method: 'POST', body });
  const { access_token: token }: { access_token?: unknown } = await response.json();
  if (!response.ok || typeof token !== 'string') throw new Error(texts.value.login.refused);
  return { token, back: pending.back };
}
