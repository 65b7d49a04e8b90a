import type { JsonValue } from '@bufbuild/protobuf';
import { PlainError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import {
  type Attributes,
  ContractError,
  type ContractState,
  type ContractWriter,
  type Fields,
  fieldsOf,
  textIn,
  variantOf,
} from './program.ts';

/** The versions of the program, in the order of their codes from 1. */
export const pointsVersions = ['1.0.0', '1.1.0'] as const;

/** The name of the program in its state, by the convention CW2. */
const programName = 'stele:points';
const types = { init: 'points::msg::InstantiateMsg', execute: 'points::msg::ExecuteMsg', query: 'points::msg::QueryMsg' };
const keys = { info: 'contract_info', token: 'token_info' };
/** The prefix of the balances: the length of the name of the map, and the name. */
const balancePrefix = '\x00\x07balance';
const pageSizes = { usual: 10, most: 30 };
/** The gas of a hash. The limit of a query ends 3,000 of them. */
const gasOfHash = 1000;

interface Token {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly total_supply: string;
  readonly minter: string | null;
}

function tokenOf(state: ContractState): Token {
  return state.get(keys.token) as unknown as Token;
}

function writeToken(state: ContractWriter, token: Token): void {
  state.set(keys.token, { ...token });
}

function amountIn(type: string, fields: Fields, name = 'amount'): bigint {
  const text = textIn(type, fields, name);
  if (/^\d{1,38}$/.test(text)) return BigInt(text);
  throw new ContractError(`Error parsing into type ${type}: invalid Uint128 '${text}'`);
}

function addressIn(type: string, fields: Fields, name: string): string {
  const address = textIn(type, fields, name);
  try {
    decodeAddress(address);
  } catch (error) {
    if (error instanceof PlainError) throw new ContractError(`Generic error: addr_validate errored: ${error.message}`);
    throw error;
  }
  return address;
}

function balanceOf(state: ContractState, address: string): bigint {
  const stored = state.get(balancePrefix + address);
  return typeof stored === 'string' ? BigInt(stored) : 0n;
}

function add(state: ContractWriter, address: string, amount: bigint): void {
  const after = balanceOf(state, address) + amount;
  if (after < 0n) throw new ContractError(`Overflow: Cannot Sub with given operands`);
  if (after === 0n) state.delete(balancePrefix + address);
  else state.set(balancePrefix + address, String(after));
}

function changeSupply(state: ContractWriter, amount: bigint): void {
  const token = tokenOf(state);
  writeToken(state, { ...token, total_supply: String(BigInt(token.total_supply) + amount) });
}

/** Writes the name and the version of the program. */
export function writeVersion(state: ContractWriter, version: string): void {
  state.set(keys.info, { contract: programName, version });
}

/** Creates a token with the balances in the message. */
export function instantiatePoints(state: ContractWriter, message: JsonValue): Attributes {
  const fields = fieldsOf(types.init, message);
  const minter = fields.minter === undefined || fields.minter === null ? null : addressIn(types.init, fields, 'minter');
  const decimals = typeof fields.decimals === 'number' ? fields.decimals : 0;
  const [name, symbol] = [textIn(types.init, fields, 'name'), textIn(types.init, fields, 'symbol')];
  const balances = Array.isArray(fields.initial_balances) ? fields.initial_balances : [];
  writeToken(state, { name, symbol, decimals, total_supply: '0', minter });
  for (const each of balances) {
    const balance = fieldsOf(types.init, each);
    const amount = amountIn(types.init, balance);
    add(state, addressIn(types.init, balance, 'address'), amount);
    changeSupply(state, amount);
  }
  return [
    ['action', 'instantiate'],
    ['name', name],
  ];
}

/** Executes `transfer`, `mint` or `burn`. */
export function executePoints(state: ContractWriter, sender: string, message: JsonValue): Attributes {
  const [action, fields] = variantOf(types.execute, ['transfer', 'mint', 'burn'], message);
  const amount = amountIn(types.execute, fields);
  if (amount === 0n) throw new ContractError('Invalid zero amount');
  const to = action === 'burn' ? undefined : addressIn(types.execute, fields, 'recipient');
  if (action === 'mint' && tokenOf(state).minter !== sender) throw new ContractError('Unauthorized');
  const from = action === 'mint' ? undefined : sender;
  if (from !== undefined) add(state, from, -amount);
  if (to !== undefined) add(state, to, amount);
  if (from === undefined) changeSupply(state, amount);
  if (to === undefined) changeSupply(state, -amount);
  return [
    ['action', action],
    ...(from === undefined ? [] : [['from', from] as const]),
    ...(to === undefined ? [] : [['to', to] as const]),
    ['amount', String(amount)],
  ];
}

function accountsOf(state: ContractState, { start_after: after, limit }: Fields): JsonValue {
  const most = Math.min(typeof limit === 'number' ? limit : pageSizes.usual, pageSizes.most);
  const accounts: string[] = [];
  for (const key of state.keys(balancePrefix, typeof after === 'string' ? balancePrefix + after : undefined)) {
    if (accounts.length >= most) break;
    accounts.push(key.slice(balancePrefix.length));
  }
  return { accounts };
}

/** Answers `token_info`, `minter`, `balance`, `all_accounts`, and `hashes`, whose only use is the gas that it takes. `spend` throws when there is no more gas. */
export function queryPoints(state: ContractState, spend: (gas: number) => void, message: JsonValue): JsonValue {
  const [query, fields] = variantOf(types.query, ['token_info', 'minter', 'balance', 'all_accounts', 'hashes'], message);
  const { minter, ...info } = tokenOf(state);
  switch (query) {
    case 'token_info':
      return info;
    case 'minter':
      return minter === null ? null : { minter };
    case 'balance':
      return { balance: String(balanceOf(state, addressIn(types.query, fields, 'address'))) };
    case 'all_accounts':
      return accountsOf(state, fields);
    case 'hashes': {
      const rounds = typeof fields.rounds === 'number' ? fields.rounds : 1;
      spend(rounds * gasOfHash);
      return { rounds };
    }
  }
}
