import { create, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import {
  decodeHeader,
  decodeLightBlock,
  decodePartialTree,
  decodeValidators,
  hashHeader,
  readStoreRoot,
  toHex,
  verifyBefore,
  verifySigned,
} from '../../../packages/verify/src/index.ts';
import { groupStore, membersOf } from '../../../packages/verify/src/plans/groupKeys.ts';
import { computed, computedNow, plans, type StoreRead } from '../../../packages/verify/src/plans/index.ts';
import { isChainError } from '../../../src/chain/base/errors.ts';
import { type Client, createClient } from '../../../src/chain/client.ts';
import { createLightClient, type Evidence } from '../../../src/chain/lightClient/lightClient.ts';
import { createNodeSignatures } from '../../../src/chain/lightClient/nodeSignatures.ts';
import { verifiedNodes } from '../../../src/chain/lightClient/verifiedNodes.ts';
import type { ReadLevel } from '../../../src/chain/proofs/provenTransport.ts';
import { fallback } from '../../../src/chain/transports/fallback.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { Transport } from '../../../src/chain/transports/transport.ts';
import { asObject, type JsonObject, type JsonValue, objectAt } from '../../../src/chain/wire/json.ts';
import {
  QueryBalanceRequestSchema,
  QuerySpendableBalancesRequestSchema,
} from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { PageRequestSchema } from '../../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';
import {
  QueryGroupMembersRequestSchema,
  QueryGroupMembersResponseSchema,
  QueryGroupPoliciesByGroupRequestSchema,
  QueryGroupPoliciesByGroupResponseSchema,
} from '../../../src/proto/cosmos/group/v1/query_pb.js';
import {
  QueryValidatorsRequestSchema,
  QueryValidatorsResponseSchema,
} from '../../../src/proto/cosmos/staking/v1beta1/query_pb.js';
import { ScopesAllRequestSchema, ScopesAllResponseSchema } from '../../../src/proto/provenance/metadata/v1/query_pb.js';
import {
  QueryReverseLookupRequestSchema,
  QueryReverseLookupResponseSchema,
} from '../../../src/proto/provenance/name/v1/query_pb.js';
import { runsAll } from '../../support/atRandom.ts';

/** What a node does to the result of a call. */
type Lie = (params: JsonObject, result: JsonValue) => JsonValue;

/** A node that returns something else than it should. */
function lying(transport: Transport, lie: () => Lie | undefined): Transport {
  return {
    ...transport,
    call: (method, params, options) =>
      transport.call(method, params, {
        ...options,
        decode: (result) => options.decode((method === 'abci_query' && lie()?.(params, result)) || result),
      }),
  };
}

/** A client whose reads are proven, over nodes of which the first one may lie. */
function openClient(urls: readonly string[]) {
  const evidence: Evidence[] = [];
  let lie: Lie | undefined;
  const light = createLightClient({ followsResets: true, onEvidence: (one) => evidence.push(one) });
  const transports = urls.map((url, index) => {
    const transport = http(url, { alias: `node-${index + 1}` });
    return index === 0 ? lying(transport, () => lie) : transport;
  });
  const upstream: Transport = { ...fallback(verifiedNodes(light, transports)), verification: { ...light, provesReads: true } };
  const client = createClient({ transport: upstream, light });
  return {
    client,
    evidence,
    /** Runs while the first node lies. */
    async during<T>(own: Lie, run: () => Promise<T>): Promise<T> {
      lie = own;
      try {
        return await run();
      } finally {
        lie = undefined;
      }
    },
    calls: (): number =>
      client
        .calls()
        .filter(({ method }) => method === 'abci_query')
        .reduce((sum, { times }) => sum + times.count, 0),
  };
}

const requestOf = <D extends DescMessage>(schema: D, init: Parameters<typeof create<D>>[1] = undefined): Uint8Array =>
  toBinary(schema, create(schema, init));

/** The response of `abci_query` as text, without what differs between a refusal and its proof. */
function textOf(json: JsonValue): string {
  const { code, value, log, codespace } = objectAt(asObject(json, 'result'), 'response');
  return JSON.stringify({ code, value, log, codespace });
}

/** A result with other members in its response. */
function changed(result: JsonValue, members: JsonObject): JsonValue {
  return { response: { ...objectAt(asObject(result, 'result'), 'response'), ...members } };
}

const decode = (json: JsonValue): JsonValue => json;

let devnet: Devnet;
let direct: Transport;

beforeAll(async () => {
  devnet = await createDevnet({ actors: true, blockTime: 'manual', nodes: 2, keepHeights: 40 });
  for (let block = 0; block < 60; block += 1) await devnet.commit();
  direct = http(devnet.nodes[0]!.url);
});

afterAll(async () => {
  await direct.close();
  await devnet.close();
});

const urls = (count = 1): readonly string[] => devnet.nodes.slice(0, count).map(({ url }) => url);

const newest = async (client: Client): Promise<bigint> => (await client.head.ready()).height;

const paramsOf = (path: string, request: Uint8Array, height: bigint): JsonObject => ({
  ...{ path, data: Buffer.from(request).toString('hex'), height: height.toString(), prove: false },
});

/** Asks without the cache of the state, as every read of the server ends. */
const ask = (client: Client, path: string, request: Uint8Array, height: bigint): Promise<JsonValue> =>
  client.call('abci_query', paramsOf(path, request, height), { decode });

const groupMembers = (groupId: bigint) => requestOf(QueryGroupMembersRequestSchema, { groupId });
const membersPath = '/cosmos.group.v1.Query/GroupMembers';

/** Values for the fields of requests, by the names of the fields. */
async function candidatesOf(client: Client, height: bigint): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const view = client.at(height);
  const policies: string[] = [];
  for (const groupId of [1n, 2n, 3n]) {
    const request = requestOf(QueryGroupPoliciesByGroupRequestSchema, { groupId });
    const answer = await view.query('/cosmos.group.v1.Query/GroupPoliciesByGroup', request);
    policies.push(...fromBinary(QueryGroupPoliciesByGroupResponseSchema, answer).groupPolicies.map(({ address }) => address));
  }
  const scopes = fromBinary(
    ScopesAllResponseSchema,
    await view.query('/provenance.metadata.v1.Query/ScopesAll', requestOf(ScopesAllRequestSchema, {})),
  ).scopes.map(({ scopeIdInfo }) => scopeIdInfo?.scopeAddr);
  const validators = fromBinary(
    QueryValidatorsResponseSchema,
    await view.query('/cosmos.staking.v1beta1.Query/Validators', requestOf(QueryValidatorsRequestSchema, {})),
  ).validators.map(({ operatorAddress }) => operatorAddress);
  const names = fromBinary(
    QueryReverseLookupResponseSchema,
    await view.query(
      '/provenance.name.v1.Query/ReverseLookup',
      requestOf(QueryReverseLookupRequestSchema, { address: devnet.accounts[0]!.address }),
    ),
  ).name;
  const addresses = [...devnet.accounts.slice(0, 5).map(({ address }) => address), ...policies];
  const denoms = ['nhash', 'usd.dev', 'none'];
  return {
    ...{ address: addresses, account: addresses, admin: addresses, voter: addresses, owner: addresses, granter: addresses },
    ...{ grantee: addresses, delegatorAddr: addresses, validatorAddr: validators, groupPolicy: policies },
    ...{
      denom: denoms,
      id: denoms,
      scopeId: scopes,
      specificationId: scopes,
      name: names,
      attributeName: names,
      suffix: ['pb'],
    },
    ...{ groupId: [1n, 2n, 3n, 99n], proposalId: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 99n] },
    pagination: [undefined, { limit: 2n }, { limit: 3n, countTotal: true }, { offset: 1n, limit: 2n }],
  };
}

describe('proven reads', () => {
  it.runIf(runsAll)(
    'have the answers of the node, for every planned method and the objects of the development chain',
    async () => {
      const { client, evidence } = openClient(urls());
      const height = await newest(client);
      const pool = await client.descriptors.pool({});
      const candidates = await candidatesOf(client, height);
      const asked = { answers: 0, refusals: 0 };
      for (const path of plans.keys()) {
        const [, service = '', method = ''] = path.split('/');
        const input = pool.service(service)?.methods.find(({ name }) => name === method)?.input;
        // The chain of Stele's own Provenance release lacks a method of older ones.
        if (input === undefined) continue;
        for (let variant = 0; variant < 24; variant += 1) {
          const init: Record<string, unknown> = {};
          for (const [index, field] of input.fields.entries()) {
            const values = candidates[field.localName] ?? [];
            const value = values[(variant * (1 + index)) % values.length];
            if (value !== undefined) init[field.localName] = value;
          }
          if ('pagination' in init) init.pagination = create(PageRequestSchema, init.pagination as object);
          const request = toBinary(input, create(input, init));
          const [proven, said] = await Promise.all([
            ask(client, path, request, height),
            ask({ call: direct.call } as never, path, request, height),
          ]);
          expect([path, init, textOf(proven)]).toEqual([path, init, textOf(said)]);
          asked[textOf(said).startsWith('{"code":0') ? 'answers' : 'refusals'] += 1;
        }
      }
      expect(evidence).toEqual([]);
      expect(asked.answers).toBeGreaterThan(200);
      expect(asked.refusals).toBeGreaterThan(30);
      // Some requests need a node's word: an absent module parameter, a vesting account.
      const levels = client.levels();
      expect(levels?.get('PROVEN')).toBeGreaterThan(300);
      expect(
        [...(levels?.keys() ?? [])].filter((level) => !['PROVEN', 'UNPLANNED', 'NO_PLAN', 'FAILED'].includes(level)),
      ).toEqual([]);
      await client.close();
    },
  );

  it('cost n/2 + 1 proofs for n rows, a hint and the compared answer, and nothing while the store has the same root', async () => {
    const { client, calls, evidence } = openClient(urls());
    const height = await newest(client);
    const members = async (groupId: bigint): Promise<number> => {
      const answer = objectAt(asObject(await ask(client, membersPath, groupMembers(groupId), height), 'result'), 'response');
      return fromBinary(QueryGroupMembersResponseSchema, Buffer.from(String(answer.value), 'base64')).members.length;
    };
    await members(99n);
    const before = { calls: calls(), ...client.proofs!.stats() };
    const count = await members(1n);
    expect(count).toBeGreaterThan(2);
    const { proofs, hints } = client.proofs!.stats();
    expect(hints - before.hints).toBe(1);
    expect(proofs - before.proofs).toBeLessThanOrEqual(Math.ceil(count / 2) + 2);
    expect(calls() - before.calls).toBe(proofs - before.proofs + 2);
    const after = calls();
    expect(await members(1n)).toBe(count);
    expect(calls()).toBe(after);

    expect(evidence).toEqual([]);
    await client.close();
  });

  it('cost no more proofs at once than one after another, where one range ends at the start of the next', async () => {
    const ranges = [1n, 2n, 3n].map(membersOf);
    const proofsOf = async (isAtOnce: boolean): Promise<number> => {
      const { client } = openClient(urls());
      const state = await client.proofs!.at(await newest(client));
      const before = client.proofs!.stats().proofs;
      const read = async (prefix: Uint8Array) => [...(await state.range(groupStore, prefix, {}))].length;
      const counts: number[] = [];
      if (isAtOnce) counts.push(...(await Promise.all(ranges.map(read))));
      else for (const prefix of ranges) counts.push(await read(prefix));
      expect(counts.every((count) => count > 0)).toBe(true);
      const { proofs } = client.proofs!.stats();
      await client.close();
      return proofs - before;
    };
    expect(await proofsOf(true)).toBe(await proofsOf(false));
  });

  it.runIf(runsAll)('cost nothing at a later height at which the store has the same root', async () => {
    const quiet = await createDevnet({ blockTime: 'manual' });
    const commit = async (): Promise<bigint> => {
      await quiet.commit();
      const { height } = await client.head.waitFor(quiet.height - 1n, { milliseconds: 20_000 });
      await client.roots.settled(height);
      return height;
    };
    for (let block = 0; block < 3; block += 1) await quiet.commit();
    const { client, calls } = openClient([quiet.nodes[0]!.url]);
    const first = await ask(client, membersPath, groupMembers(1n), await newest(client));
    const { proofs } = client.proofs!.stats();
    let height = 0n;
    for (let block = 0; block < 3; block += 1) height = await commit();
    const before = calls();
    expect(textOf(await ask(client, membersPath, groupMembers(1n), height))).toBe(textOf(first));
    expect([client.proofs!.stats().proofs, calls()]).toEqual([proofs, before]);
    expect(client.levels()!.get('PROVEN')).toBe(2);
    await client.close();
    await quiet.close();
  });

  it('have a head that is one block behind the chain, also at the start', async () => {
    const { client } = openClient(urls());
    expect(await newest(client)).toBe(devnet.height - 1n);
    for (let block = 0; block < 3; block += 1) {
      await devnet.commit();
      const head = await client.head.waitFor(devnet.height - 1n, { milliseconds: 20_000 });
      expect([head.height, client.proofs!.newest()]).toEqual([devnet.height - 1n, devnet.height - 1n]);
      expect(client.verification!.at(head.height + 1n)!.lastHash).toBe(head.hash);
    }
    // The state after the newest block of the chain cannot be proven yet.
    const refusal = await ask(client, membersPath, groupMembers(1n), devnet.height).catch((error: unknown) => error);
    expect(isChainError(refusal) && [refusal.code, refusal.facts]).toEqual([
      'HEIGHT_NOT_YET_AVAILABLE',
      { height: devnet.height, latestHeight: devnet.height - 1n },
    ]);
    await client.close();
  });

  it('have the state of earlier heights, whose headers lead back from a verified one; and an error where it is pruned', async () => {
    const { client, evidence } = openClient(urls());
    const height = await newest(client);
    for (const past of [height - 1n, height - 12n, height - 35n]) {
      const [proven, said] = await Promise.all([
        ask(client, membersPath, groupMembers(1n), past),
        ask({ call: direct.call } as never, membersPath, groupMembers(1n), past),
      ]);
      expect(textOf(proven)).toBe(textOf(said));
    }
    expect([client.levels()!.get('PROVEN'), evidence.length]).toEqual([3, 0]);
    const walks = client.calls().filter(({ method }) => method === 'blockchain');
    expect(walks.reduce((sum, { times }) => sum + times.count, 0)).toBe(4);
    const pruned = await ask(client, membersPath, groupMembers(1n), 5n).catch((error: unknown) => error);
    expect(isChainError(pruned) && pruned.code).toBe('HEIGHT_PRUNED');
    // Before height 2, no state has a proof: a node is believed, or, as here, has pruned it.
    await ask(client, membersPath, groupMembers(1n), 1n).catch(() => undefined);
    expect(client.levels()!.get('EARLY')).toBe(1);
    await client.close();
  });

  it('do not pass on a wrong answer: the proven one is returned, and there is evidence against the node', async () => {
    const { client, evidence, during } = openClient(urls());
    const height = await newest(client);
    const said = textOf(await ask({ call: direct.call } as never, membersPath, groupMembers(1n), height));
    const proven = await during(
      ({ path }, result) => (path === membersPath ? changed(result, { value: 'EgA=' }) : result),
      () => ask(client, membersPath, groupMembers(1n), height),
    );
    expect(textOf(proven)).toBe(said);
    expect(evidence.map(({ kind, node, code, height: at }) => [kind, node, code, at])).toEqual([
      ['READ', 'node-1', 'NOT_PROVEN', height],
    ]);
    expect(evidence[0]!.received).toMatchObject({ path: membersPath, answer: { response: { value: 'EgA=' } } });
    expect(client.verification!.status().refuted.get('node-1')).toBe(1);
    await client.close();
  });

  it.runIf(runsAll)('do not pass on an answer with a wrong proof, or without one; another node is asked', async () => {
    const isKey = ({ path, prove }: JsonObject): boolean => prove === true && path === '/store/group/key';
    const opsOf = (result: JsonValue): JsonObject[] => {
      const { proofOps } = objectAt(asObject(result, 'result'), 'response');
      return structuredClone(asObject(proofOps, 'proofOps').ops) as JsonObject[];
    };
    const lies: Readonly<Record<string, (result: JsonValue) => JsonValue>> = {
      'a byte of the proof': (result) => {
        const [iavl, simple] = opsOf(result);
        const data = Buffer.from(String(iavl!.data), 'base64');
        data[data.length - 3]! ^= 1;
        return changed(result, { proofOps: { ops: [{ ...iavl, data: data.toString('base64') }, simple!] } });
      },
      'the root of another store': (result) => {
        const [iavl, simple] = opsOf(result);
        const data = Buffer.from(String(simple!.data), 'base64');
        data[40]! ^= 1;
        return changed(result, { proofOps: { ops: [iavl!, { ...simple, data: data.toString('base64') }] } });
      },
      'no proof': (result) => changed(result, { proofOps: null }),
    };
    for (const [name, lie] of Object.entries(lies)) {
      const alone = openClient(urls());
      const height = await newest(alone.client);
      const own: Lie = (params, result) => (isKey(params) ? lie(result) : result);
      const refusal = await alone.during(own, () =>
        ask(alone.client, membersPath, groupMembers(1n), height).catch((error: unknown) => error),
      );
      expect([name, isChainError(refusal) && refusal.code]).toEqual([name, 'NODE_INVALID_RESPONSE']);
      if (name !== 'no proof') expect(alone.evidence[0]).toMatchObject({ kind: 'READ', node: 'node-1', height });
      await alone.client.close();

      const two = openClient(urls(2));
      const at = await newest(two.client);
      const [proven, said] = await Promise.all([
        two.during(own, () => ask(two.client, membersPath, groupMembers(1n), at)),
        ask({ call: direct.call } as never, membersPath, groupMembers(1n), at),
      ]);
      expect(textOf(proven)).toBe(textOf(said));
      await two.client.close();
    }
  });

  it('do not take the proof of an old state for one of the newest', async () => {
    const isKey = ({ path, prove }: JsonObject): boolean => prove === true && path === '/store/group/key';
    const old = new Map<JsonValue | undefined, JsonValue>();
    const { client, evidence, during } = openClient(urls());
    const height = await newest(client);
    const ownMembers = (at: bigint, from = client) => ask(from, membersPath, groupMembers(1n), at);
    await during(
      (params, result) => {
        if (isKey(params)) old.set(params.data, result);
        return result;
      },
      () => ownMembers(height - 4n),
    );
    expect(old.size).toBeGreaterThan(1);
    const fresh = openClient(urls());
    await newest(fresh.client);
    const replay: Lie = (params, result) => {
      const answer = isKey(params) ? old.get(params.data) : undefined;
      return answer === undefined ? result : changed(answer, { height: params.height! });
    };
    const refusal = await fresh.during(replay, () => ownMembers(height, fresh.client).catch((error: unknown) => error));
    expect(isChainError(refusal) && refusal.code).toBe('NODE_INVALID_RESPONSE');
    expect([evidence, fresh.evidence[0]?.reason]).toEqual([
      [],
      `The proof of store group does not lead to the app hash after block ${height}.`,
    ]);
    await Promise.all([client.close(), fresh.client.close()]);
  });

  it('are what a node says where there is no proof, and counted by the reason', async () => {
    const { client, evidence, during } = openClient(urls());
    const height = await newest(client);
    const answerOf = (path: string, request: Uint8Array) => ask(client, path, request, height).then(textOf);
    const saidOf = (path: string, request: Uint8Array) =>
      ask({ call: direct.call } as never, path, request, height).then(textOf);
    const level = (name: ReadLevel): number => client.levels()!.get(name) ?? 0;

    // A method without a plan.
    const params = '/cosmos.bank.v1beta1.Query/Params';
    expect(await answerOf(params, new Uint8Array())).toBe(await saidOf(params, new Uint8Array()));
    expect(level('NO_PLAN')).toBe(1);
    // A request that the node refuses by itself.
    const malformed = requestOf(QueryBalanceRequestSchema, { address: 'nobody', denom: 'nhash' });
    expect(await answerOf('/cosmos.bank.v1beta1.Query/Balance', malformed)).toBe(
      await saidOf('/cosmos.bank.v1beta1.Query/Balance', malformed),
    );
    expect(level('UNPLANNED')).toBe(1);
    // A store that the chain has, and a node hides: the stores around it do not prove that there is none.
    const hidden = await during(
      ({ path }, result) =>
        path === '/store/group/key'
          ? changed(result, { code: 6, codespace: 'sdk', log: 'no such store: group: unknown request', proofOps: null })
          : result,
      () => answerOf(membersPath, groupMembers(1n)).catch((error: unknown) => error),
    );
    expect([isChainError(hidden) && hidden.code, level('NO_STORE')]).toEqual(['NODE_INVALID_RESPONSE', 0]);
    expect([level('PROVEN'), evidence]).toEqual([0, []]);
    // Questions without a height are none of the state.
    await client.serves('/cosmos.group.v1.Query/Groups');
    expect([...client.levels()!.values()].reduce((sum, count) => sum + count, 0)).toBe(2);
    await client.close();
  });

  it.runIf(runsAll)('are what a node says if the chain has no store for them, which the stores around it prove', async () => {
    const path = '/cosmos.bank.v1beta1.Query/SpendableBalances';
    const other = await createDevnet({ blockTime: 'manual', without: ['hold', 'exchange', 'marker'] });
    for (let block = 0; block < 4; block += 1) await other.commit();
    const { client, evidence, during } = openClient([other.nodes[0]!.url]);
    const height = await newest(client);
    const request = requestOf(QuerySpendableBalancesRequestSchema, { address: other.accounts[1]!.address });
    const said = await http(other.nodes[0]!.url).call('abci_query', paramsOf(path, request, height), { decode });
    expect(textOf(await ask(client, path, request, height))).toBe(textOf(said));
    expect([...client.levels()!]).toEqual([['NO_STORE', 1]]);
    // A chain of which a node hides more stores than that proves nothing.
    const refusal = await during(
      (params, result) =>
        params.prove === true && !/^\/store\/(bank|acc)\//.test(String(params.path))
          ? changed(result, { code: 6, codespace: 'sdk', log: 'no such store: any: unknown request', proofOps: null })
          : result,
      async () => {
        await other.commit();
        const at = await client.head.waitFor(other.height - 1n, { milliseconds: 20_000 });
        return ask(client, path, request, at.height).catch((error: unknown) => error);
      },
    );
    expect([isChainError(refusal) && refusal.code, evidence]).toEqual(['NODE_INVALID_RESPONSE', []]);
    await client.close();
    await other.close();
  });

  it.runIf(runsAll)('are of a replaced chain only once its next block is verified', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => createDevnet({ blockTime: 'manual' })));
    for (let block = 0; block < 6; block += 1) await first!.commit();
    const light = createLightClient({ followsResets: true });
    const [before, after] = [first!, second!].map(({ nodes }) => http(nodes[0]!.url));
    let isReplaced = false;
    const current = (): Transport => (isReplaced ? after! : before!);
    const subscriptions: (() => void)[] = [];
    const node: Transport & { readonly alias: string } = {
      alias: 'node-1',
      call: (method, params, options) => current().call(method, params, options),
      subscribe(query, listener) {
        const inner = current().subscribe(query, listener);
        subscriptions.push(() => inner.close());
        return inner;
      },
      close: async () => {
        await Promise.all([before!.close(), after!.close()]);
      },
    };
    const upstream = { ...fallback(verifiedNodes(light, [node])), verification: { ...light, provesReads: true } };
    const client = createClient({ transport: upstream, light });
    const old = (await client.head.ready()).hash;
    const rewinds: string[] = [];
    client.head.onRewind(({ kind, newest: { height } }) => rewinds.push(`${kind} ${height}`));
    for (let block = 0; block < 3; block += 1) await second!.commit();
    isReplaced = true;
    for (const close of subscriptions) close();
    await expect.poll(() => light.status().newest?.height, { timeout: 20_000, interval: 20 }).toBeLessThan(6n);
    expect([client.head.current()!.hash, rewinds]).toEqual([old, []]);
    await expect
      .poll(
        async () => {
          await second!.commit();
          return rewinds.length;
        },
        { timeout: 20_000, interval: 50 },
      )
      .toBe(1);
    const { height } = client.head.current()!;
    expect(height).toBeLessThan(second!.height);
    const said = await http(second!.nodes[0]!.url).call('abci_query', paramsOf(membersPath, groupMembers(1n), height), {
      decode,
    });
    expect(textOf(await ask(client, membersPath, groupMembers(1n), height))).toBe(textOf(said));
    expect(client.levels()!.get('PROVEN')).toBe(1);
    await client.close();
    await Promise.all([first!.close(), second!.close()]);
  });

  it.runIf(runsAll)(
    'do not rely on the hint of the keys: one that lacks rows, has others, or is refused costs calls only',
    async () => {
      const hints: readonly ((result: JsonValue) => JsonValue)[] = [
        (result) => changed(result, { value: null }),
        (result) => changed(result, { value: Buffer.from('0a0e0a0c2000000000000000010500ff', 'hex').toString('base64') }),
        (result) => changed(result, { code: 1, log: 'refused', codespace: 'sdk' }),
        (result) => changed(result, { value: 'bm90IHByb3RvYnVm' }),
      ];
      for (const lie of hints) {
        const { client, evidence, during } = openClient(urls());
        const height = await newest(client);
        const proven = await during(
          ({ path }, result) => (String(path).endsWith('/subspace') ? lie(result) : result),
          () => ask(client, membersPath, groupMembers(1n), height),
        );
        expect(textOf(proven)).toBe(textOf(await ask({ call: direct.call } as never, membersPath, groupMembers(1n), height)));
        expect([client.levels()!.get('PROVEN'), evidence]).toEqual([1, []]);
        await client.close();
      }
    },
  );

  it('are joined while they are being proven', async () => {
    const { client, calls } = openClient(urls());
    const height = await newest(client);
    const first = await Promise.all([1, 2, 3, 4].map(() => ask(client, membersPath, groupMembers(1n), height)));
    expect(new Set(first.map(textOf)).size).toBe(1);
    const { proofs, hints } = client.proofs!.stats();
    // Each of the four asks the node for its own answer, to compare it; the cache of the state joins those.
    expect(calls() - proofs - hints).toBeLessThanOrEqual(4 + 4);
    const alone = openClient(urls());
    await ask(alone.client, membersPath, groupMembers(1n), await newest(alone.client));
    expect(proofs).toBe(alone.client.proofs!.stats().proofs);
    await alone.client.close();
    await client.close();
  });

  it('give the parts of a bundle, which a verifier needs nothing else for', async () => {
    const { client } = openClient(urls());
    const height = client.proofs!.newest() ?? (await newest(client));
    const plan = plans.get(membersPath)!;
    const reads: StoreRead[] = [];
    const state = await client.proofs!.at(height);
    const answer = await computed(plan.answer(groupMembers(1n), state), {
      get(store, key) {
        reads.push({ store, key });
        return state.get(store, key);
      },
      range(store, prefix, bounds) {
        reads.push({ store, prefix, bounds });
        return state.range(store, prefix, bounds);
      },
    });
    const parts = await client.proofs!.proofOf(height, reads);
    const set = decodeValidators(parts.validators);
    const block = decodeLightBlock({ header: parts.header, commit: parts.commit }, set);
    await verifySigned(block, { chainId: devnet.chainId, check: createNodeSignatures(), signatures: 'ALL' });
    const before = decodeHeader(parts.previous);
    verifyBefore(block.header, { height: before.height, hash: hashHeader(before) });
    expect([before.height, before.time, parts.prefix, parts.validatorsHash]).toEqual([
      height,
      state.time,
      'tp',
      toHex(set.hash),
    ]);
    const { proof, tree: bytes } = parts.stores.group!;
    const { root, appHash } = readStoreRoot(proof, 'group');
    const tree = decodePartialTree(bytes);
    expect([toHex(appHash), toHex(tree.root)]).toEqual([toHex(block.header.appHash), toHex(root)]);
    const offline = computedNow(plan.answer(groupMembers(1n), { prefix: parts.prefix, time: before.time }), {
      get(_, key) {
        const value = tree.get(key);
        if (value === undefined) throw new Error('unknown');
        return value;
      },
      range(_, prefix, bounds) {
        const { rows, isComplete } = tree.range(prefix, bounds);
        if (!isComplete) throw new Error('unknown');
        return rows;
      },
    });
    expect(offline).toEqual(answer);
    await client.close();
  });
});
