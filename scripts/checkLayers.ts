import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkLayers, fileCircles } from './layers/check.ts';
import { checkDashboard, dashboardFolder } from './layers/dashboard.ts';
import { outsideImports, readImports, sourceFiles } from './layers/imports.ts';
import { checkResolvers } from './layers/resolvers.ts';
import { layeredFolders } from './layers/table.ts';

// Checks the imports of src and of the development chain against the table of layers (docs/architecture.md), and those of the dashboard, of the client package and of the verifier, the resolvers against
// clocks and state, and prints what is wrong. Exits with 1 if anything is. An argument names another project root.
const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
const folders = layeredFolders.filter((folder) => existsSync(join(root, folder)));
const graph = readImports(root, ...folders);
const errors = checkLayers(graph, folders.flatMap((folder) => sourceFiles(root, folder)).length);
if (existsSync(join(root, dashboardFolder)))
  errors.push(...checkDashboard(readImports(root, dashboardFolder), outsideImports(root, dashboardFolder)));
const client = 'packages/client/src';
if (existsSync(join(root, client))) errors.push(...fileCircles(readImports(root, client)));
// It is a package of its own: it imports no code of the server, generated code neither.
const verify = 'packages/verify/src';
if (existsSync(join(root, verify)))
  for (const file of outsideImports(root, verify).keys()) errors.push(`${file} imports a file outside of ${verify}`);
for (const file of sourceFiles(root, 'src/modules'))
  errors.push(...checkResolvers(file, readFileSync(join(root, file), 'utf8')));
for (const error of errors) console.error(error);
const imports = [...graph.values()].reduce((sum, targets) => sum + targets.length, 0);
console.log(`layers: ${graph.size} files, ${imports} imports, ${errors.length} violations`);
process.exitCode = errors.length > 0 ? 1 : 0;
