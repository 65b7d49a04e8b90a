import { availableParallelism } from 'node:os';
import { z } from 'zod';

/** The most worker processes. */
const mostWorkers = 64;

/** The shortest secret that encrypts signing keys, in characters. */
const leastSecret = 32;

/** The settings of several processes that serve together. */
export const replicaSettings = {
  workers: {
    flag: 'workers',
    variable: 'STELE_WORKERS',
    group: 'Replicas',
    summary:
      'The number of processes that serve the port. `auto`: one for each core. They share what replicas share, without a store.',
    expects: `\`auto\`, or a number from 1 to ${mostWorkers}`,
    schema: z.union([
      z.literal('auto').transform(() => availableParallelism()),
      z
        .string()
        .regex(/^\d{1,2}$/)
        .transform(Number)
        .pipe(z.number().min(1).max(mostWorkers)),
    ]),
    defaultText: '1',
  },
  shared: {
    flag: 'shared',
    variable: 'STELE_SHARED',
    group: 'Replicas',
    summary:
      'The Redis or Valkey server that replicas share: reads of the state, limits of callers, signing keys, persisted queries. `?cluster=true` connects to a cluster.',
    expects: 'a `redis://` or `rediss://` URL',
    schema: z.string().refine((text) => /^rediss?:\/\/[^/?]/.test(text) && URL.canParse(text)),
    absent: 'nothing is shared',
  },
  sharedSecret: {
    flag: 'shared-secret',
    variable: 'STELE_SHARED_SECRET',
    group: 'Replicas',
    summary:
      'Encrypts the signing keys of the embedded issuer in the shared store. Use the variable, because other users of the machine can read flags.',
    expects: `at least ${leastSecret} characters`,
    schema: z.string().min(leastSecret),
    absent: 'the signing keys are not shared',
  },
} as const;
