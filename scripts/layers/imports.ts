import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';

/** The source files of a project by path (`src/chain/client.ts`), each with the source files that it imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/**
 * Specifiers of relative imports: `import … from`, `export … from`, `import '…'` and `import('…')`, type imports included. The
 * formatter keeps quotes single and clauses regular, so text is enough; a specifier in a comment counts too, which is safe.
 */
const specifiers = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** Paths of all TypeScript files, `.ts` and `.tsx`, below `folder`, relative to `root`, with forward slashes. */
export function sourceFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll(sep, '/'),
    )
    .toSorted();
}

/** Reads the imports of every file below these folders from each other. Throws for an import of such a file that does not exist. */
export function readImports(root: string, ...folders: readonly string[]): ImportGraph {
  const files = folders.flatMap((folder) => sourceFiles(root, folder));
  const known = new Set(files);
  const graph = new Map<string, readonly string[]>();
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    const targets = [...text.matchAll(specifiers)].map(([, specifier = '']) =>
      normalize(join(dirname(file), specifier)).replaceAll(sep, '/'),
    );
    const inside = targets.filter(
      (target) => folders.some((folder) => target.startsWith(`${folder}/`)) && /\.tsx?$/.test(target),
    );
    const missing = inside.find((target) => !known.has(target));
    if (missing !== undefined) throw new Error(`${file} imports ${missing}, which does not exist`);
    graph.set(file, [...new Set(inside)]);
  }
  return graph;
}

/** The imports of files below `folder` that leave it: each file with the paths outside. */
export function outsideImports(root: string, folder: string): ImportGraph {
  const leaving = sourceFiles(root, folder).map((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const targets = [...text.matchAll(specifiers)].map(([, specifier = '']) =>
      normalize(join(dirname(file), specifier)).replaceAll(sep, '/'),
    );
    return [file, targets.filter((target) => !target.startsWith(`${folder}/`))] as const;
  });
  return new Map(leaving.filter(([, targets]) => targets.length > 0));
}

/** The graph of folders: each with the other folders that its files import from. */
export function foldersOf(graph: ImportGraph): ImportGraph {
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    const from = dirname(file);
    const set = folders.get(from) ?? new Set();
    folders.set(from, set);
    for (const target of targets) if (dirname(target) !== from) set.add(dirname(target));
  }
  return new Map([...folders].map(([folder, targets]) => [folder, [...targets]]));
}

/** The circles of a graph: each set of two or more nodes that all reach one another, largest first. */
export function circlesOf(graph: ImportGraph): string[][] {
  const indexes = new Map<string, number>();
  const lows = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];

  // Tarjan's algorithm.
  function visit(node: string): number {
    const index = indexes.size;
    indexes.set(node, index);
    stack.push(node);
    let low = index;
    for (const target of graph.get(node) ?? []) {
      if (!indexes.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, indexes.get(target) ?? low);
    }
    lows.set(node, low);
    if (low === index) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return low;
  }

  for (const node of graph.keys()) if (!indexes.has(node)) visit(node);
  return circles.toSorted((one, other) => other.length - one.length);
}
