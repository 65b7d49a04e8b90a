import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildInto, filesIn } from './place.js';

// Builds a package of TypeScript, in its directory: `npm run build --workspace @stele/client`. `dist` has ES modules, and `dist/cjs` the same modules for
// `require`. Both have declarations.
await buildInto('dist', async (directory) => {
  execFileSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.json', '--outDir', directory], { stdio: 'inherit' });
  // Generated code is JavaScript with declarations, which tsc does not emit.
  if (existsSync('src/gen/proto')) cpSync('src/gen/proto', join(directory, 'gen/proto'), { recursive: true });
  const files = filesIn(directory);
  const common = join(directory, 'cjs');
  await build({
    // A program is no module that is required.
    entryPoints: files.filter((file) => file.endsWith('.js') && !file.endsWith('main.js')).map((file) => join(directory, file)),
    outdir: common,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  for (const file of files.filter((each) => each.endsWith('.d.ts'))) cpSync(join(directory, file), join(common, file));
  writeFileSync(join(common, 'package.json'), '{ "type": "commonjs" }\n');
});
