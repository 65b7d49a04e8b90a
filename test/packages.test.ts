import { readFileSync } from 'node:fs';
import { satisfies } from 'semver';
import { expect, it } from 'vitest';
import { z } from 'zod';

/** The oldest release of each line of Node.js that Stele supports (`engines` of package.json), and a newer one. */
const releases = ['20.19.0', '22.12.0', '24.0.0', '25.0.0'];

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      optional: z.boolean().optional(),
      engines: z.object({ node: z.string().optional() }).optional(),
    }),
  ),
});

// npm prints EBADENGINE for each package that does not accept the release. It does not install optional packages that do not fit.
it.each(['package-lock.json', 'examples/supergraph/package-lock.json', 'bench/peers/package-lock.json'])(
  'the packages of %s accept every supported release of Node.js',
  (file) => {
    const packages = Object.entries(lockSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).packages);
    expect(packages.length).toBeGreaterThan(100);
    const refused = packages.flatMap(([path, { version, optional, engines: { node = '*' } = {} }]) =>
      optional === true
        ? []
        : releases.filter((release) => !satisfies(release, node)).map((release) => `${release}: ${path} ${version} ${node}`),
    );
    expect(refused).toEqual([]);
  },
);
