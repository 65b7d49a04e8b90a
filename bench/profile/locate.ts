import { existsSync, readFileSync } from 'node:fs';
import type { Runtime } from 'node:inspector';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceFunction } from './areas.ts';

/**
 * Returns a function that finds the position of a call frame in the sources, by the source maps beside the bundles that ran.
 * Paths are relative to `root`.
 */
export function createLocator(root: string): (frame: Runtime.CallFrame) => SourceFunction {
  const maps = new Map<string, SourceMap | undefined>();

  function mapOf(file: string): SourceMap | undefined {
    if (!maps.has(file))
      maps.set(file, existsSync(`${file}.map`) ? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))) : undefined);
    return maps.get(file);
  }

  return ({ functionName: name, url, lineNumber, columnNumber }) => {
    if (!url.startsWith('file:')) return { name, path: url, line: lineNumber + 1 };
    const file = fileURLToPath(url);
    const entry = mapOf(file)?.findEntry(lineNumber, columnNumber);
    if (entry === undefined || !('originalSource' in entry)) return { name, path: relative(root, file), line: lineNumber + 1 };
    return { name, path: relative(root, resolve(dirname(file), entry.originalSource)), line: entry.originalLine + 1 };
  };
}
