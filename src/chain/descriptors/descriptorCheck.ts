import { createHash } from 'node:crypto';
import { createDescriptorPool, type DescriptorPool } from './descriptorPool.ts';

/** Outcomes to keep: that of the current descriptors, and that of a candidate from a node or file. */
const kept = 2;

/**
 * Makes a check of descriptors. It decodes equal bytes only once and returns the same pool for them. Rejects with
 * NODE_INVALID_RESPONSE if the bytes are empty, lack a file or do not parse; this outcome is kept too. `decode` makes the pool.
 */
export function createDescriptorCheck(decode = createDescriptorPool): (bytes: Uint8Array) => Promise<DescriptorPool> {
  const outcomes = new Map<string, Promise<DescriptorPool>>();

  async function check(bytes: Uint8Array): Promise<DescriptorPool> {
    const pool = decode(bytes);
    await pool.check();
    return pool;
  }

  return (bytes) => {
    const hash = createHash('sha256').update(bytes).digest('base64');
    const outcome = outcomes.get(hash) ?? check(bytes);
    outcome.catch(() => undefined);
    // A Map keeps insertion order, so this moves the outcome to the end.
    outcomes.delete(hash);
    outcomes.set(hash, outcome);
    const [oldest] = outcomes.keys();
    if (outcomes.size > kept && oldest !== undefined) outcomes.delete(oldest);
    return outcome;
  };
}
