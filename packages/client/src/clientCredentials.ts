/** A client of the token endpoint of Stele, or of another issuer. */
export interface ClientCredentials {
  /** The URL of the token endpoint: `/oauth/token` of a Stele with its own issuer. In a page it can be relative to the page. */
  readonly url: string;
  /** Leave it out if a proxy adds the credentials. */
  readonly clientId?: string;
  /** Only for programs: a page cannot keep a secret. A public client has none. */
  readonly clientSecret?: string;
  /** Scopes, separated by spaces. By default those of the client. */
  readonly scope?: string;
}

/**
 * The option `token` of a client that requests its tokens with the grant `client_credentials`. The function rejects with an Error if the issuer refuses.
 */
export function clientCredentials({ url, clientId, clientSecret, scope }: ClientCredentials): () => Promise<string> {
  const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
  return async () => {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.set(name, value);
    const response = await fetch(url, { method: 'POST', body });
    const { access_token: token }: { access_token?: unknown } = response.ok ? await response.json() : {};
    if (typeof token !== 'string') throw new Error(`the issuer returned status ${response.status}`);
    return token;
  };
}
