import { signal } from '@preact/signals';
import { ModulesDocument, type ModulesQuery } from '../gen/graphql.ts';
import { stele } from './stele.ts';

/** A module that not every chain has, and that pages or parts of pages are about. */
export type Module = keyof ModulesQuery;

/** Which modules the chain has. undefined while it is being read; null if it could not be read. */
export const modules = signal<Readonly<Record<Module, boolean>> | null | undefined>(undefined);

/** Reads which modules the chain has. Never rejects. */
export async function readModules(): Promise<void> {
  try {
    const { data } = await stele.query(ModulesDocument, {});
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

/** Whether the chain has a module. Pages show what they are about unless it is certain that the chain does not have it. */
export function hasModule(module: Module): boolean {
  return modules.value?.[module] ?? true;
}
