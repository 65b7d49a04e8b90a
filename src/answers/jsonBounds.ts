import type { JsonBoundError, JsonBounds } from '../chain/wire/boundedJson.ts';
import type { LimitName, Limits } from '../config/limits/limits.ts';
import { RequestError } from '../reads/errors.ts';

/** The bounds of JSON from clients, from the limits in force. */
export function jsonBoundsOf(limits: Limits): JsonBounds {
  return { depth: limits['json.depth'], values: limits['json.values'], number: limits['json.number'] };
}

const excess: Record<keyof JsonBounds, string> = {
  depth: 'levels of arrays and objects',
  values: 'values',
  number: 'characters in a number',
};

/** BAD_USER_INPUT for JSON over a bound, with the name of the limit. */
export function jsonExcess({ bound, max }: JsonBoundError): RequestError {
  const limit: LimitName = `json.${bound}`;
  return new RequestError('BAD_USER_INPUT', `The JSON has more than ${max} ${excess[bound]} (${limit}).`, { limit, max });
}
