import { z } from 'zod';
import { isNetwork } from '../network.ts';
import { archiveSettings } from './archiveSettings.ts';
import { authSettings } from './authConfig.ts';
import { dashboardSettings } from './dashboardSettings.ts';
import { replicaSettings } from './replicaSettings.ts';

/** The log levels, from the most verbose to none. */
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The least severe level that is logged. `silent` logs nothing. */
export type LogLevel = (typeof logLevels)[number];

/** The headings of `--help`, in order. */
export const settingGroups = ['Server', 'Nodes', 'Archive', 'Replicas', 'Authentication', 'Operation'] as const;

/** One setting: its flag, its environment variable, and how its text is parsed. */
export interface Setting<T> {
  readonly flag: string;
  readonly variable: string;
  /** What the setting is for, in one sentence. */
  readonly summary: string;
  readonly group: (typeof settingGroups)[number];
  /** What the text must be. Completes the sentence "--flag must be …". */
  readonly expects: string;
  readonly schema: z.ZodType<T>;
  /** The text that is parsed if none is given. */
  readonly defaultText?: string;
  /** What applies if no text is given, as `--help` shows it. For settings without `defaultText`. */
  readonly absent?: string;
  /** Whether the flag has no value. It stands for the text `on`. */
  readonly isSwitch?: boolean;
  /** Whether the flag may be repeated. The variable is then a comma-separated list. */
  readonly isList?: boolean;
}

const address = z.string().min(1);
const nodeUrl = z.string().refine((text) => /^https?:/.test(text) && URL.canParse(text));
const origin = z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text);
const network = z.string().refine(isNetwork);
const onOrOff = z.enum(['on', 'off']).transform((text) => text === 'on');
const pathOrOff = address.transform((text) => (text === 'off' ? undefined : text));
const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.number().max(65535));
const upToTwentySeconds = z
  .string()
  .regex(/^\d{1,2}(\.\d{1,3})?$/)
  .transform((text) => Number(text) * 1000)
  .pipe(z.number().max(20_000));

const aPort = 'a port from 0 to 65535';
const anAddress = 'an address to listen on';

/** Every setting of the server except the limits. `readConfig` parses this table and `--help` prints it. */
export const settings = {
  port: {
    flag: 'port',
    variable: 'STELE_PORT',
    group: 'Server',
    summary: 'The port of the API. 0 selects a free port.',
    expects: aPort,
    schema: port,
    defaultText: '4000',
  },
  host: {
    flag: 'host',
    variable: 'STELE_HOST',
    group: 'Server',
    summary: 'The address that the API listens on.',
    expects: anAddress,
    schema: address,
    defaultText: '127.0.0.1',
  },
  node: {
    flag: 'node',
    variable: 'STELE_NODES',
    group: 'Nodes',
    summary: 'The RPC address of a CometBFT 0.38 node, with credentials if the node needs them.',
    expects: 'http or https addresses of nodes',
    schema: nodeUrl,
    absent: 'the embedded chain',
    isList: true,
  },
  allowedOrigin: {
    flag: 'allowed-origin',
    variable: 'STELE_ALLOWED_ORIGINS',
    group: 'Server',
    summary: 'A web origin whose pages may call the API from a browser.',
    expects: 'origins of web pages, such as https://app.example',
    schema: origin,
    absent: 'none',
    isList: true,
  },
  trustedProxy: {
    flag: 'trusted-proxy',
    variable: 'STELE_TRUSTED_PROXIES',
    group: 'Server',
    summary:
      'The address or network of a proxy. The headers X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host and Forwarded are read only from these.',
    expects: 'addresses or networks of proxies, such as 10.0.0.0/8',
    schema: network,
    absent: 'none',
    isList: true,
  },
  trustedDocuments: {
    flag: 'trusted-documents',
    variable: 'STELE_TRUSTED_DOCUMENTS',
    group: 'Server',
    summary:
      'The file of trusted GraphQL documents by id: the manifest that the client preset of GraphQL Code Generator writes.',
    expects: 'a file of documents by id',
    schema: address,
    absent: 'none',
  },
  onlyTrustedDocuments: {
    flag: 'only-trusted-documents',
    variable: 'STELE_ONLY_TRUSTED_DOCUMENTS',
    group: 'Server',
    summary: 'Refuses GraphQL documents that are not trusted, except for tokens with the scope `introspect`.',
    expects: '`on` or `off`',
    schema: onOrOff,
    defaultText: 'off',
    isSwitch: true,
  },
  allowSharedCaches: {
    flag: 'allow-shared-caches',
    variable: 'STELE_ALLOW_SHARED_CACHES',
    group: 'Server',
    summary:
      'Lets shared caches, such as a CDN, keep the answer to a GET of a trusted document at a height in its URL. A token then no longer protects it.',
    expects: '`on` or `off`',
    schema: onOrOff,
    defaultText: 'off',
    isSwitch: true,
  },
  network: {
    flag: 'network',
    variable: 'STELE_NETWORK',
    group: 'Nodes',
    summary: 'Adds the public node of this network, and rejects nodes of another chain.',
    expects: '`mainnet` or `testnet`',
    schema: z.enum(['mainnet', 'testnet']),
    absent: 'none',
  },
  broadcastCommit: {
    flag: 'broadcast-commit',
    variable: 'STELE_BROADCAST_COMMIT',
    group: 'Nodes',
    summary: 'Whether `broadcastTxCommit` is enabled. It is meant for testing.',
    expects: '`on` or `off`',
    schema: onOrOff,
    defaultText: 'on',
  },
  simulationNode: {
    flag: 'simulation-node',
    variable: 'STELE_SIMULATION_NODE',
    group: 'Nodes',
    summary:
      'The RPC or REST address of a node for simulations. It must carry nothing else and must not be a validator, because a simulation can stop it.',
    expects: 'the http or https address of a node',
    schema: nodeUrl,
    absent: 'none: only transactions that execute no contract are simulated, for the scopes `broadcast` and `simulate`',
  },
  cacheDir: {
    flag: 'cache-dir',
    variable: 'STELE_CACHE_DIR',
    group: 'Nodes',
    summary: 'The directory where the descriptors of a chain are kept between starts.',
    expects: 'a directory, or `off`',
    schema: pathOrOff,
    absent: '~/.cache/stele',
  },
  adminPort: {
    flag: 'admin-port',
    variable: 'STELE_ADMIN_PORT',
    group: 'Operation',
    summary: 'The port of the metrics and of the probes with their reasons. 0 selects a free port.',
    expects: aPort,
    schema: port,
    defaultText: '0',
  },
  adminHost: {
    flag: 'admin-host',
    variable: 'STELE_ADMIN_HOST',
    group: 'Operation',
    summary: 'The address of the admin port. It needs no token.',
    expects: anAddress,
    schema: address,
    defaultText: '127.0.0.1',
  },
  drainDelay: {
    flag: 'drain-delay',
    variable: 'STELE_DRAIN_DELAY',
    group: 'Operation',
    summary: 'How long the server keeps serving after SIGTERM, so that a load balancer notices that it stops.',
    expects: 'seconds from 0 to 20',
    schema: upToTwentySeconds,
    defaultText: '5',
  },
  logLevel: {
    flag: 'log-level',
    variable: 'STELE_LOG_LEVEL',
    group: 'Operation',
    summary: 'The least severe level that is logged.',
    expects: '`debug`, `info`, `warn`, `error` or `silent`',
    schema: z.enum(logLevels),
    defaultText: 'info',
  },
  ...archiveSettings,
  ...replicaSettings,
  ...authSettings,
  ...dashboardSettings,
} as const satisfies Record<string, Setting<unknown>>;

/** The flags that print a text and exit. */
export const printingFlags = ['help', 'version'] as const;
