import { readFileSync } from 'node:fs';
import { BaseAccount } from 'cosmjs-types/cosmos/auth/v1beta1/auth';
import { QueryAccountInfoResponse, QueryAccountResponse } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import { PubKey } from 'cosmjs-types/cosmos/crypto/ed25519/keys';
import { QueryValidatorsResponse } from 'cosmjs-types/cosmos/staking/v1beta1/query';
import { Validator } from 'cosmjs-types/cosmos/staking/v1beta1/staking';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  decodeBlockResults,
  decodeNewBlockValue,
  encodeParamUpdates,
  encodeValidatorUpdate,
} from '../../src/chain/blocks/committedBlock.ts';
import { asObject, type JsonObject, type JsonValue, objectAt, textAt } from '../../src/chain/wire/json.ts';
import { readRecording } from '../recordings/recordings.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** What the code of CometBFT 0.40 printed. */
interface Comet40 {
  readonly keys: readonly { readonly type: string; readonly address: string; readonly key: string }[];
  readonly consensus_params: JsonObject;
  readonly block_results: JsonObject;
  readonly block_results_empty: JsonObject;
  readonly validators: JsonObject;
}

const comet: Comet40 = JSON.parse(readFileSync(new URL('../support/comet40.json', import.meta.url), 'utf8'));
const keys = new Map(comet.keys.map((each) => [each.type, each]));
const authority = 'cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn';

const sdkNames: Readonly<Record<string, string>> = { ed25519: 'ed25519', secp256k1: 'secp256k1', bls12381: 'bls12_381' };

/** A validator of the staking module. Its key has the type of the SDK. */
const staked = (type: string, key: string, of: string) =>
  Validator.fromPartial({
    operatorAddress: `tpvaloper1${of}`,
    consensusPubkey: Any.fromPartial({
      typeUrl: type,
      value: PubKey.encode(PubKey.fromPartial({ key: Buffer.from(key, 'base64') })).finish(),
    }),
    description: { moniker: `the ${of} validator` },
  });

const stakedValidators = QueryValidatorsResponse.encode(
  QueryValidatorsResponse.fromPartial({
    validators: [
      ...comet.keys.map(({ type, key }) => staked(`/cosmos.crypto.${sdkNames[type] ?? type}.PubKey`, key, type)),
      // Outside of the set, with a key that no table has, and with one whose bytes are no message.
      staked('/some.chain.v1.PubKey', 'AAEC', 'strange'),
      Validator.fromPartial({ consensusPubkey: { typeUrl: '/some.chain.v1.PubKey', value: Uint8Array.of(0xff) } }),
    ],
  }),
).finish();

const ethAccount = '/ethermint.types.v1.EthAccount';
let chain: TestChain;
let stack: Stack;
/** The responses of the application that are replaced, by path. */
let application: Record<string, JsonObject>;

const value = (bytes: Uint8Array): JsonObject => ({
  code: 0,
  log: '',
  codespace: '',
  value: Buffer.from(bytes).toString('base64'),
});

beforeAll(async () => {
  chain = await startChain();
  for (let count = 0; count < 3; count += 1) await chain.devnet.commit();
  chain.node.faults.forge = ({ method, params }, result): JsonValue => {
    const { path = '', height } = asObject(params ?? {}, 'params');
    if (method === 'validators') return { ...comet.validators, block_height: height ?? '' };
    if (method === 'block_results' && height === '2')
      return {
        ...asObject(result, method),
        validator_updates: comet.block_results.validator_updates ?? null,
        consensus_param_updates: comet.block_results.consensus_param_updates ?? null,
      };
    if (method === 'consensus_params' && height === '2') return { ...comet.consensus_params, block_height: '2' };
    const forged = method === 'abci_query' ? application[String(path)] : undefined;
    if (forged === undefined) return result;
    return { response: { ...objectAt(asObject(result, method), 'response'), ...forged } };
  };
  application = { '/cosmos.staking.v1beta1.Query/Validators': value(stakedValidators) };
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
});
beforeEach(() => {
  application = { '/cosmos.staking.v1beta1.Query/Validators': value(stakedValidators) };
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

async function data(document: string, variables: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const { body } = await stack.ask(document, variables);
  expect(body.errors).toBeUndefined();
  return body.data as Record<string, unknown>;
}

describe('block results and NewBlock events of CometBFT 0.40', () => {
  it('are read and printed as CometBFT prints them, with the authority and every type of key', () => {
    const { outcome } = decodeBlockResults(comet.block_results);
    expect(outcome.consensusParamUpdates).toMatchObject({ authority, version: { app: 0n } });
    expect(encodeParamUpdates(outcome.consensusParamUpdates!)).toEqual(comet.block_results.consensus_param_updates);
    expect(outcome.validatorUpdates.map(encodeValidatorUpdate)).toEqual(comet.block_results.validator_updates);
    expect(outcome.validatorUpdates.map(({ publicKey }) => publicKey)).toEqual(
      (comet.validators.validators as JsonObject[]).map(({ pub_key }) => pub_key),
    );
    const empty = decodeBlockResults(comet.block_results_empty).outcome.consensusParamUpdates!;
    expect(empty.authority).toBe('');
    expect(encodeParamUpdates(empty)).toEqual({ authority: {} });
  });

  it('keep a key of a type that is not known', () => {
    const update: JsonObject = {
      pub_key: { Sum: { type: 'tendermint.crypto.PublicKey_Falcon', value: { falcon: 'AAEC' } } },
      power: '1',
    };
    const { outcome } = decodeBlockResults({ ...comet.block_results, validator_updates: [update] });
    expect(outcome.validatorUpdates[0]!.publicKey).toEqual({ type: 'tendermint.crypto.PublicKey_Falcon', value: 'AAEC' });
    expect(outcome.validatorUpdates.map(encodeValidatorUpdate)).toEqual([update]);
  });

  it('are read from an event too', () => {
    const recorded = readRecording('live-newblock').flatMap(({ frame }) => {
      const result = frame === undefined ? undefined : (JSON.parse(frame) as { result?: { data?: JsonObject } }).result;
      return result?.data?.type === 'tendermint/event/NewBlock' ? [objectAt(result.data, 'value')] : [];
    })[0]!;
    const results = objectAt(recorded, 'result_finalize_block');
    const { validator_updates = null, consensus_param_updates = null } = comet.block_results;
    const block = decodeNewBlockValue({
      ...recorded,
      result_finalize_block: { ...results, validator_updates, consensus_param_updates },
    });
    expect(block.consensusParamUpdates?.authority).toBe(authority);
    expect(block.validatorUpdates).toHaveLength(5);
  });

  it('are in the graph and in the node RPC', async () => {
    const { block, consensusParams } = await data(`{
      block(height: 2) { results { validatorUpdates { publicKey { type value } } consensusParamUpdates { authority version { app } } } }
      consensusParams(height: 2) { authority block { maxGas } }
    }`);
    expect(block).toMatchObject({ results: { consensusParamUpdates: { authority, version: { app: '0' } } } });
    expect(consensusParams).toEqual({ authority, block: { maxGas: '-1' } });
    for (const [method, member] of [
      ['block_results', 'consensus_param_updates'],
      ['block_results', 'validator_updates'],
      ['consensus_params', 'consensus_params'],
    ] as const) {
      const response = await fetch(`${stack.server.url}/comet/${method}?height=2`);
      const { result } = (await response.json()) as { result: JsonObject };
      expect(result[member]).toEqual(comet[method][member]);
    }
  });

  it('have no authority from older nodes', async () => {
    const query =
      '{ block(height: 3) { results { consensusParamUpdates { authority } } } consensusParams(height: 3) { authority } }';
    expect(await data(query)).toEqual({
      block: { results: { consensusParamUpdates: { authority: null } } },
      consensusParams: { authority: null },
    });
  });
});

describe('validators with keys of every type', () => {
  it('have the name of their validator in the staking module, by one read of each list', async () => {
    chain.node.counters.reset();
    const { validators } = await data('{ validators { nodes { address moniker operatorAddress publicKey { type } } } }');
    expect(validators).toEqual({
      nodes: expect.arrayContaining(
        comet.keys.map(({ type, address }) =>
          expect.objectContaining({ address, moniker: `the ${type} validator`, operatorAddress: `tpvaloper1${type}` }),
        ),
      ),
    });
    const calls = chain.node.counters.log.map(
      ({ method, params }) => textAt(asObject(params ?? {}, 'params'), 'path') || method,
    );
    expect(calls.filter((name) => name.includes('alidators')).toSorted()).toEqual([
      '/cosmos.staking.v1beta1.Query/Validators',
      'validators',
    ]);
  });

  it('have the consensus address that CometBFT computes, also outside of the validator set', async () => {
    chain.node.faults.forge = withoutSet(chain.node.faults.forge);
    for (const type of ['ed25519', 'secp256k1', 'bls12381', 'mldsa65']) {
      await chain.devnet.commit();
      await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 10_000 });
      const { validator } = await data('query ($a: String!) { validator(address: $a) { moniker votingPower } }', {
        a: keys.get(type)!.address,
      });
      expect(validator, type).toEqual({ moniker: `the ${type} validator`, votingPower: null });
    }
  });
});

/** The same node with one other validator in the set. */
function withoutSet(forge: TestChain['node']['faults']['forge']): TestChain['node']['faults']['forge'] {
  return (call, result) => {
    const forged = forge?.(call, result) ?? result;
    if (call.method !== 'validators') return forged;
    const other = asObject((comet.validators.validators as JsonValue[])[0] ?? {}, 'validator');
    return { ...asObject(forged, 'validators'), validators: [{ ...other, address: 'AA'.repeat(20) }], count: '1', total: '1' };
  };
}

describe('an account of a type that this server does not support', () => {
  const { alice: address } = readRecording('world').addr;
  const document = 'query ($a: String!) { account(address: $a) { kind accountNumber sequence publicKey { type value } } }';
  const eth = Any.fromPartial({ typeUrl: ethAccount, value: Uint8Array.of(10, 0) });
  const pubKey = Any.fromPartial({ typeUrl: '/ethermint.crypto.v1.ethsecp256k1.PubKey', value: Uint8Array.of(10, 1, 7) });

  it('has its number, sequence and key', async () => {
    const info = BaseAccount.fromPartial({ address, pubKey, accountNumber: 12n, sequence: 34n });
    application['/cosmos.auth.v1beta1.Query/Account'] = value(QueryAccountResponse.encode({ account: eth }).finish());
    application['/cosmos.auth.v1beta1.Query/AccountInfo'] = value(QueryAccountInfoResponse.encode({ info }).finish());
    chain.node.counters.reset();
    expect(await data(document, { a: address })).toEqual({
      account: {
        kind: 'OTHER',
        accountNumber: '12',
        sequence: '34',
        publicKey: { type: pubKey.typeUrl, value: Buffer.from(pubKey.value).toString('base64') },
      },
    });
    expect(chain.node.counters.log.filter(({ method }) => method === 'abci_query')).toHaveLength(2);
    const response = await fetch(`${stack.server.url}/v1/accounts/${address}`);
    expect(await response.json()).toMatchObject({ item: { kind: 'OTHER', accountNumber: '12', sequence: '34' } });
  });
});

it('a node that is catching up refuses a transaction in its own words over the node RPC, and the graph says that it may be sent later', async () => {
  const data = 'endpoint is closed while node is catching up';
  const [from] = chain.accounts;
  const tx = chain.sign(from!, []);
  chain.node.faults.call = ({ method }) =>
    method.startsWith('broadcast_tx') ? { rpc: { code: -32603, message: 'Internal error', data } } : undefined;
  const response = await fetch(`${stack.server.url}/comet/broadcast_tx_sync?tx=0x${Buffer.from(tx).toString('hex')}`);
  expect(await response.json()).toMatchObject({ error: { code: -32603, message: 'Internal error', data } });
  const { body } = await stack.ask('mutation ($tx: String!) { broadcastTxSync(tx: $tx) { status } }', {
    tx: Buffer.from(tx).toString('base64'),
  });
  expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'NODE_UNREACHABLE', sent: false });
  chain.node.faults.call = undefined;
});

describe('a fee grant that does not exist', () => {
  it.each([
    'fee-grant not found',
    `collections: not found: key '("tp1a", "tp1b")' of type github.com/cosmos/gogoproto/cosmos.feegrant.v1beta1.Grant`,
  ])('is null with the text of each SDK: %s', async (text) => {
    const log = `rpc error: code = Internal desc = ${text}: unknown request`;
    application['/cosmos.feegrant.v1beta1.Query/Allowance'] = { code: 6, codespace: 'sdk', log, value: null };
    await chain.devnet.commit();
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 10_000 });
    const { alice, bob } = readRecording('world').addr;
    expect(
      await data('query ($a: String!, $b: String!) { feeGrant(granter: $a, grantee: $b) { granter { address } } }', {
        a: alice,
        b: bob,
      }),
    ).toEqual({
      feeGrant: null,
    });
  });
});
