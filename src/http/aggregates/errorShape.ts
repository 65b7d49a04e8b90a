import { z } from 'zod';
import { ErrorCode } from '../../config/errorCodes.ts';
import type { ErrorShape } from '../messages/errors.ts';

/** The body of every failure: the code, which is stable and one of the graph's, and its facts beside it. */
export const errorSchema = z
  .looseObject({
    code: z.enum(ErrorCode).describe('Stable; more may be added.'),
    message: z.string().describe('For people; it may change.'),
    field: z.string().optional().describe('The parameter or header that is meant.'),
    value: z.string().optional().describe('What was given, cut to 64 characters.'),
    bound: z.string().optional().describe('What would have been right.'),
    limit: z.string().optional().describe('Name of the limit that was passed.'),
    max: z.number().optional().describe('Its value.'),
    retryAfter: z.number().int().optional().describe('When to ask again, in seconds.'),
    requestId: z.string().optional().describe('Of a failure that is masked: finds it in the log.'),
  })
  .describe('Why there is no answer. Other facts of a code, such as heights, stand beside these.');

/** The shape of a failure: one object, where the argument of the graph is a `field`. */
export const aggregatesShape: ErrorShape = ({ code, message, facts }) => {
  const told = Object.entries(facts).map(([name, value]) => [name === 'argument' ? 'field' : name, value]);
  return JSON.stringify({ code, message, ...Object.fromEntries(told) });
};
