import { fileCircles } from './check.ts';
import type { ImportGraph } from './imports.ts';

/** The sources of the dashboard. */
export const dashboardFolder = 'dashboard/src';

/** What the files of each folder of the dashboard may import. Files directly in it may import everything. */
const table: Readonly<Record<string, readonly string[]>> = {
  pages: ['proof', 'components', 'actions', 'data', 'routing', 'format', 'language', 'gen'],
  shell: ['components', 'data', 'routing', 'format', 'language', 'theme'],
  // Seals, the page of reasons, and the worker that verifies.
  proof: ['components', 'data', 'routing', 'format', 'language', 'gen'],
  components: ['actions', 'data', 'routing', 'format', 'language', 'gen'],
  actions: ['data', 'format', 'language', 'gen'],
  data: ['routing', 'language', 'gen'],
  format: ['language'],
  // The texts of the pages.
  language: [],
  routing: [],
  theme: [],
  gen: [],
};

const folderOf = (file: string): string =>
  file
    .slice(dashboardFolder.length + 1)
    .split('/')
    .slice(0, -1)[0] ?? '';

/**
 * Everything that is wrong with the imports of the dashboard, one line each. `outside` are the imports that leave its folder: only generated protobuf
 * code, because the dashboard uses the server through the public API alone.
 */
export function checkDashboard(graph: ImportGraph, outside: ImportGraph): string[] {
  const errors: string[] = [];
  for (const [file, targets] of graph) {
    const from = folderOf(file);
    const allowed = table[from];
    if (from === '') continue;
    if (allowed === undefined) errors.push(`${file} is in a folder that the table of the dashboard does not name`);
    for (const target of targets) {
      const to = folderOf(target);
      if (to !== from && allowed?.includes(to) === false)
        errors.push(`${file} imports ${target}: ${from} may import ${allowed.join(', ')}`);
    }
  }
  for (const [file, targets] of outside)
    for (const target of targets)
      if (!target.startsWith('src/proto/')) errors.push(`${file} imports ${target}: the dashboard may import src/proto alone`);
  return [...errors, ...fileCircles(graph)];
}
