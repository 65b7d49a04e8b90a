import { circlesOf, foldersOf, type ImportGraph } from './imports.ts';
import { layers, shared } from './table.ts';

/** The layer of a source file: the first of the table that its path begins with, else the name of its folder below `src` or `packages`. */
function layerOf(file: string): string {
  const path = file.slice(file.indexOf('/') + 1);
  return layers.find(({ folder }) => path.startsWith(`${folder}/`))?.folder ?? path.split('/').slice(0, -1)[0] ?? '';
}

/** Imports against the table of layers. */
function wrongImports(graph: ImportGraph): string[] {
  const errors: string[] = [];
  for (const [file, targets] of graph) {
    const from = layerOf(file);
    const layer = layers.find(({ folder }) => folder === from);
    if (layer === undefined) {
      errors.push(`${file} is in src/${from}, which is no layer`);
      continue;
    }
    for (const target of targets) {
      const to = layerOf(target);
      if (to === from || shared.includes(to) || layer.imports.includes(to)) continue;
      errors.push(`${file} imports ${target}: ${from || 'src'} may import ${[...layer.imports, ...shared].join(', ')}`);
    }
  }
  return errors;
}

/** Files that import one another in a circle. */
export function fileCircles(graph: ImportGraph): string[] {
  return circlesOf(graph).map((circle) => `files import one another in a circle: ${circle.join(', ')}`);
}

/**
 * Everything that is wrong with the imports of the sources, one line each: imports against the table of layers, circles of
 * files, and circles of folders. `files` is the number of source files: reading fewer is an error.
 */
export function checkLayers(graph: ImportGraph, files: number): string[] {
  const missing = graph.size < files ? [`only ${graph.size} of ${files} files were read`] : [];
  const folderCircles = circlesOf(foldersOf(graph)).map(
    (circle) => `folders import one another in a circle: ${circle.join(', ')}`,
  );
  return [...missing, ...wrongImports(graph), ...fileCircles(graph), ...folderCircles];
}
