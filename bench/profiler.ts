import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import type { Command } from './child.ts';

const session = new Session();

/**
 * Replaces the functions of JSON with functions of this file that call them: the profiler of V8 adds the time of native functions
 * to that of their caller, which would hide the time of JSON.
 */
function nameJson(): void {
  const { parse, stringify } = JSON;
  Object.assign(JSON, {
    parse: (...args: Parameters<typeof parse>) => parse(...args),
    stringify: (...args: Parameters<typeof stringify>) => stringify(...args),
  });
}

/** The commands of a child that can be profiled. `prepareProfile` is called once, before the load that warms up. */
export const profiling: Readonly<Record<string, Command>> = {
  async prepareProfile() {
    nameJson();
    session.connect();
    await session.post('Profiler.enable');
    // In microseconds.
    await session.post('Profiler.setSamplingInterval', { interval: 500 });
    return 0;
  },
  async startProfile() {
    await session.post('Profiler.start');
    return 0;
  },
  /** Writes the profile to the file that is the argument. */
  async stopProfile(file) {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(String(file), JSON.stringify(profile));
    return 0;
  },
};
