import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';

const manifestSchema = z.object({ name: z.string(), version: z.string(), private: z.boolean().optional() });

/** What is released. */
export interface Release {
  readonly version: string;
  readonly packages: readonly { readonly name: string; readonly folder: string }[];
}

/** A package as npm would publish it. */
export interface Tarball {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** How many files it has. */
  readonly files: number;
}

/** Where the tarballs are written. */
export const releaseFolder = 'release';

/**
 * Reads what is released. Throws if the packages differ in their versions, or CHANGELOG.md has nothing about this one: neither a section of the version nor
 * lines under "Unreleased".
 */
export function readRelease(root = '.'): Release {
  const read = (path: string) => manifestSchema.parse(JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')));
  const { version } = read('.');
  const packages = readdirSync(join(root, 'packages')).map((folder) => ({ folder, ...read(`packages/${folder}`) }));
  for (const { name, version: own } of packages)
    if (own !== version) throw new Error(`${name} has the version ${own}, and the repository ${version}`);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const section = changelog.split(/^## /m).find((each) => each.startsWith(version) || each.startsWith('Unreleased'));
  if (section === undefined || !/^- /m.test(section)) throw new Error(`CHANGELOG.md has no line about ${version}`);
  return { version, packages: packages.map(({ name, folder }) => ({ name, folder })) };
}

const packedSchema = z.array(z.object({ filename: z.string(), size: z.number(), entryCount: z.number() })).length(1);

/** Builds and packs the packages. Beside each tarball is what it depends on (CycloneDX), and `SHA256SUMS` has the checksums of all. */
export function packAll({ packages }: Release): Tarball[] {
  const npm = (...args: readonly string[]): string => execFileSync('npm', [...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  rmSync(releaseFolder, { recursive: true, force: true });
  mkdirSync(releaseFolder);
  const tarballs = packages.map(({ name, folder }) => {
    // A build keeps the files of the one before.
    rmSync(join('packages', folder, 'dist'), { recursive: true, force: true });
    npm('run', '--silent', 'build', '--workspace', name);
    const printed = npm('pack', '--json', '--ignore-scripts', '--workspace', name, '--pack-destination', releaseFolder);
    const { filename, size, entryCount } = z.tuple([packedSchema.element]).parse(JSON.parse(printed))[0];
    const contents = npm('sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--workspace', name);
    writeFileSync(join(releaseFolder, filename.replace(/tgz$/, 'cdx.json')), contents);
    return { name, path: resolve(releaseFolder, filename), bytes: size, files: entryCount };
  });
  const sums = readdirSync(releaseFolder).map((file) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(releaseFolder, file)))
      .digest('hex');
    return `${sum}  ${file}\n`;
  });
  writeFileSync(join(releaseFolder, 'SHA256SUMS'), sums.join(''));
  return tarballs;
}
