import type { JWK } from 'jose';
import { z } from 'zod';

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

const keysSchema = z.object({ keys: z.array(z.unknown()) });

/** A key that a signature can be checked with by anybody. */
const usableKey = z
  .looseObject({ kty: z.enum(['EC', 'RSA', 'OKP']) })
  .refine(({ use }) => use === undefined || use === 'sig')
  .refine(({ kid, alg }) => [kid, alg].every((name) => name === undefined || typeof name === 'string'));

/** Where an issuer's metadata may be: as OAuth has it (RFC 8414, 3.1), and as OpenID Connect does. */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [`${origin}/.well-known/oauth-authorization-server${path}`, `${origin}${path}/.well-known/openid-configuration`];
}

/**
 * The address of an issuer's keys, as its metadata says. Metadata of another issuer is not believed (RFC 8414, 3.3), nor an
 * address without TLS of an issuer with it.
 */
export async function discoverKeys(issuer: string, fetchJson: (url: string) => Promise<unknown>): Promise<string> {
  const reasons: string[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = metadataSchema.parse(await fetchJson(url));
      if (metadata.issuer !== issuer) throw new Error('it is the metadata of another issuer');
      if (issuer.startsWith('https:') && !metadata.jwks_uri.startsWith('https:')) throw new Error('its keys are without TLS');
      return metadata.jwks_uri;
    } catch (error) {
      reasons.push(`${url}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new Error(`the issuer tells nowhere where its keys are\n${reasons.join('\n')}`);
}

/**
 * The public keys of a key set; what in it is none, or of a kind that is not known, is passed over (RFC 7517, 5). Throws when it is no key set or
 * has none, for an issuer without keys is one in trouble.
 */
export function readKeys(json: unknown): JWK[] {
  const usable = keysSchema.parse(json).keys.flatMap((key) => {
    const { data } = usableKey.safeParse(key);
    return data === undefined ? [] : [data];
  });
  if (usable.length === 0) throw new Error('the issuer has a key set without a key');
  return usable;
}
