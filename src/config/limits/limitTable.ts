import { callerLimits } from './callerLimits.ts';
import { connectionLimits } from './connectionLimits.ts';
import { documentLimits } from './documentLimits.ts';
import { memoryLimits } from './memoryLimits.ts';
import { pageLimits } from './pageLimits.ts';
import { streamLimits } from './streamLimits.ts';
import { upstreamLimits } from './upstreamLimits.ts';

/**
 * Every limit, with its usual value. It is the one table that configuration, `Query.limits`, whatever enforces a limit and
 * docs/limits.md read; a name is never used again for another thing.
 */
export const limitTable = {
  ...documentLimits,
  ...pageLimits,
  ...callerLimits,
  ...upstreamLimits,
  ...connectionLimits,
  ...streamLimits,
  ...memoryLimits,
};
