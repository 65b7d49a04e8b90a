import { toBech32 } from '@cosmjs/encoding';
import { PubKey } from 'cosmjs-types/cosmos/crypto/ed25519/keys';
import { QuerySigningInfosResponse } from 'cosmjs-types/cosmos/slashing/v1beta1/query';
import { QueryDelegatorDelegationsResponse, QueryValidatorsResponse } from 'cosmjs-types/cosmos/staking/v1beta1/query';
import type { GraphQLSchema } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isQueryService } from '../../../src/chain/simulation/execution.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { schema as baseSchema } from '../../../src/graphql/schema.ts';
import { addChainTypes } from '../../../src/modules/typed/schema.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { executeAt } from '../../support/typedQueries.ts';

/** The validators of the recorded chain. */
const recordedValidators = readRecording('rpc')
  .flatMap(({ response }) => {
    const result = (response as { result?: { validators?: JsonObject[] } }).result;
    return result?.validators ?? [];
  })
  .slice(0, 1);
const { address, pub_key: key } = recordedValidators[0] as unknown as { address: string; pub_key: { value: string } };
const operator = toBech32('tpvaloper', new Uint8Array(20).fill(7));
const otherOperator = toBech32('tpvaloper', new Uint8Array(20).fill(8));
const consensus = (byte?: number): string =>
  toBech32('tpvalcons', byte === undefined ? Buffer.from(address, 'hex') : new Uint8Array(20).fill(byte));

/** Responses that no recording has, encoded by another library. */
const responses: Readonly<Record<string, Uint8Array>> = {
  '/cosmos.staking.v1beta1.Query/Validators': QueryValidatorsResponse.encode(
    QueryValidatorsResponse.fromPartial({
      validators: [
        {
          operatorAddress: operator,
          consensusPubkey: {
            typeUrl: '/cosmos.crypto.ed25519.PubKey',
            value: PubKey.encode({ key: Buffer.from(key.value, 'base64') }).finish(),
          },
          description: { moniker: 'The first' },
        },
      ],
    }),
  ).finish(),
  '/cosmos.staking.v1beta1.Query/DelegatorDelegations': QueryDelegatorDelegationsResponse.encode(
    QueryDelegatorDelegationsResponse.fromPartial({
      delegationResponses: [operator, otherOperator, operator].map((validatorAddress) => ({
        delegation: { validatorAddress },
      })),
    }),
  ).finish(),
  '/cosmos.slashing.v1beta1.Query/SigningInfos': QuerySigningInfosResponse.encode(
    QuerySigningInfosResponse.fromPartial({
      info: [consensus(), consensus(9), 'tpvalcons1no'].map((each) => ({ address: each })),
    }),
  ).finish(),
};

let node: ReplayNode;
let stack: Stack;
let schema: GraphQLSchema;
let failing: string | undefined;
/** The queries of the state, as path and height. */
let queries: string[] = [];

beforeAll(async () => {
  node = await createReplayNode({
    instead(method, { path, height }) {
      // The validator set of the recorded chain never changed.
      if (method === 'validators')
        return { result: { block_height: String(height), validators: recordedValidators, count: '1', total: '1' } };
      if (method !== 'abci_query') return undefined;
      queries.push(`${path} ${height}`);
      const value = responses[String(path)];
      if (path === failing) return { error: 'the state of this module is not available' };
      const response = {
        code: 0,
        log: '',
        info: '',
        index: '0',
        key: null,
        proofOps: null,
        height: String(height),
        codespace: '',
      };
      return value && { result: { response: { ...response, value: Buffer.from(value).toString('base64') } } };
    },
  });
  stack = await startStack([node.url], { client: { learnsRoots: false } });
  await stack.client.head.ready();
  const pool = await stack.client.descriptors.pool();
  schema = addChainTypes(baseSchema, pool, pool.services.filter(isQueryService));
});
afterAll(async () => {
  await stack.close();
  await node.close();
});
beforeEach(() => {
  failing = undefined;
  queries = [];
});

const delegations = (selection: string): string =>
  `{ cosmos { staking { v1beta1 { delegatorDelegations(delegatorAddr: "tp1") { delegationResponses { delegation { ${selection} } } } } } } }`;
const delegationsOf = (data: unknown): unknown[] =>
  (
    data as {
      cosmos: { staking: { v1beta1: { delegatorDelegations: { delegationResponses: { delegation: unknown }[] } } } };
    }
  ).cosmos.staking.v1beta1.delegatorDelegations.delegationResponses.map(({ delegation }) => delegation);

describe('the address of a validator', () => {
  it('links to the validator and to its account; null if the module has no such validator', async () => {
    const query = delegations(
      'validatorAddress validatorAddressValidator { address moniker } validatorAddressAccount { address }',
    );
    const { data, errors } = await executeAt(schema, stack.client, 566n, query);
    expect(errors).toBeUndefined();
    const linked = {
      validatorAddress: operator,
      validatorAddressValidator: { address, moniker: 'The first' },
      validatorAddressAccount: { address: toBech32('tp', new Uint8Array(20).fill(7)) },
    };
    const other = {
      validatorAddress: otherOperator,
      validatorAddressValidator: null,
      validatorAddressAccount: { address: toBech32('tp', new Uint8Array(20).fill(8)) },
    };
    expect(delegationsOf(data)).toEqual([linked, other, linked]);
  });

  it('is found in one read of all validators, at the height of the query', async () => {
    await executeAt(schema, stack.client, 58n, delegations('validatorAddressValidator { moniker }'));
    expect(queries).toEqual([
      '/cosmos.staking.v1beta1.Query/DelegatorDelegations 58',
      '/cosmos.staking.v1beta1.Query/Validators 58',
    ]);
  });

  it('is an error on its own field if the validators cannot be read', async () => {
    failing = '/cosmos.staking.v1beta1.Query/Validators';
    const query = delegations('validatorAddress validatorAddressValidator { moniker }');
    const { data, errors } = await executeAt(schema, stack.client, 26n, query);
    expect(new Set(errors?.map(({ path }) => path?.at(-1)))).toEqual(new Set(['validatorAddressValidator']));
    expect(delegationsOf(data)[0]).toEqual({ validatorAddress: operator, validatorAddressValidator: null });
  });
});

describe('a consensus address', () => {
  it('links to the validator; null if there is none, or if the text is no address', async () => {
    const query = '{ cosmos { slashing { v1beta1 { signingInfos { info { addressValidator { address moniker } } } } } } }';
    const { data, errors } = await executeAt(schema, stack.client, 566n, query);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      cosmos: {
        slashing: {
          v1beta1: {
            signingInfos: {
              info: [
                { addressValidator: { address, moniker: 'The first' } },
                { addressValidator: null },
                { addressValidator: null },
              ],
            },
          },
        },
      },
    });
  });
});
