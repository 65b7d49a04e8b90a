import { createClient } from '@stele/client';

/** Requests an access token. It is valid for an hour. */
async function newToken(): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  const response = await fetch('/oauth/token', { method: 'POST', body });
  if (!response.ok) throw new Error(`The token request failed with status ${response.status}.`);
  const { access_token }: { access_token: string } = await response.json();
  return access_token;
}

export const stele = createClient({ url: '/graphql', token: newToken });
