import type { IncomingMessage } from 'node:http';
import { type ForwardedUrl, forwardedUrl, xForwardedUrl } from './forwarded.ts';

/** The URLs of requests that came through trusted proxies. */
const believed = new WeakMap<IncomingMessage, ForwardedUrl>();

/** The origin in links if the `Host` header is invalid. */
const fallbackOrigin = 'http://localhost:4000';

/** A name or address with an optional port. */
const hostPattern = /^[\w.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/;

/** The value that all headers agree on that give one. A proxy that sets one header may pass on the other one as the client sent it. */
function agreed(values: readonly (string | undefined)[]): string | undefined {
  const given = new Set(values.filter((value) => value !== undefined));
  return given.size === 1 ? [...given][0] : undefined;
}

/** Believes what the headers of a request say about the URL that the client used. Call it for requests of trusted proxies only. */
export function believeForwardedUrl(request: IncomingMessage): void {
  const { headers } = request;
  const said = [xForwardedUrl(headers), ...(headers.forwarded === undefined ? [] : [forwardedUrl(headers.forwarded)])];
  const scheme = agreed(said.map((each) => each.scheme));
  const host = agreed(said.map((each) => each.host));
  believed.set(request, {
    scheme: scheme === 'https' || scheme === 'http' ? scheme : undefined,
    host: host !== undefined && hostPattern.test(host) ? host : undefined,
  });
}

/** The host that the client of a request named: that of a trusted proxy, else the `Host` header. Empty if there is none. */
export function publicHost(request: IncomingMessage): string {
  return believed.get(request)?.host ?? request.headers.host ?? '';
}

/** The origin that the client of a request used, for links: scheme and host as a trusted proxy names them, else `http` and the `Host` header. */
export function publicOrigin(request: IncomingMessage): string {
  const host = publicHost(request);
  return hostPattern.test(host) ? `${believed.get(request)?.scheme ?? 'http'}://${host}` : fallbackOrigin;
}

/** The origin that a trusted proxy names in full. undefined for other requests. */
export function forwardedOrigin(request: IncomingMessage): string | undefined {
  const { scheme, host } = believed.get(request) ?? {};
  return scheme === undefined || host === undefined ? undefined : `${scheme}://${host}`;
}
