'use client';

export { SteleProvider, useStele } from './context.ts';
export {
  type LiveHookOptions,
  type QueryHookOptions,
  type QueryReading,
  useLive,
  useQuery,
  useSuspenseQuery,
} from './queries.ts';
export type { Reading } from './store.ts';
export { type SubscriptionHookOptions, type SubscriptionReading, useConnection, useSubscription } from './streams.ts';
export { type TransactionHook, type TransactionProgress, useTransaction } from './transaction.ts';
