/** A function of a profile: its name and its position in the sources. */
export interface SourceFunction {
  readonly name: string;
  /**
   * The path from the root of the project, or a module of Node.js such as `node:net`. Empty for native functions and for the
   * states of V8, such as `(garbage collector)`.
   */
  readonly path: string;
  readonly line: number;
}

/** The area of V8's states. `(idle)` is not work, and has none. */
const states: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code outside of JavaScript',
};

/** Modules of Node.js and libraries that send and receive. */
const sockets = /^node:(_?http|_stream|net$|tls|stream|internal\/(http|net|streams?\/|stream_base|js_stream|webstreams))/;
const socketLibraries: ReadonlySet<string> = new Set(['undici', 'ws']);

/** Returns the name of the package of a file in `node_modules`. */
function packageOf(path: string): string | undefined {
  return path.includes('node_modules/') ? /^(@[^/]+\/)?[^/]+/.exec(path.split('node_modules/').at(-1) ?? '')?.[0] : undefined;
}

/**
 * Returns the area that the time of a function counts for, such as `JSON` or `src/chain/wire`. undefined for idle time, and for
 * native functions, whose time counts for their caller's area.
 */
export function areaOf({ name, path }: SourceFunction): string | undefined {
  if (path === '') return states[name];
  if (path === 'bench/profiler.ts') return 'JSON';
  if (path.startsWith('node:')) return sockets.test(path) ? 'sockets and HTTP' : 'Node.js, other';
  const library = packageOf(path);
  if (library === '@bufbuild/protobuf' || path.startsWith('src/proto/')) return 'protobuf';
  if (library !== undefined) {
    if (library === 'graphql') return 'graphql-js';
    return socketLibraries.has(library) ? 'sockets and HTTP' : library;
  }
  return path.split('/').slice(0, -1).slice(0, 3).join('/');
}
