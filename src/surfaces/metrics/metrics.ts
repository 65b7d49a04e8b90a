import type { HistogramView } from '../../chain/transports/histogram.ts';

/** Labels of a sample. Each label has a small fixed set of values: callers cannot create new ones. */
type Labels = Readonly<Record<string, string>>;

/** The current samples of a metric. */
type Samples<T = number> = readonly { readonly labels?: Labels; readonly value: T }[];

/**
 * Adds a metric: its name, its help text, the names of its labels separated by spaces, and the function that returns its
 * samples.
 */
type Add<T = number> = (name: string, help: string, labels: string, read: () => Samples<T>) => void;

/** The functions that add metrics of each kind. */
export interface Kinds {
  readonly counter: Add;
  readonly gauge: Add;
  readonly histogram: Add<HistogramView>;
}

/** The metrics of a process. */
interface Metrics {
  /** Returns them in the text format of Prometheus, with those of other processes: the results of their `values`. */
  text(others?: readonly (readonly object[])[]): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Returns them as values, which can be sent to another process. */
  values(): Promise<readonly object[]>;
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
export function createMetrics(add: (kinds: Kinds) => void): Metrics {
  let registry: ReturnType<typeof register> | undefined;
  const registered = (): ReturnType<typeof register> => {
    registry ??= register(add);
    return registry;
  };
  return {
    async text(others = []) {
      const { registry: own, aggregate } = await registered();
      const all = others.length === 0 ? own : aggregate([await own.getMetricsAsJSON(), ...others]);
      return { contentType: own.contentType, text: await all.metrics() };
    },
    values: async () => (await registered()).registry.getMetricsAsJSON(),
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

  const labelNames = (labels: string): string[] => labels.split(' ').filter((name) => name !== '');
  function gauge(name: string, help: string, labels: string, read: () => Samples): void {
    new Gauge({
      name,
      help,
      aggregator: aggregators.get(name) ?? 'sum',
      labelNames: labelNames(labels),
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels = {}, value } of read()) this.set(labels, value);
      },
    });
  }
  function counter(name: string, help: string, labels: string, read: () => Samples): void {
    new Counter({
      name,
      help,
      labelNames: labelNames(labels),
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels = {}, value } of read()) this.inc(labels, value);
      },
    });
  }
  /** A histogram that is counted outside the library, because the library is loaded late. */
  function histogram(name: string, help: string, labels: string, read: () => Samples<HistogramView>): void {
    const values = () => read().flatMap(({ labels = {}, value }) => bucketsOf(name, labels, value));
    const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: values() });
    const metric = new Histogram({ name, help, labelNames: labelNames(labels), registers: [] });
    registry.registerMetric(Object.assign(metric, { get, getForPromString: get }));
  }

  add({ counter, gauge, histogram });
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
