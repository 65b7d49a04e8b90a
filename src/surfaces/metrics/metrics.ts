import type { HistogramView } from '../../chain/transports/transport.ts';

/** Labels of a sample. Each label has a small fixed set of values: callers cannot create new ones. */
type Labels = Readonly<Record<string, string>>;

export type Samples<T = number | bigint> = readonly { readonly labels?: Labels; readonly value: T }[];

/** Returns the samples of a metric. A metric without labels has one value, and no sample while that is undefined. */
type Read = () => Samples | number | bigint | undefined;

/** The functions that add metrics of each kind. `series` is the name of a metric with those of its labels: `stele_node_height{node}`. */
export interface Kinds {
  counter(series: string, help: string, read: Read): void;
  gauge(series: string, help: string, read: Read): void;
  histogram(series: string, help: string, read: () => Samples<HistogramView>): void;
}

/** Splits `stele_node_height{node}` into the name and the names of the labels. */
function namesOf(series: string): { readonly name: string; readonly labelNames: string[] } {
  const [name = '', labels] = series.replace('}', '').split('{');
  return { name, labelNames: labels?.split(',') ?? [] };
}

function samplesOf(read: Read): Samples {
  const samples = read();
  if (typeof samples === 'object') return samples;
  return samples === undefined ? [] : [{ value: samples }];
}

/** Metrics that are not added when those of several processes are put together. */
const aggregators = new Map<string, 'max' | 'min'>([
  ['stele_build_info', 'max'],
  ['stele_queue_events_max', 'max'],
  ['stele_token_keys', 'max'],
  ['stele_token_keys_age_seconds', 'max'],
  ['stele_token_keys_stale', 'max'],
  ['stele_shared_usable', 'min'],
]);

/**
 * Creates the metrics that `add` adds. The library is loaded at the first read, and the metrics of the process are counted from then on.
 */
export function createMetrics(add: (kinds: Kinds) => void) {
  let registry: ReturnType<typeof register> | undefined;
  const registered = (): ReturnType<typeof register> => {
    registry ??= register(add);
    return registry;
  };
  return {
    /** Returns the metrics in the text format of Prometheus, with those of other processes: the results of their `values`. */
    async text(others: readonly (readonly object[])[] = []): Promise<{ readonly contentType: string; readonly text: string }> {
      const { registry: ownRegistry, aggregate } = await registered();
      const all = others.length === 0 ? ownRegistry : aggregate([await ownRegistry.getMetricsAsJSON(), ...others]);
      return { contentType: ownRegistry.contentType, text: await all.metrics() };
    },
    /** Returns the metrics as values, which can be sent to another process. */
    values: async (): Promise<readonly object[]> => (await registered()).registry.getMetricsAsJSON(),
  };
}

async function register(add: (kinds: Kinds) => void) {
  // A CommonJS library. In the bundle, it has only a default export.
  const { default: library } = await import('prom-client');
  const { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = library;
  const registry = new Registry();
  // The library counts from here on, and the metrics are registered when they are read for the first time.
  const { user, system } = process.cpuUsage();
  collectDefaultMetrics({ register: registry });
  for (const [kind, microseconds] of [
    ['user_', user],
    ['system_', system],
    ['', user + system],
  ] as const) {
    const metric = registry.getSingleMetric(`process_cpu_${kind}seconds_total`);
    if (metric instanceof Counter) metric.inc(microseconds / 1e6);
  }

  const kinds: Kinds = {
    gauge(series, help, read) {
      const { name, labelNames } = namesOf(series);
      new Gauge({
        name,
        help,
        aggregator: aggregators.get(name) ?? 'sum',
        labelNames,
        registers: [registry],
        collect() {
          this.reset();
          for (const { labels = {}, value } of samplesOf(read)) this.set(labels, Number(value));
        },
      });
    },
    counter(series, help, read) {
      new Counter({
        ...namesOf(series),
        help,
        registers: [registry],
        collect() {
          this.reset();
          for (const { labels = {}, value } of samplesOf(read)) this.inc(labels, Number(value));
        },
      });
    },
    /** A histogram that is counted outside the library, because the library is loaded late. */
    histogram(series, help, read) {
      const { name, labelNames } = namesOf(series);
      const values = () => read().flatMap(({ labels = {}, value }) => bucketsOf(name, labels, value));
      const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: values() });
      const metric = new Histogram({ name, help, labelNames, registers: [] });
      registry.registerMetric(Object.assign(metric, { get, getForPromString: get }));
    },
  };
  add(kinds);
  return {
    registry,
    aggregate: (all: readonly (readonly object[])[]) => AggregatorRegistry.aggregate(all.map((values) => [...values])),
  };
}

/** Returns the samples of a histogram in the text format: the cumulative count for each bound, the total count and the sum. */
function bucketsOf(name: string, labels: Labels, { bounds, counts, count, sum }: HistogramView) {
  const upTo = (le: string, value: number) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value });
  return [
    ...bounds.map((bound, index) => upTo(`${bound}`, counts[index] ?? 0)),
    upTo('+Inf', count),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
