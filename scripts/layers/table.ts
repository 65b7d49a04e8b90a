/** A layer of the architecture. The table of docs/architecture.md is this one. */
export interface Layer {
  /** The folder below `src` or `packages`. That of a part of a layer comes first. */
  readonly folder: string;
  /** The layers that its files may import, type imports included. Every layer may import `config` and `proto`. */
  readonly imports: readonly string[];
}

/** The layers from the top down: imports go down only. */
export const layers: readonly Layer[] = [
  {
    folder: 'start',
    imports: [
      ...[
        'surfaces',
        'surfaces/graphql',
        'surfaces/mcp',
        'surfaces/metrics',
        'webhooks',
        'server',
        'graphql',
        'answers',
        'modules',
        'schema',
        'archive',
      ],
      ...['shared', 'reads', 'chain', 'devnet'],
    ],
  },
  {
    folder: 'surfaces/graphql',
    imports: ['surfaces', 'server', 'graphql', 'answers', 'modules', 'schema', 'reads', 'shared', 'chain'],
  },
  {
    folder: 'surfaces/mcp',
    imports: ['surfaces', 'server', 'graphql', 'answers', 'modules', 'schema', 'reads', 'shared', 'chain'],
  },
  { folder: 'surfaces/metrics', imports: ['webhooks', 'server', 'graphql', 'answers', 'archive', 'shared', 'chain'] },
  { folder: 'surfaces', imports: ['server', 'answers', 'modules', 'archive', 'reads', 'shared', 'chain'] },
  { folder: 'webhooks', imports: ['server', 'graphql', 'answers', 'modules', 'archive', 'reads', 'chain'] },
  { folder: 'server', imports: ['answers', 'archive', 'reads', 'shared', 'chain'] },
  { folder: 'graphql', imports: ['answers', 'modules', 'schema', 'reads', 'chain'] },
  { folder: 'answers', imports: ['reads', 'chain'] },
  { folder: 'modules', imports: ['schema', 'archive', 'reads', 'chain', 'verify'] },
  { folder: 'schema', imports: ['reads', 'chain'] },
  { folder: 'archive', imports: ['reads', 'chain'] },
  { folder: 'reads', imports: ['chain', 'verify'] },
  { folder: 'shared', imports: ['chain'] },
  { folder: 'chain', imports: ['verify'] },
  { folder: 'devnet', imports: ['chain'] },
  { folder: 'verify', imports: [] },
  { folder: 'config', imports: [] },
  { folder: 'proto', imports: [] },
];

/** Layers that every layer may import. */
export const shared: readonly string[] = ['config', 'proto'];

/** The folders whose files the table holds. */
export const layeredFolders: readonly string[] = ['src', 'packages/devnet/src', 'packages/verify/src'];
