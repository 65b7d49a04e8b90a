import type { IncomingMessage } from 'node:http';
import { type JsonBounds, parseBoundedJson } from '../../chain/wire/json.ts';

/** A token request, from JSON or a form, with credentials in the body or in HTTP Basic. */
export interface TokenRequest {
  readonly clientId: string;
  /** undefined if the request has no secret, as that of a public client. */
  readonly clientSecret: string | undefined;
  readonly grantType: string;
  readonly audience: string | undefined;
  readonly scope: string | undefined;
}

/** An invalid token request, with its error code of RFC 6749 (5.2). */
export interface MalformedRequest {
  readonly error: 'invalid_request' | 'invalid_client';
  readonly description: string;
}

const names = ['client_id', 'client_secret', 'grant_type', 'audience', 'scope'] as const;

/** The bounds of a JSON body, which is a flat object of strings. */
const jsonBounds: JsonBounds = { depth: 8, values: 100, number: 128 };

type Parameters = Partial<Record<(typeof names)[number], string>>;

const malformed = (description: string): MalformedRequest => ({ error: 'invalid_request', description });

function fromForm(text: string): Parameters | MalformedRequest {
  const form = new URLSearchParams(text);
  const parameters: Parameters = {};
  for (const name of names) {
    const [value, ...others] = form.getAll(name);
    if (others.length > 0) return malformed('A parameter is repeated.');
    // A parameter without a value counts as absent (RFC 6749, 3.2).
    if (value) parameters[name] = value;
  }
  return parameters;
}

function fromJson(bytes: Buffer): Parameters | MalformedRequest {
  let body: unknown;
  try {
    body = parseBoundedJson(bytes, jsonBounds);
  } catch {
    return malformed('The body is not valid JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return malformed('The body is not a JSON object.');
  const given = new Map(Object.entries(body));
  const parameters: Parameters = {};
  for (const name of names) {
    const value: unknown = given.get(name);
    if (value === undefined || value === null || value === '') continue;
    if (typeof value !== 'string') return malformed('A parameter is not a string.');
    parameters[name] = value;
  }
  return parameters;
}

/** Returns the id and secret of HTTP Basic, each form-encoded (RFC 6749, 2.3.1). undefined if the header has another form. */
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

/** Reads a token request: JSON or a form, with the client's credentials in the body or in the header of HTTP Basic. */
export function readTokenRequest({ headers, headersDistinct }: IncomingMessage, body: Buffer): TokenRequest | MalformedRequest {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded')
    return malformed('The content type must be `application/json` or `application/x-www-form-urlencoded`.');
  const parameters = type === 'application/json' ? fromJson(body) : fromForm(body.toString());
  if ('error' in parameters) return parameters;
  const { client_id: id, client_secret: secret, grant_type: grantType, audience, scope } = parameters;
  if (grantType === undefined) return malformed('`grant_type` is missing.');

  const [header, ...others] = headersDistinct.authorization ?? [];
  if (header === undefined) {
    if (id === undefined) return { error: 'invalid_client', description: '`client_id` is missing.' };
    return { clientId: id, clientSecret: secret, grantType, audience, scope };
  }
  const basic = fromBasic(header);
  if (basic === undefined)
    return { error: 'invalid_client', description: 'The `Authorization` header contains no valid client credentials.' };
  if (others.length > 0 || secret !== undefined || (id !== undefined && id !== basic.id))
    return malformed('Send the client credentials in one place only.');
  return { clientId: basic.id, clientSecret: basic.secret, grantType, audience, scope };
}
