import type { IncomingMessage } from 'node:http';
import { type JsonBounds, parseBoundedJson } from '../../chain/wire/boundedJson.ts';

/** What a client asks the issuer, by whichever of the three ways it says it. */
export interface TokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly grantType: string;
  readonly audience: string | undefined;
  readonly scope: string | undefined;
}

/** A request that is not understood, as RFC 6749 (5.2) names it. */
export interface MalformedRequest {
  readonly error: 'invalid_request' | 'invalid_client';
  readonly description: string;
}

const names = ['client_id', 'client_secret', 'grant_type', 'audience', 'scope'] as const;

/** The bounds of the JSON of a request for a token: it is one object of text. */
const jsonBounds: JsonBounds = { depth: 8, values: 100, number: 128 };

type Parameters = Partial<Record<(typeof names)[number], string>>;

const malformed = (description: string): MalformedRequest => ({ error: 'invalid_request', description });

function fromForm(text: string): Parameters | MalformedRequest {
  const form = new URLSearchParams(text);
  const parameters: Parameters = {};
  for (const name of names) {
    const [value, ...others] = form.getAll(name);
    if (others.length > 0) return malformed('A parameter comes twice.');
    // Without a value it is as if it were not there (RFC 6749, 3.2).
    if (value) parameters[name] = value;
  }
  return parameters;
}

function fromJson(bytes: Buffer): Parameters | MalformedRequest {
  let body: unknown;
  try {
    body = parseBoundedJson(bytes, jsonBounds);
  } catch {
    return malformed('The body is no JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return malformed('The body is no JSON object.');
  const given = new Map(Object.entries(body));
  const parameters: Parameters = {};
  for (const name of names) {
    const value: unknown = given.get(name);
    if (value === undefined || value === null || value === '') continue;
    if (typeof value !== 'string') return malformed('A parameter is no text.');
    parameters[name] = value;
  }
  return parameters;
}

/** Id and secret of HTTP Basic, each form-encoded (RFC 6749, 2.3.1); undefined when it is something else. */
function fromBasic(header: string): { readonly id: string; readonly secret: string } | undefined {
  const [, base64 = ''] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header) ?? [];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(base64, 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    const plain = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
    return { id: plain(id), secret: plain(secret) };
  } catch {
    return undefined;
  }
}

/** Reads a request for a token: JSON or a form, and the client's secret in it or in the header of HTTP Basic. */
export function readTokenRequest({ headers, headersDistinct }: IncomingMessage, body: Buffer): TokenRequest | MalformedRequest {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded')
    return malformed('The body is to be application/json or application/x-www-form-urlencoded.');
  const parameters = type === 'application/json' ? fromJson(body) : fromForm(body.toString());
  if ('error' in parameters) return parameters;
  const { client_id: id, client_secret: secret, grant_type: grantType, audience, scope } = parameters;
  if (grantType === undefined) return malformed('`grant_type` is missing.');

  const [header, ...others] = headersDistinct.authorization ?? [];
  if (header === undefined) {
    if (id === undefined || secret === undefined)
      return { error: 'invalid_client', description: '`client_id` and `client_secret` are needed.' };
    return { clientId: id, clientSecret: secret, grantType, audience, scope };
  }
  const basic = fromBasic(header);
  if (basic === undefined) return { error: 'invalid_client', description: 'The header `Authorization` holds no client.' };
  if (others.length > 0 || secret !== undefined || (id !== undefined && id !== basic.id))
    return malformed('A client says who it is in one way.');
  return { clientId: basic.id, clientSecret: basic.secret, grantType, audience, scope };
}
