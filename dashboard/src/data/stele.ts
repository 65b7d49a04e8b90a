import { signal } from '@preact/signals';
import { createClient, type SteleError } from '@stele/client';
import { requestToken } from './session.ts';

/** Why a stream is trying again now: the connection was lost, or no node answers. undefined while all is well. */
export const retrying = signal<SteleError | undefined>(undefined);

/** The client of the server that the page comes from. All pages share its WebSocket. */
export const stele = createClient({
  url: '/graphql',
  token: requestToken,
  onState(state, error) {
    retrying.value = state === 'connected' ? undefined : error;
  },
});
