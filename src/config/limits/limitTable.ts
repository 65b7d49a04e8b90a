import { callerLimits } from './callerLimits.ts';
import { connectionLimits } from './connectionLimits.ts';
import { documentLimits } from './documentLimits.ts';
import { memoryLimits } from './memoryLimits.ts';
import { pageLimits } from './pageLimits.ts';
import { sharedLimits } from './sharedLimits.ts';
import { streamLimits } from './streamLimits.ts';
import { upstreamLimits } from './upstreamLimits.ts';

/**
 * Every limit with its default. The configuration, `Query.limits`, docs/limits.md and the code that enforces a limit read this table. A name is
 * never reused for another limit.
 */
export const limitTable = {
  ...documentLimits,
  ...pageLimits,
  ...callerLimits,
  ...upstreamLimits,
  ...connectionLimits,
  ...streamLimits,
  ...memoryLimits,
  ...sharedLimits,
};
