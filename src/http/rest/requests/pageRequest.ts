import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { JsonObject } from '../../../chain/wire/json.ts';
import type { Limits } from '../../../config/limits/limits.ts';
import { ParameterError } from '../failures/parameterError.ts';

/** What is asked of a list, as far as it costs. */
export interface PageAsked {
  /** Most items that the answer holds. */
  readonly items: number;
  /** Whether the chain walks over the whole list to count it. */
  readonly counts: boolean;
}

/** The field of a request that is the chain's page request; undefined where there is none. */
export function pageFieldOf(request: DescMessage): DescField | undefined {
  return request.fields.find(({ message }) => message?.typeName === 'cosmos.base.query.v1beta1.PageRequest');
}

function bigintAt(page: JsonObject, name: string): bigint {
  const value = page[name];
  return typeof value === 'string' ? BigInt(value) : 0n;
}

function refuse(name: string, value: bigint | string, bound: string, nodeText?: string): never {
  const parameter = `pagination.${name}`;
  const text = nodeText ?? `${parameter} must be ${bound}`;
  throw new ParameterError({ parameter, value: String(value), bound, nodeText: text, where: 'query' });
}

/**
 * Holds the page of a request to the limits: its size, its offset, and with `keepsPageRules` not both a key and an offset, and a size where none was asked
 * for. Throws a {@link ParameterError}; undefined for a request of no list. In the node's dialect a page without a size is left to the chain, which
 * gives 100 and counts them all (chain.md 6.1).
 */
export function boundPage(
  request: DescMessage,
  json: JsonObject,
  limits: Limits,
  keepsPageRules: boolean,
): PageAsked | undefined {
  const field = pageFieldOf(request);
  if (field === undefined) return undefined;
  const given = json[field.jsonName];
  const page = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
  const max = BigInt(limits['rest.page.max']);
  const limit = bigintAt(page, 'limit');
  if (limit > max) refuse('limit', limit, `at most ${max} (rest.page.max)`);
  const offset = bigintAt(page, 'offset');
  const maxOffset = BigInt(limits['page.offset']);
  if (offset > maxOffset) refuse('offset', offset, `at most ${maxOffset} (page.offset); use a page key`);
  if (!keepsPageRules) return { items: Number(limit || 100n), counts: page.countTotal === true || limit === 0n };
  if (offset > 0n && typeof page.key === 'string' && page.key !== '') {
    refuse('offset', offset, 'absent where `pagination.key` is given: either offset or key is expected, got both');
  }
  const size = limit || BigInt(limits['rest.page.default']);
  json[field.jsonName] = { ...page, limit: size.toString() };
  return { items: Number(size), counts: page.countTotal === true };
}
