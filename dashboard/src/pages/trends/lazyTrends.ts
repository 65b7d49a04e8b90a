import { lazyPart } from '../../components/page/lazyPart.tsx';
import type { DistributionProps, TreasuryProps, TurnoutProps } from './trendProps.ts';

/** The cards of charts over time, whose code is loaded when they are first shown. */
export const LazyTurnout = lazyPart<TurnoutProps>(async () => (await import('./Turnout.tsx')).Turnout);
export const LazyTreasury = lazyPart<TreasuryProps>(async () => (await import('./Treasury.tsx')).Treasury);
export const LazyDistribution = lazyPart<DistributionProps>(async () => (await import('./Distribution.tsx')).Distribution);
