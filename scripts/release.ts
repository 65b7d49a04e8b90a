import { parseArgs } from 'node:util';
import { lintPackages } from './release/lint.ts';
import { packAll, readRelease } from './release/pack.ts';
import { tryProjects } from './release/projects.ts';

// `npm run release`: builds and packs all packages into `release`, with their contents (SBOM) and checksums, and checks what can be checked without the
// npm registry. With `--check`, it also installs them in new projects. It publishes nothing. docs/packages.md describes it.

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, project: { type: 'string', multiple: true } },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  const release = readRelease();
  print(`version ${release.version}: ${release.packages.map(({ name }) => name).join(', ')}`);
  const tarballs = packAll(release);
  for (const { name, path, bytes, files } of tarballs) print(`${name}: ${path}, ${bytes} bytes, ${files} files`);
  await lintPackages(tarballs, print);
  if (values.check) await tryProjects(tarballs, print, values.project);
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
