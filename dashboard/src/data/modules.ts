import { signal } from '@preact/signals';
import { ModulesDocument, type ModulesQuery } from '../gen/graphql.ts';
import { at } from '../routing/router.ts';
import { noteBlock } from './shown.ts';
import { stele } from './stele.ts';

/** A module that not every chain has, and that pages or parts of pages are about. */
export type Module = Exclude<keyof ModulesQuery, 'head'>;

/** Which modules the chain has. undefined while it is being read; null if it could not be read. */
export const modules = signal<Readonly<Record<Module, boolean>> | null | undefined>(undefined);

/** The newest state of the modules, over the WebSocket that the page itself needs next; at a height, by one request. */
async function readNow(): Promise<ModulesQuery> {
  if (at.value === undefined) for await (const { data } of stele.live(ModulesDocument, {})) return data;
  return (await stele.query(ModulesDocument, {})).data;
}

async function read(): Promise<void> {
  try {
    const data = await readNow();
    // A page that shows what waits for the visitor asks for it at once, because the chain is known.
    if (data.head !== null) noteBlock({ ...data.head, height: BigInt(data.head.height) });
    const has = (module: Module): boolean => data[module] === null || data[module].length > 0;
    modules.value = {
      attribute: has('attribute'),
      gov: has('gov'),
      group: has('group'),
      hold: has('hold'),
      marker: has('marker'),
      mint: has('mint'),
      name: has('name'),
      slashing: has('slashing'),
      staking: has('staking'),
      wasm: has('wasm'),
    };
  } catch {
    modules.value ??= null;
  }
}

let reading: Promise<void> | undefined;

/** Reads which modules the chain has. Concurrent callers share one read. Never rejects. */
export async function readModules(): Promise<void> {
  reading ??= read().finally(() => {
    reading = undefined;
  });
  return reading;
}

/** Whether the chain has a module. Pages show what they are about unless it is certain that the chain does not have it. */
export function hasModule(module: Module): boolean {
  return modules.value?.[module] ?? true;
}
