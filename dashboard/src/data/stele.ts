import { computed, signal } from '@preact/signals';
import { createClient, SteleError } from '@stele/client';
import { requestToken } from './session.ts';
import { noteReset } from './shown.ts';

/** Why a stream is trying again now: the connection was lost, or no node answers. undefined while all is well. */
export const retrying = signal<SteleError | undefined>(undefined);

/** The code of the close frame of a server that stops. */
const restartCode = 1012;

/** Codes of failures to reach the server itself. */
const connectionCodes: readonly string[] = ['CONNECTION_FAILED', 'SERVER_SHUTDOWN', 'TOKEN_FAILED'];

const isOffline = signal(!navigator.onLine);
window.addEventListener('offline', () => {
  isOffline.value = true;
});
window.addEventListener('online', () => {
  isOffline.value = false;
});

/** Whether the server has said that it stops, since the last connection. */
const isStopping = signal(false);

/** Whether the last read failed because the server was not reached. */
const isUnreached = signal(false);

/** Notes how a read over HTTP ended. */
export function noteRead(failure?: unknown): void {
  isUnreached.value = failure !== undefined && !(failure instanceof SteleError && !connectionCodes.includes(failure.code));
}

/**
 * Why the page does not reach the server: the browser has no network, the server said that it stops, or neither is known. undefined while it reaches it.
 */
export const outage = computed(() => {
  if (!isUnreached.value && !connectionCodes.includes(retrying.value?.code ?? '')) return undefined;
  if (isOffline.value) return 'offline';
  return isStopping.value ? 'restarting' : 'unreachable';
});

/** The client of the server that the page comes from. All pages share its WebSocket. */
export const stele = createClient({
  url: '/graphql',
  token: requestToken,
  onReset: noteReset,
  onState(state, error) {
    const isConnected = state === 'connected';
    retrying.value = isConnected ? undefined : error;
    if (isConnected) {
      isStopping.value = false;
      isUnreached.value = false;
    } else if (error?.code === 'SERVER_SHUTDOWN' || error?.facts.closeCode === restartCode) isStopping.value = true;
  },
});
