import { ripemd160 } from '@noble/hashes/legacy.js';
import { concat, equalBytes, toHex } from './bytes.ts';
import { malformed, ProofError } from './errors.ts';
import { addressLength } from './header.ts';
import { base64Of, hexOf, int64Of, listOf, membersOf, textOf } from './json.ts';
import { merkleRoot, sha256 } from './merkle.ts';
import { bytesField, messageField, varintField } from './proto.ts';
import type { PublicKey } from './signatures.ts';

/** A validator and its voting power. */
export interface Validator {
  readonly address: Uint8Array;
  readonly key: PublicKey;
  readonly power: bigint;
}

/** A validator set, in the order of its hash: by descending power. */
export interface ValidatorSet {
  readonly validators: readonly Validator[];
  /** The power of all validators. */
  readonly totalPower: bigint;
  /** `validators_hash` of the headers that the set signs. */
  readonly hash: Uint8Array;
}

/** The most validators of a set (`MaxVotesCount` of CometBFT). */
export const maxValidators = 10_000;

/** The largest power of a set (`MaxTotalVotingPower` of CometBFT). */
const maxTotalPower = (2n ** 63n - 1n) / 8n;

/** The types of keys by their names on the wire, with the length of a key and its field in `tendermint.crypto.PublicKey`. */
const keyTypes: Readonly<Record<string, { readonly type: PublicKey['type']; readonly length: number }>> = {
  'tendermint/PubKeyEd25519': { type: 'ed25519', length: 32 },
  'tendermint/PubKeySecp256k1': { type: 'secp256k1', length: 33 },
};

function decodeKey(value: unknown): PublicKey {
  const key = membersOf(value, 'the key of a validator', ['type', 'value']);
  const name = textOf(key.type, 'the type of a key', 100);
  const keyType = Object.hasOwn(keyTypes, name) ? keyTypes[name] : undefined;
  if (keyType === undefined)
    throw new ProofError(
      'UNKNOWN_KEY_TYPE',
      `A validator has a key of the type ${JSON.stringify(name)}, which is not supported.`,
    );
  const bytes = base64Of(key.value, 'the key of a validator', 64);
  if (bytes.length !== keyType.length) throw malformed(`a key of ${bytes.length} bytes, but ${name} has ${keyType.length}`);
  return { type: keyType.type, bytes };
}

/** The address of a key: the first bytes of its hash. */
function addressOf({ type, bytes }: PublicKey): Uint8Array {
  return type === 'ed25519' ? sha256(bytes).subarray(0, addressLength) : ripemd160(sha256(bytes));
}

function decodeValidator(value: unknown): Validator {
  const names = ['address', 'pub_key', 'voting_power'];
  const validator = membersOf(value, 'a validator', names, ['proposer_priority']);
  // It changes with every block, and no hash covers it.
  const { proposer_priority: priority } = validator;
  if (priority !== undefined) int64Of(priority, 'proposer_priority', -(2n ** 63n));
  const key = decodeKey(validator.pub_key);
  const address = hexOf(validator.address, 'address', addressLength);
  if (!equalBytes(address, addressOf(key)))
    throw new ProofError('WRONG_HASH', `The address ${toHex(address)} is not that of the key beside it.`);
  return { address, key, power: int64Of(validator.voting_power, 'voting_power', 1n) };
}

/** The leaf of a validator: its key and its power. */
function leafOf({ key, power }: Validator): Uint8Array {
  return concat(messageField(1, bytesField(key.type === 'ed25519' ? 1 : 2, key.bytes)), varintField(2, power));
}

/**
 * Decodes a whole validator set, as the pages of `validators` of a node have it, and computes its hash. Throws MALFORMED, WRONG_HASH for an address that is not that of its
 * key, and UNKNOWN_KEY_TYPE.
 */
export function decodeValidators(value: unknown): ValidatorSet {
  const validators = listOf(value, 'validators', maxValidators).map(decodeValidator);
  if (validators.length === 0) throw malformed('a validator set without validators');
  let totalPower = 0n;
  const addresses = new Set<string>();
  for (const { address, power } of validators) {
    totalPower += power;
    addresses.add(toHex(address));
  }
  if (addresses.size < validators.length) throw malformed('a validator set with the same validator twice');
  if (totalPower > maxTotalPower) throw malformed(`a validator set with a power of more than ${maxTotalPower}`);
  return { validators, totalPower, hash: merkleRoot(validators.map(leafOf)) };
}
