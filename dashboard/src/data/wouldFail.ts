import { signal } from '@preact/signals';

/** The open proposals that would fail if they ran now, by id, with the reason. The code that rehearses fills it. */
export const wouldFail = signal<ReadonlyMap<string, string>>(new Map());
