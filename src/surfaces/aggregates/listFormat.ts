import type { ListFormat } from '../../modules/records/export.ts';

/** The media types that a list is served with, the default first. */
const types: readonly (readonly [type: string, format: ListFormat | undefined])[] = [
  ['application/json', undefined],
  ['application/x-ndjson', 'ndjson'],
  ['text/csv', 'csv'],
];

/** The quality that the most specific range of an `Accept` header gives to a media type; 0 if none matches. */
function qualityOf(accept: string, type: string): number {
  const ranges = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  let best = { rank: ranges.length, quality: 0 };
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const rank = ranges.indexOf(name);
    if (rank === -1 || rank > best.rank) continue;
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = given === undefined ? 1 : Number(given.slice(2));
    best = { rank, quality: quality >= 0 && quality <= 1 ? quality : 0 };
  }
  return best.quality;
}

/**
 * The format of the stream that a request for a list asks for in its `Accept` header (RFC 9110, 12.5.1). undefined for JSON, which is also the response
 * if no type is acceptable.
 */
export function streamFormatOf(accept: string | undefined): ListFormat | undefined {
  if (accept === undefined) return undefined;
  let best: { readonly format: ListFormat | undefined; readonly quality: number } = { format: undefined, quality: 0 };
  for (const [type, format] of types) {
    const quality = qualityOf(accept, type);
    if (quality > best.quality) best = { format, quality };
  }
  return best.format;
}
