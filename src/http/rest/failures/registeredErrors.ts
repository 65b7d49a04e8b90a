/** An error that a module has registered. The node's REST API returns its codespace and number, `abci_query` only its text. */
interface RegisteredError {
  readonly codespace: string;
  readonly code: number;
  readonly text: string;
}

const registered = (codespace: string, texts: Readonly<Record<number, string>>): readonly RegisteredError[] =>
  Object.entries(texts).map(([code, text]) => ({ codespace, code: Number(code), text }));

/**
 * Registered errors by the package of the service. Recorded: `not found` (sdk 38), `invalid request` (sdk 18), `invalid height`
 * (sdk 26), `invalid value` (group 6), `marker not found` (marker 7) and `no address bound to name` (name 2). The other numbers
 * of the SDK are from docs/chain.md, "Error codes of the application", and from the source of the SDK: a guess.
 */
const byPackage: readonly (readonly [string, readonly RegisteredError[]])[] = [
  ['cosmos.group.', registered('group', { 6: 'invalid value', 7: 'unauthorized', 9: 'expired' })],
  // Guess from the source of wasmd; 28 was recorded.
  [
    'cosmwasm.wasm.',
    registered('wasm', {
      2: 'create wasm contract failed',
      3: 'contract account already exists',
      4: 'instantiate wasm contract failed',
      5: 'execute wasm contract failed',
      6: 'insufficient gas',
      7: 'invalid genesis',
      8: 'not found',
      9: 'query wasm contract failed',
      10: 'invalid CosmosMsg from the contract',
      11: 'migrate wasm contract failed',
      12: 'empty',
      13: 'exceeds limit',
      14: 'invalid',
      15: 'duplicate',
      16: 'max transfer channels',
      17: 'unsupported for this contract',
      18: 'pinning contract failed',
      19: 'unpinning contract failed',
      20: 'unknown message from the contract',
      21: 'invalid event',
      22: 'no such contract',
      27: 'max query stack size exceeded',
      28: 'no such code',
      29: 'wasmvm error',
    }),
  ],
  ['provenance.marker.', registered('marker', { 7: 'marker not found' })],
  ['provenance.name.', registered('name', { 2: 'no address bound to name' })],
];

const ofSdk = registered('sdk', {
  2: 'tx parse error',
  4: 'unauthorized',
  5: 'insufficient funds',
  6: 'unknown request',
  7: 'invalid address',
  11: 'out of gas',
  13: 'insufficient fee',
  18: 'invalid request',
  22: 'key not found',
  26: 'invalid height',
  38: 'not found',
});

/**
 * Returns the text of the node's REST API for a log that ends with a registered error: `load proposal: not found` becomes
 * `codespace sdk code 38: not found: load proposal`. undefined if the log ends with no registered error.
 */
export function registeredText(service: string, log: string): string | undefined {
  const own = byPackage.find(([prefix]) => service.startsWith(prefix))?.[1] ?? [];
  const found = [...own, ...ofSdk].find(({ text }) => log === text || log.endsWith(`: ${text}`));
  if (found === undefined) return undefined;
  const { codespace, code, text } = found;
  const rest = log === text ? '' : `: ${log.slice(0, -text.length - 2)}`;
  return `codespace ${codespace} code ${code}: ${text}${rest}`;
}
