import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { JsonObject } from '../../../chain/wire/json.ts';
import type { Limits } from '../../../config/limits/limits.ts';
import { ParameterError } from '../failures/parameterError.ts';

/** The parts of a page request that determine its price. */
export interface PageAsked {
  /** The largest number of items in the response. */
  readonly items: number;
  /** Whether the chain counts the whole list, or walks through it to an offset beyond `page.offset`. */
  readonly counts: boolean;
  /** Whether the client asked for more items than `rest.page.node`. */
  readonly isCut: boolean;
}

/** Returns the field of a request that contains the page request. undefined if there is none. */
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
 * Checks the page request of the documented dialect against the limits of size and offset, rejects a key together with an offset, and sets the
 * default size in `json`. Throws a {@link ParameterError}. In the node's dialect every page request is accepted, as on a node: a page has at most
 * `rest.page.node` items, which `json` then asks for, and the page key of the response continues behind them. A page without a size is left to
 * the chain: it returns 100 items and counts the list (docs/chain.md, "Page requests"). Returns undefined if the request is not for a list.
 */
export function boundPage(
  request: DescMessage,
  json: JsonObject,
  limits: Limits,
  enforcesPageRules: boolean,
): PageAsked | undefined {
  const field = pageFieldOf(request);
  if (field === undefined) return undefined;
  const given = json[field.jsonName];
  const page = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
  const limit = bigintAt(page, 'limit');
  const offset = bigintAt(page, 'offset');
  const maxOffset = BigInt(limits['page.offset']);
  if (!enforcesPageRules) {
    const most = BigInt(limits['rest.page.node']);
    const isCut = limit > most;
    if (isCut) json[field.jsonName] = { ...page, limit: most.toString() };
    const counts = page.countTotal === true || limit === 0n || offset > maxOffset;
    return { items: Number(isCut ? most : limit || 100n), counts, isCut };
  }
  const max = BigInt(limits['rest.page.max']);
  if (limit > max) refuse('limit', limit, `at most ${max} (rest.page.max)`);
  if (offset > maxOffset) refuse('offset', offset, `at most ${maxOffset} (page.offset); use a page key`);
  if (offset > 0n && typeof page.key === 'string' && page.key !== '') {
    refuse('offset', offset, 'absent if `pagination.key` is given: either offset or key is expected, got both');
  }
  const size = limit || BigInt(limits['rest.page.default']);
  json[field.jsonName] = { ...page, limit: size.toString() };
  return { items: Number(size), counts: page.countTotal === true, isCut: false };
}
