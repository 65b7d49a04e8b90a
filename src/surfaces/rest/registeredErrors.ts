/** An error that a module has registered. The node's REST API returns its codespace and number, `abci_query` only its text. */
interface RegisteredError {
  readonly codespace: string;
  readonly code: number;
  readonly text: string;
}

const registered = (codespace: string, texts: Readonly<Record<number, string>>): readonly RegisteredError[] =>
  Object.entries(texts).map(([code, text]) => ({ codespace, code: Number(code), text }));

const ofModule = (prefix: string, codespace: string, texts: Readonly<Record<number, string>>) =>
  [prefix, registered(codespace, texts)] as const;

/**
 * Registered errors by the package of the services whose module registers them. `abci_query` says their text alone, so their numbers are known only
 * from the modules. Recorded: `not found` (sdk 38), `invalid request` (sdk 18), `invalid height` (sdk 26), `invalid value` (group 6), `marker not found`
 * (marker 7), `no address bound to name` (name 2), and of gov and wasm the transactions' 3, 7 and 28. The others are from the source of the SDK, of
 * Provenance and of wasmd: a guess.
 */
const byPackage = [
  ofModule('cosmos.group.', 'group', { 6: 'invalid value', 7: 'unauthorized', 9: 'expired' }),
  ofModule('cosmos.staking.', 'staking', {
    3: 'validator does not exist',
    7: 'validator for this address is currently jailed',
    22: 'insufficient delegation shares',
    34: 'cannot delegate to validators with invalid (zero) ex-rate',
    39: 'empty validator public key',
  }),
  ofModule('cosmos.slashing.', 'slashing', {
    2: 'address is not associated with any known validator',
    3: 'validator does not exist for that address',
    4: 'validator still jailed; cannot be unjailed',
    5: 'validator not jailed; cannot be unjailed',
    6: 'validator has no self-delegation; cannot be unjailed',
    7: "validator's self delegation less than minimum; cannot be unjailed",
    8: 'no validator signing info found',
  }),
  ofModule('cosmos.distribution.', 'distribution', {
    2: 'delegator address is empty',
    3: 'withdraw address is empty',
    4: 'validator address is empty',
    5: 'no delegation distribution info',
    6: 'no validator distribution info',
    7: 'no validator commission to withdraw',
    8: 'set withdraw address disabled',
    12: 'validator does not exist',
    13: 'delegation does not exist',
  }),
  ofModule('cosmos.gov.', 'gov', {
    3: 'inactive proposal',
    4: 'proposal already active',
    5: 'invalid proposal content',
    6: 'invalid proposal type',
    7: 'invalid vote option',
    8: 'invalid genesis state',
    9: 'no handler exists for proposal type',
    10: 'proposal message not recognized by router',
    11: 'no messages proposed',
    12: 'invalid proposal message',
    13: 'expected gov account as only signer for proposal message',
  }),
  ofModule('cosmos.nft.', 'nft', {
    3: 'nft class already exists',
    4: 'nft class does not exist',
    5: 'nft already exists',
    6: 'nft does not exist',
    7: 'empty class id',
    8: 'empty nft id',
  }),
  ofModule('cosmos.feegrant.', 'feegrant', {
    2: 'fee limit exceeded',
    3: 'fee allowance expired',
    4: 'invalid duration',
    5: 'no allowance',
    6: 'allowed messages are empty',
    7: 'message not allowed',
  }),
  // Guess from the source of wasmd; 28 was recorded.
  ofModule('cosmwasm.wasm.', 'wasm', {
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
  ofModule('provenance.flatfees.', 'flatfees', {
    5: 'fee for type does not exist',
    6: 'oracle address already exists',
    7: 'oracle address not found',
    8: 'invalid oracle address',
  }),
  ofModule('provenance.ledger.', 'ledger', {
    1: 'invalid field',
    2: 'missing field',
    3: 'unauthorized',
    4: 'already exists',
    5: 'internal error',
    6: 'not found',
  }),
  ofModule('provenance.marker.', 'marker', {
    2: 'access grant address is empty',
    3: 'invalid access type',
    4: 'access list contains duplicate entry',
    5: 'invalid marker status',
    6: 'access type not granted',
    7: 'marker not found',
    8: 'duplicate entry',
  }),
  ofModule('provenance.metadata.', 'metadata', {
    2: 'owner address is already bound to an uri',
    3: 'address does not match an existing account',
    4: 'no locator bound to address',
    5: 'uri length greater than allowed',
    6: 'No records found.',
    7: 'uri is invalid',
    8: 'scope id cannot be empty',
    9: 'scope not found with id ',
  }),
  ofModule('provenance.name.', 'name', {
    2: 'no address bound to name',
    3: 'name is already bound to an address',
    4: 'value provided for name is invalid',
    5: 'segment of name is too short',
    6: 'segment of name is too long',
    7: 'name has too many segments',
    8: 'invalid account address',
    9: 'invalid name: "." is reserved',
  }),
  ofModule('provenance.registry.', 'registry', {
    1: 'registry already exists',
    2: 'NFT does not exist',
    3: 'unauthorized',
    4: 'invalid role',
    5: 'registry not found',
    6: 'address already has role',
    7: 'invalid key',
    8: 'address does not have role',
    9: 'invalid field',
  }),
  ofModule('provenance.trigger.', 'trigger', { 2: 'trigger not found', 3: 'event not found', 4: 'queue index not found' }),
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

const all: readonly RegisteredError[] = [...byPackage.flatMap(([, errors]) => errors), ...ofSdk];

/** Returns the error that a log ends with. A longer text counts before a shorter one, and the module of the service before the SDK and other modules. */
function errorIn(service: string, log: string): RegisteredError | undefined {
  const moduleErrors = byPackage.find(([prefix]) => service.startsWith(prefix))?.[1] ?? [];
  const ends = all.filter(({ text }) => log === text || log.endsWith(`: ${text}`));
  const longest = Math.max(...ends.map(({ text }) => text.length));
  const longestEnds = ends.filter(({ text }) => text.length === longest);
  // A module passes errors of others on: assets are read from the module nft. A text that several of them register says nothing.
  const others = longestEnds.length === 1 ? longestEnds[0] : undefined;
  return longestEnds.find((each) => moduleErrors.includes(each)) ?? longestEnds.find((each) => ofSdk.includes(each)) ?? others;
}

/**
 * Returns the text of the node's REST API for a log that ends with a registered error: `load proposal: not found` becomes
 * `codespace sdk code 38: not found: load proposal`. undefined if the log ends with no error that is known.
 */
export function registeredText(service: string, log: string): string | undefined {
  const error = errorIn(service, log);
  if (error === undefined) return undefined;
  const { codespace, code, text } = error;
  const rest = log === text ? '' : `: ${log.slice(0, -text.length - 2)}`;
  return `codespace ${codespace} code ${code}: ${text}${rest}`;
}
