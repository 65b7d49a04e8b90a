import type { JWK } from 'jose';
import { z } from 'zod';

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

const keysSchema = z.object({ keys: z.array(z.unknown()) });

/** A public key that can verify signatures. */
const usableKey = z
  .looseObject({ kty: z.enum(['EC', 'RSA', 'OKP']) })
  .refine(({ use }) => use === undefined || use === 'sig')
  .refine(({ kid, alg }) => [kid, alg].every((name) => name === undefined || typeof name === 'string'));

/** Returns the possible URLs of an issuer's metadata: that of OAuth (RFC 8414, 3.1) and that of OpenID Connect. */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [`${origin}/.well-known/oauth-authorization-server${path}`, `${origin}${path}/.well-known/openid-configuration`];
}

/**
 * Returns the URL of an issuer's keys from its metadata. Metadata with another `issuer` is refused (RFC 8414, 3.3), and so is a
 * `jwks_uri` without TLS if the issuer uses TLS.
 */
export async function discoverKeys(issuer: string, fetchJson: (url: string) => Promise<unknown>): Promise<string> {
  const reasons: string[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = metadataSchema.parse(await fetchJson(url));
      if (metadata.issuer !== issuer) throw new Error('the metadata is that of another issuer');
      if (issuer.startsWith('https:') && !metadata.jwks_uri.startsWith('https:'))
        throw new Error('the jwks_uri does not use https');
      return metadata.jwks_uri;
    } catch (error) {
      reasons.push(`${url}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new Error(`no valid metadata of the issuer\n${reasons.join('\n')}`);
}

/**
 * Returns the public keys of a key set. Skips members that are no keys or of an unknown type (RFC 7517, 5). Throws if the value
 * is not a key set or has no usable key: a working issuer has keys.
 */
export function readKeys(json: unknown): JWK[] {
  const usable = keysSchema.parse(json).keys.flatMap((key) => {
    const { data } = usableKey.safeParse(key);
    return data === undefined ? [] : [data];
  });
  if (usable.length === 0) throw new Error('the key set of the issuer has no usable key');
  return usable;
}
