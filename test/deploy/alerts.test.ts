import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { addMetrics, type MetricSources } from '../../src/surfaces/metrics/metrics.ts';
import { findTool } from '../support/tools.ts';

const promtoolProgram = findTool('promtool');

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

const { rules } = (parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as Rules).groups[0]!;

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const { panels } = JSON.parse(readFileSync('deploy/grafana/stele.json', 'utf8')) as { readonly panels: readonly Panel[] };

/** The names of all metrics that a server with tokens and an archive has, as Prometheus stores them. */
async function metricNames(): Promise<ReadonlySet<string>> {
  const names = new Set(['up']);
  // A metric is added with the names of its labels: `name{label}`.
  const nameOf = (series: string): string => series.replace(/\{.*/, '');
  const add = (series: string): void => void names.add(nameOf(series));
  const addHistogram = (series: string): void => {
    for (const part of ['bucket', 'count', 'sum']) names.add(`${nameOf(series)}_${part}`);
  };
  const sources = { client: {}, auth: () => undefined, archive: {}, webhooks: () => undefined } as unknown as MetricSources;
  addMetrics({ counter: add, gauge: add, histogram: addHistogram }, sources);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of await registry.getMetricsAsJSON()) names.add(name);
  return names;
}

/** The metrics that an expression names. */
const metricsIn = (expr: string): readonly string[] => expr.match(/\b(?:stele|nodejs|process)_\w+|\bup\b/g) ?? [];

describe('each metric exists', () => {
  it('that an alert names', async () => {
    const names = await metricNames();
    for (const { alert, expr } of rules) {
      expect(metricsIn(expr).length, alert).toBeGreaterThan(0);
      for (const name of metricsIn(expr)) expect(names, `${alert} names ${name}`).toContain(name);
    }
  });

  it('that a panel of the Grafana dashboard names', async () => {
    const names = await metricNames();
    const expressions = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    expect(expressions.length).toBeGreaterThan(30);
    for (const { title, expr } of expressions) {
      expect(metricsIn(expr).length, title).toBeGreaterThan(0);
      for (const name of metricsIn(expr)) expect(names, `${title} names ${name}`).toContain(name);
    }
  });
});

it('docs/operating.md says what to do about each alert, and about no other', () => {
  const page = readFileSync('docs/operating.md', 'utf8');
  const sections = [...page.matchAll(/^### (Stele\w+)\n\n(.+)$/gm)];
  expect(sections.map(([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
  for (const [, name, text] of sections) expect(text!.length, name).toBeGreaterThan(80);
});

describe.skipIf(!promtoolProgram.isInstalled)(`promtool${promtoolProgram.note}`, () => {
  const promtool = (...args: readonly string[]): { readonly status: number | null; readonly output: string } => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  it('accepts the rules', () => {
    expect(promtool('check', 'rules', 'deploy/prometheus/alerts.yaml')).toMatchObject({ status: 0 });
  });

  it('sees each alert fire when it should, and none for a healthy server', () => {
    const { status, output } = promtool('test', 'rules', 'deploy/prometheus/alerts.test.yaml');
    expect(output).toContain('SUCCESS');
    expect(status).toBe(0);
    const tests = readFileSync('deploy/prometheus/alerts.test.yaml', 'utf8');
    for (const { alert } of rules) expect(tests, alert).toContain(`alertname: ${alert}\n`);
  });

  it('accepts the expressions of the Grafana dashboard', () => {
    const recorded = panels
      .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')))
      .map((expr, index) => ({ record: `panel:number${index}`, expr }));
    const directory = mkdtempSync(join(tmpdir(), 'stele-rules-'));
    const file = join(directory, 'panels.yaml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: recorded }] }));
    const { status, output } = promtool('check', 'rules', file);
    rmSync(directory, { recursive: true });
    expect(output).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
