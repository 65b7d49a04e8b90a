import { bech32 } from '@scure/base';
import { isChainError } from '../../chain/base/errors.ts';
import type { Descriptors } from '../../chain/descriptors/descriptors.ts';
import { badInput } from '../../reads/errors.ts';
import { addressBytes, addressInput } from '../../reads/input.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import type { Pin } from '../../reads/pin.ts';
import { createAccountLoaders } from './loaders.ts';

/**
 * The prefix of account addresses by chain, once it has been read. Before, addresses with the prefix of test networks (docs/chain.md, "Addresses and
 * denominations") pass without a read; the chain itself refuses them if it has another one.
 */
const prefixes = new WeakMap<Descriptors, string>();
const testPrefix = 'tp';

/** Prefixes of addresses that are no accounts but have attributes and balances: those of the metadata module. */
const metadataPrefixes: readonly string[] = ['scope', 'session', 'record', 'contractspec', 'scopespec', 'recspec'];

/** The prefix that the chain reports; undefined if its nodes do not serve the query. */
async function readPrefix(pin: Pin): Promise<string | undefined> {
  try {
    const prefix = await pin.loaders(createAccountLoaders).prefix.load('');
    prefixes.set(pin.descriptors, prefix);
    return prefix;
  } catch (error) {
    if (isChainError(error, 'ABCI_QUERY_FAILED')) return undefined;
    throw error;
  }
}

/** What an address is that does not begin with the prefix of the chain's accounts, as the end of the sentence "must be …". */
function boundOf(address: string, found: string, prefix: string): string {
  const expected = `an address of an account of this chain (\`${prefix}1…\`)`;
  const bytes = addressBytes(address) ?? new Uint8Array();
  if (found === `${prefix}valoper`) {
    return `${expected}; \`${found}1…\` is a validator, whose account is \`${bech32.encode(prefix, bech32.toWords(bytes), 128)}\``;
  }
  if (found === `${prefix}valcons`) {
    const hex = Buffer.from(bytes).toString('hex').toUpperCase();
    return `${expected}; \`${found}1…\` is the consensus key of a validator, whose address is \`${hex}\` in hexadecimal`;
  }
  return `${expected}; \`${found}1…\` is an address of another chain`;
}

/**
 * An address of the chain in lower case: of an account, or of the metadata module (`scope1…`). Text that is no address, an address of another chain
 * and that of a validator are BAD_USER_INPUT; the error names both prefixes, and the account of the validator. Reads the chain's prefix only if the
 * address has another one than expected. Fails with NODE_… if that is needed and no node can be reached.
 */
export function accountInput(pin: Pin, argument: string, value: string): Awaitable<string> {
  const address = addressInput(argument, value);
  const found = address.slice(0, address.lastIndexOf('1'));
  if (found === (prefixes.get(pin.descriptors) ?? testPrefix) || metadataPrefixes.includes(found)) return address;
  return andThen(readPrefix(pin), (prefix) => {
    if (prefix === undefined || prefix === found) return address;
    throw badInput(argument, value, boundOf(address, found, prefix));
  });
}

/** Checks several optional addresses as {@link accountInput} does, by the names of their arguments. */
export async function checkAccounts(pin: Pin, addresses: Readonly<Record<string, string | null | undefined>>): Promise<void> {
  for (const [argument, value] of Object.entries(addresses)) if (value != null) await accountInput(pin, argument, value);
}
