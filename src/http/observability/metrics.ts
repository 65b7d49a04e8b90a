import type { HistogramView } from '../../chain/transports/histogram.ts';
import { addMetrics, type Labels, type MetricSources, type Samples } from './metricList.ts';

/** Returns the metrics in the text format of Prometheus. */
export type Metrics = () => Promise<{ readonly contentType: string; readonly text: string }>;

/** Creates the metrics. The library is loaded at the first read, and the metrics of the process are counted from then on. */
export function createMetrics(sources: MetricSources): Metrics {
  let registry: ReturnType<typeof register> | undefined;
  return async () => {
    registry ??= register(sources);
    const { contentType, metrics } = await registry;
    return { contentType, text: await metrics() };
  };
}

async function register(sources: MetricSources) {
  // A CommonJS library. In the bundle, it has only a default export.
  const { default: library } = await import('prom-client');
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = library;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  const labelNames = (labels: string): string[] => labels.split(' ').filter((name) => name !== '');
  function gauge(name: string, help: string, labels: string, read: () => Samples): void {
    new Gauge({
      name,
      help,
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

  addMetrics({ counter, gauge, histogram }, sources);
  return { contentType: registry.contentType, metrics: () => registry.metrics() };
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
