import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/settings/config.ts';
import { placeOf } from './starting.ts';

/** The file in the directory of an archive with the secret that encrypts the keys of webhooks. */
const webhookSecretFile = 'webhooks.key';

/**
 * The secret that encrypts the keys of webhooks: the shared one, else one that is made once for the directory of the archive. undefined if the server has
 * no archive, or a database and no shared secret.
 */
export function webhookSecretOf(config: Config, temporary?: string): string | undefined {
  const place = placeOf(config, config.nodes.length === 0, temporary);
  if (place === undefined || config.sharedSecret !== undefined) return place && config.sharedSecret;
  if (place.kind === 'postgres') return undefined;
  // A temporary archive ends with this process.
  if (place.path === undefined) return randomBytes(32).toString('base64url');
  const file = join(place.path, webhookSecretFile);
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(place.path, { recursive: true, mode: 0o700 });
    writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 });
    try {
      // Fails if another process has made it.
      linkSync(draft, file);
    } catch (error) {
      if (!existsSync(file)) throw error;
    } finally {
      rmSync(draft, { force: true });
    }
    return readFileSync(file, 'utf8');
  } catch {
    // The archive reports that the directory cannot be used.
    return undefined;
  }
}
