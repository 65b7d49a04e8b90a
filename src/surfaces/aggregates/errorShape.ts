import { z } from 'zod';
import { ErrorCode } from '../../config/errorCodes.ts';
import type { ErrorShape } from '../../server/messages/errors.ts';

/** The body of every error: a stable code, the same as in GraphQL, and the facts of the code. */
export const errorSchema = z
  .looseObject({
    code: z.enum(ErrorCode).describe('Stable error code. New codes can be added.'),
    message: z.string().describe('A message for developers. It can change.'),
    field: z.string().optional().describe('The invalid parameter or header.'),
    value: z.string().optional().describe('Its value, cut to 64 characters.'),
    bound: z.string().optional().describe('What the value must be.'),
    limit: z.string().optional().describe('Name of the exceeded limit.'),
    max: z.number().optional().describe('The value of the limit.'),
    retryAfter: z.number().int().optional().describe('Seconds after which to retry.'),
    requestId: z.string().optional().describe('Id of the request in the server log. Only for internal errors.'),
  })
  .describe('An error. Some codes have further members, such as heights.');

/** Serializes an error as one object. The GraphQL fact `argument` is the member `field`. */
export const aggregatesShape: ErrorShape = ({ code, message, facts }) => {
  const members = Object.entries(facts).map(([name, value]) => [name === 'argument' ? 'field' : name, value]);
  return JSON.stringify({ code, message, ...Object.fromEntries(members) });
};
