import { authExchange } from '@urql/exchange-auth';
import { createClient } from 'graphql-ws';
import { Client, fetchExchange, subscriptionExchange } from 'urql';
import { resumeSockets } from './resumeSockets.ts';

/** Requests an access token. It is valid for an hour. */
async function newToken(): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  const response = await fetch('/oauth/token', { method: 'POST', body });
  if (!response.ok) throw new Error(`The token request failed with status ${response.status}.`);
  const { access_token }: { access_token: string } = await response.json();
  return access_token;
}

/** Adds a token to each request. After a response with status 401, it requests a new token and sends the request again. */
const auth = authExchange(async ({ appendHeaders }) => {
  let token = await newToken();
  return {
    addAuthToOperation: (operation) => appendHeaders(operation, { authorization: `Bearer ${token}` }),
    didAuthError: ({ response }) => response?.status === 401,
    refreshAuth: async () => {
      token = await newToken();
    },
  };
});

/** Carries all subscriptions. Each connection, and so each reconnect, begins with a new token. */
const socket = createClient({
  url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
  connectionParams: async () => ({ authorization: `Bearer ${await newToken()}` }),
  shouldRetry: () => true,
  retryAttempts: Number.POSITIVE_INFINITY,
  ...resumeSockets(),
});

export const stele = new Client({
  url: '/graphql',
  exchanges: [
    auth,
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables = {} }) => ({
        subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink) }),
      }),
    }),
  ],
});
