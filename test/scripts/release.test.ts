import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readRelease } from '../../scripts/release/pack.ts';

const root = mkdtempSync(join(tmpdir(), 'stele-release-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const readPackage = (path: string): string => readFileSync(`${path}/package.json`, 'utf8');

it('all packages have one version, and the changelog has lines about it', () => {
  const { version, packages } = readRelease();
  expect(packages.map(({ name }) => name)).toEqual(['@stele/client', '@stele/devnet', 'stele', '@stele/verify']);
  for (const { folder } of packages) {
    mkdirSync(join(root, 'packages', folder), { recursive: true });
    cpSync(`packages/${folder}/package.json`, join(root, 'packages', folder, 'package.json'));
  }
  cpSync('package.json', join(root, 'package.json'));
  const changelog = (text: string) => writeFileSync(join(root, 'CHANGELOG.md'), `# Changelog\n\n${text}`);
  changelog(`## ${version} (2026-12-01)\n\n- A line.\n`);
  expect(readRelease(root).version).toBe(version);
  for (const text of ['## Unreleased\n\n## 0.0.1\n\n- A line.\n', '## 0.0.1\n\n- A line.\n']) {
    changelog(text);
    expect(() => readRelease(root)).toThrow(`CHANGELOG.md has no line about ${version}`);
  }
  const other = readPackage('packages/verify').replace(`"version": "${version}"`, '"version": "9.9.9"');
  writeFileSync(join(root, 'packages/verify/package.json'), other);
  expect(() => readRelease(root)).toThrow('@stele/verify has the version 9.9.9');
});

it('the package of the server depends on the libraries that its bundles leave out, in the versions of the repository', () => {
  const { dependencies } = JSON.parse(readPackage('packages/server'));
  const { dependencies: all } = JSON.parse(readPackage('.'));
  const { '@resvg/resvg-wasm': resvg, 'dejavu-fonts-ttf': faces, libsql, 'swagger-ui-dist': swagger } = all;
  expect(dependencies).toEqual({
    '@resvg/resvg-wasm': resvg,
    'dejavu-fonts-ttf': faces,
    libsql,
    'swagger-ui-dist': swagger,
  });
});

it.each(['page.tsx', 'Board.tsx', 'document.ts'])('the README of the client shows %s of the project of Next.js', (file) => {
  const text = readFileSync(`scripts/release/projects/next/app/${file}`, 'utf8');
  expect(readFileSync('packages/client/README.md', 'utf8')).toContain(`\n${text}\`\`\`\n`);
});
