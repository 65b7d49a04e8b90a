/** A layer of the architecture. The table of docs/architecture.md is this one. */
export interface Layer {
  /** The folder below `src`; empty for the files directly in `src`. */
  readonly folder: string;
  /** The layers that its files may import, type imports included. Every layer may import `config` and `proto`. */
  readonly imports: readonly string[];
}

/** The layers from the top down: imports go down only. */
export const layers: readonly Layer[] = [
  { folder: '', imports: ['workers', 'http', 'graphql', 'modules', 'schema', 'archive', 'reads', 'shared', 'chain', 'devnet'] },
  { folder: 'workers', imports: ['archive', 'shared', 'chain'] },
  { folder: 'http', imports: ['graphql', 'modules', 'archive', 'reads', 'shared', 'chain'] },
  { folder: 'graphql', imports: ['modules', 'schema', 'archive', 'reads', 'chain'] },
  { folder: 'modules', imports: ['schema', 'archive', 'reads', 'chain'] },
  { folder: 'schema', imports: ['reads', 'chain'] },
  { folder: 'archive', imports: ['reads', 'chain'] },
  { folder: 'reads', imports: ['chain'] },
  { folder: 'shared', imports: ['chain'] },
  { folder: 'chain', imports: [] },
  { folder: 'devnet', imports: ['chain'] },
  { folder: 'config', imports: [] },
  { folder: 'proto', imports: [] },
];

/** Layers that every layer may import. */
export const shared: readonly string[] = ['config', 'proto'];
