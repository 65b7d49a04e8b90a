import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Interval at which the delay is written, in ms. */
const interval = 250;

// Loaded before the server: writes the delay of its event loop to a file, in ms. Each write of the parent to the file begins a new measurement.
const file = process.env.BENCH_LOOP_DELAY;
if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('SIGUSR2', () => delay.reset());
  setInterval(() => writeFileSync(file, `${delay.percentile(99) / 1e6} ${delay.max / 1e6}`), interval).unref();
}
