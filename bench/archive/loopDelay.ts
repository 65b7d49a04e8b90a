import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Interval at which the delay is written, in ms. */
const interval = 250;

// Loaded before the server: writes the 99th percentile and the maximum of the delay of its event loop to a file, in ms, since the last SIGUSR2.
const file = process.env.BENCH_LOOP_DELAY;
if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('SIGUSR2', () => {
    // A running histogram would count the time since before its reset.
    delay.disable();
    delay.reset();
    delay.enable();
  });
  setInterval(() => writeFileSync(file, `${delay.percentile(99) / 1e6} ${delay.max / 1e6}`), interval).unref();
}
