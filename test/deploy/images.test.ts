import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findForeignTool } from '../support/tools.ts';

const hadolint = findForeignTool('hadolint');
const helm = findForeignTool('helm');

/** The flags of the server, which docs/operating.md and docs/authentication.md list. */
const flags = ['operating', 'authentication'].flatMap((page) => [
  ...readFileSync(`docs/${page}.md`, 'utf8').matchAll(/^\| `--([\w-]+)`/gm),
]);
/** `workers` and `shared` are added with the replicas. */
const known = new Set([...flags.map(([, flag]) => flag), 'workers', 'shared']);

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly user?: string;
  readonly read_only?: boolean;
}

const { services, volumes } = parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

describe('deploy/compose.yaml', () => {
  it('gives the servers flags that exist', () => {
    const given = services.stele!.command!.map((argument) => /^--([\w-]+)=/.exec(argument)?.[1]);
    expect(given.filter((flag) => !known.has(flag))).toEqual([]);
  });

  it('mounts files that exist, and names services and volumes that exist', () => {
    for (const [name, service] of Object.entries(services)) {
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('.')) expect(existsSync(join('deploy', source)), `${name}: ${source}`).toBe(true);
        else if (!source.startsWith('/')) expect(volumes, name).toHaveProperty(source);
      }
      for (const other of Object.keys(service.depends_on ?? {})) expect(services, name).toHaveProperty(other);
    }
  });

  it('runs the servers without rights and with a root file system that is not written', () => {
    expect(services.stele).toMatchObject({ user: '1000:1000', read_only: true, cap_drop: ['ALL'] });
  });
});

describe('deploy/Dockerfile', () => {
  const lines = readFileSync('deploy/Dockerfile', 'utf8').split('\n');

  it.skipIf(!hadolint.isInstalled)(`is accepted by hadolint${hadolint.note}`, () => {
    const { status, stdout } = spawnSync('hadolint', ['deploy/Dockerfile'], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it('runs without rights, tells Docker how it is, and names each workspace that the packages need', () => {
    expect(lines).toContain('USER 1000:1000');
    expect(lines.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
    const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly workspaces: readonly string[] };
    for (const workspace of workspaces) expect(lines).toContain(`COPY ${workspace}/package.json ${workspace}/`);
  });
});

describe('deploy/helm/stele', () => {
  const chart = 'deploy/helm/stele';
  const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as {
    readonly flags: Readonly<Record<string, unknown>>;
    readonly secretFiles: Readonly<Record<string, unknown>>;
  };
  const templates = readdirSync(join(chart, 'templates')).map((name) => readFileSync(join(chart, 'templates', name), 'utf8'));

  it('gives the servers flags that exist', () => {
    const given = [...Object.keys(values.flags), ...Object.keys(values.secretFiles)];
    expect(given.filter((flag) => !known.has(flag))).toEqual([]);
  });

  it('uses each value, and has each value that its templates use', () => {
    const used = new Set(templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path!)));
    for (const path of used) {
      const value = path.split('.').reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)?.[name], values);
      expect(value, path).toBeDefined();
    }
    for (const name of Object.keys(values))
      expect(
        [...used].some((path) => path.split('.')[0] === name),
        name,
      ).toBe(true);
  });

  it.skipIf(!helm.isInstalled)(`is accepted by Helm, with each of its switches${helm.note}`, () => {
    const run = (...args: readonly string[]) => spawnSync('helm', args, { encoding: 'utf8' });
    const render = ['template', 'try', chart, '--kube-version', '1.30.0'];
    expect(run('lint', chart)).toMatchObject({ status: 0 });
    expect(run(...render, '--set', 'autoscaling.subscribers=2000').stdout).toContain('name: stele_subscribers');
    const off = ['autoscaling.enabled=false', 'networkPolicy.enabled=false', 'serviceAccount.name=own'];
    const { status, stdout } = run(...render, ...off.flatMap((value) => ['--set', value]));
    expect(status).toBe(0);
    expect(stdout).not.toMatch(/^kind: (HorizontalPodAutoscaler|NetworkPolicy|ServiceAccount)$/m);
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    expect(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))).toMatchObject({
      name: dirname(`${chart}/x`).split('/').at(-1),
      version,
      appVersion: version,
    });
  });
});
