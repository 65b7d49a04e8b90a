import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { createFixtures } from '../../../packages/devnet/src/app/fixtures/fixtures.ts';
import { createGenesis } from '../../../packages/devnet/src/app/genesis/genesis.ts';
import { encodeAddress } from '../../../packages/devnet/src/app/runtime/address.ts';
import { Query as AuthQuery } from '../../../src/proto/cosmos/auth/v1beta1/query_pb.js';
import { Query as BankQuery, QueryAllBalancesRequestSchema } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { Query } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import { ProposalSchema, VoteSchema } from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { PairsSchema } from '../../../src/proto/cosmos/store/internal/kv/v1beta1/kv_pb.js';
import { readRecording } from '../../recordings/recordings.ts';
import { createChain } from './harness.ts';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

interface Shown {
  readonly code: number;
  readonly log: string;
  readonly info: string;
  readonly index: string;
  readonly height: string;
  readonly codespace: string;
}

describe('errors', () => {
  const chain = createChain();
  while (chain.state.height < 5n) chain.block();
  const latest = chain.state.height;
  const shown = (path: string, data: Uint8Array, height: bigint, prove: boolean): Shown => {
    const { code, log, info, index, height: of, codespace } = chain.raw(path, data, height, prove);
    return { code, log, info, index: String(index), height: String(of), codespace };
  };

  // None of these depends on the state of the recorded chain. The newest recorded height is the newest here.
  const served =
    /^\/(cosmos\.(group\.v1|(bank|auth|feegrant)\.v1beta1)|provenance\.(attribute|marker|metadata|name|hold|flatfees)\.v1)\.Query\//;
  const rows = readRecording('queries').filter(
    (row) =>
      served.test(row.path) && row.response.code !== 0 && BigInt(row.height) >= 566n && !/with status/.test(row.response.log),
  );
  it.each(rows.map((row) => [row.name, row] as const))('%s, as recorded', (_, row) => {
    const future = BigInt(row.height) > 566n;
    const { code, log, info, index, codespace, height } = row.response;
    const expected = { code, log, info, index, codespace, height: height === '0' ? '0' : String(latest) };
    expect(shown(row.path, hex(row.request), future ? 99n : latest, row.prove)).toEqual(expected);
  });
  it('the recorded errors are numerous', () => {
    expect(rows.length).toBeGreaterThan(33);
    expect(rows.filter(({ path }) => path.startsWith('/provenance')).length).toBeGreaterThan(10);
  });

  const rpc = readRecording('rpc').filter((row) =>
    /^abci_query (app version|unknown|empty path|p2p|negative|prove at 1|garbage)/.test(row.name),
  );
  it.each(rpc.map((row) => [row.name, row] as const))('%s, as recorded', (_, row) => {
    const { params } = row.request as unknown as { params: { path: string; data: string; height: string; prove: boolean } };
    const recorded = (row.response as unknown as { result: { response: Shown } }).result.response;
    const { code, log, info, index, codespace, height } = recorded;
    const expected = { code, log, info, index, codespace, height: height === '1105' ? String(latest) : height };
    expect(shown(params.path, hex(params.data), BigInt(params.height), params.prove)).toEqual(expected);
  });

  it('are as recorded for a pruned height', () => {
    const pruned = createChain();
    while (pruned.state.height < 20n) pruned.block();
    pruned.state.earliest = 15n;
    pruned.app.prune(10n);
    const texts = readRecording('pruned').flatMap((row) => {
      if (!/^pruned (state by abci_query|store key)/.test(row.name)) return [];
      const { params } = row.request as unknown as { params: { path: string; data: string; prove: boolean } };
      const recorded = (row.response as unknown as { result: { response: Shown } }).result.response;
      const { code, log, info, index, codespace, height } = recorded;
      return [12n, 5n].map((at) => {
        const answer = pruned.raw(params.path, hex(params.data), at, params.prove);
        const numbers = (text: string): string => text.replace('height 50', `height ${at}`).replace('1342', '20');
        return [
          [answer.code, answer.log, answer.info, String(answer.index), answer.codespace, String(answer.height)],
          [code, numbers(log), info, index, codespace, height === '50' ? String(at) : height],
        ];
      });
    });
    expect(texts).toHaveLength(6);
    for (const [ours, theirs] of texts) expect(ours).toEqual(theirs);
    expect(pruned.raw('/cosmos.group.v1.Query/Groups', new Uint8Array(), 15n).code).toBe(0);
  });

  it('before the first block', () => {
    const { app } = createChain();
    const input = { path: '/cosmos.group.v1.Query/Groups', data: new Uint8Array(), height: 0n, prove: false };
    expect(app.query({ ...input, latestHeight: 0n, earliestHeight: 0n })).toMatchObject({
      code: 26,
      log: 'provenanced is not ready; please wait for first block: invalid height',
    });
  });

  it('of bech32, in the order of the decoder', () => {
    const { address } = chain.accounts[0]!;
    const logs = [
      '',
      'tp1',
      'TP1abcdefgh',
      `${address}b`,
      'tp1bbbbbbbbb',
      address.replace(/.$/, 'q'),
      encodeAddress(new Uint8Array(20), 'pb'),
      'tp1 qqqqqqqq',
    ].map((text) => {
      try {
        chain.query(Query.method.groupsByAdmin, { admin: text });
        return 'answered';
      } catch (error) {
        return (error as Error).message.replace(address.slice(-6), 'CHECKSUM');
      }
    });
    expect(logs).toEqual([
      'empty address string is not allowed: invalid request',
      'decoding bech32 failed: invalid bech32 string length 3: invalid request',
      'decoding bech32 failed: string not all lowercase or all uppercase: invalid request',
      'decoding bech32 failed: failed converting data to bytes: invalid character not part of charset: 98: invalid request',
      'decoding bech32 failed: failed converting data to bytes: invalid character not part of charset: 98: invalid request',
      `decoding bech32 failed: invalid checksum (expected CHECKSUM got ${address.slice(-6, -1)}q): invalid request`,
      'invalid Bech32 prefix; expected tp, got pb: invalid request',
      "decoding bech32 failed: invalid character in string: ' ': invalid request",
    ]);
  });
});

describe('the store', () => {
  const chain = createChain({});
  const { policies } = createFixtures(chain.accounts);

  it('has proposals and votes under the real keys, as plain messages', () => {
    const { proposal } = chain.query(Query.method.proposal, { proposalId: 33n });
    const stored = chain.raw('/store/group/key', hex('30000000000000000021'));
    expect([stored.code, Buffer.from(stored.key!).toString('hex'), stored.height]).toEqual([0, '30000000000000000021', 1n]);
    expect(fromBinary(ProposalSchema, stored.value!)).toEqual(proposal);

    const { votes } = chain.query(Query.method.votesByProposal, { proposalId: 33n });
    const subspace = chain.raw('/store/group/subspace', hex('40000000000000000021'));
    const { pairs } = fromBinary(PairsSchema, subspace.value!);
    expect(pairs.map(({ value }) => fromBinary(VoteSchema, value))).toEqual(votes);
    expect(votes).toHaveLength(20);
    expect(Buffer.from(pairs[0]!.key).toString('hex')).toMatch(/^40000000000000000021[0-9a-f]{40}$/);
  });

  it('has members, policies and groups under the recorded keys', () => {
    const keys = (prefix: string): string[] => {
      const { value } = chain.raw('/store/group/subspace', hex(prefix));
      return fromBinary(PairsSchema, value!).pairs.map(({ key }) => Buffer.from(key).toString('hex'));
    };
    expect(keys('0000')).toEqual([
      '00000000000000000001',
      '00000000000000000002',
      '00000000000000000003',
      '00000000000000000004',
    ]);
    expect(keys('10000000000000000004')).toHaveLength(4);
    expect(keys('2000')).toHaveLength(5);
    expect(keys('2000').every((key) => key.startsWith('200020') && key.length === 6 + 64)).toBe(true);
    const row = readRecording('rpc').find(({ name }) => name === 'abci_query store subspace')!;
    const { response } = (row.response as unknown as { result: { response: { value: string } } }).result;
    const recorded = fromBinary(PairsSchema, new Uint8Array(Buffer.from(response.value, 'base64')));
    expect(recorded.pairs.every(({ key }) => Buffer.from(key).toString('hex').startsWith('1000') && key.length === 30)).toBe(
      true,
    );
    expect(keys('1000').every((key) => key.length === 60)).toBe(true);
  });

  it('returns nothing for an absent key, and rejects an empty key', () => {
    expect(chain.raw('/store/group/key', hex('3000ffffffffffffffff'))).toMatchObject({ code: 0, value: null, log: '' });
    expect(chain.raw('/store/group/key')).toMatchObject({ code: 3, codespace: 'store' });
    expect(chain.raw('/store/group/other', hex('00'))).toMatchObject({ code: 4, codespace: 'store' });
  });

  it('reads at the requested height', () => {
    const later = createChain({});
    const before = later.query(Query.method.proposalsByGroupPolicy, { address: policies.operations.address });
    later.block([], 20_000n * 1_000_000_000n);
    const of = (height: bigint) =>
      later.query(Query.method.proposalsByGroupPolicy, { address: policies.operations.address }, height);
    expect(of(0n).proposals).toEqual([]);
    expect(of(1n)).toEqual(before);
    expect(of(1n).proposals.length).toBeGreaterThan(0);
  });
});

describe('lists', () => {
  const chain = createChain({});
  const [account] = chain.accounts;

  it('have the same rows page by page as in one page', () => {
    const walk = (limit: bigint): bigint[] => {
      const ids: bigint[] = [];
      let key: Uint8Array = new Uint8Array();
      do {
        const page = chain.query(Query.method.votesByVoter, { voter: account!.address, pagination: { limit, key } });
        ids.push(...page.votes.map(({ proposalId }) => proposalId));
        key = page.pagination!.nextKey;
      } while (key.length > 0);
      return ids;
    };
    expect(walk(3n)).toEqual(walk(100n));
    expect(walk(3n).length).toBeGreaterThan(10);
  });

  it('of groups ignore page keys', () => {
    const first = chain.query(Query.method.groups, { pagination: { limit: 2n } });
    const again = chain.query(Query.method.groups, { pagination: { limit: 2n, key: first.pagination!.nextKey } });
    expect(Buffer.from(first.pagination!.nextKey).toString('hex')).toBe('0000000000000003');
    expect(again.groups).toEqual(first.groups);
    const second = chain.query(Query.method.groups, { pagination: { limit: 2n, offset: 2n, countTotal: true } });
    expect([second.groups.map(({ id }) => id), second.pagination!.total]).toEqual([[3n, 4n], 4n]);
  });

  it('of a member contain each of its groups', () => {
    const { groups } = chain.query(Query.method.groupsByMember, { address: chain.accounts[4]!.address });
    expect(groups.map(({ id }) => id)).toEqual([1n, 2n, 3n, 4n]);
    const paged = chain.query(Query.method.groupsByMember, {
      address: chain.accounts[4]!.address,
      pagination: { limit: 1n, offset: 2n },
    });
    expect(paged.groups.map(({ id }) => id)).toEqual([3n]);
    expect(Buffer.from(paged.pagination!.nextKey).toString('hex')).toMatch(/^0000000000000004[0-9a-f]{40}$/);
  });

  it('of balances can be reversed, and have their own error for a key with an offset', () => {
    const genesis = createGenesis({ bare: true });
    const [first] = genesis.balances;
    const coins = ['aaa', 'bbb', 'ccc', 'nhash'].map((denom) => ({ denom, amount: 1n }));
    const rich = createChain({ ...genesis, balances: [{ address: first!.address, coins }] });
    const list = (pagination: object) => {
      const { balances, pagination: page } = rich.query(BankQuery.method.allBalances, { address: first!.address, pagination });
      return [balances.map(({ denom }) => denom).join(), Buffer.from(page!.nextKey).toString(), page!.total];
    };
    expect(list({ limit: 2n })).toEqual(['aaa,bbb', 'ccc', 0n]);
    expect(list({ limit: 2n, key: Buffer.from('ccc') })).toEqual(['ccc,nhash', '', 0n]);
    expect(list({ limit: 3n, reverse: true, countTotal: true })).toEqual(['nhash,ccc,bbb', 'aaa', 4n]);
    expect(list({ limit: 3n, reverse: true, key: Buffer.from('bbb') })).toEqual(['bbb,aaa', '', 0n]);
    const both = create(QueryAllBalancesRequestSchema, {
      address: first!.address,
      pagination: { key: Uint8Array.of(1), offset: 1n },
    });
    expect(rich.raw('/cosmos.bank.v1beta1.Query/AllBalances', toBinary(QueryAllBalancesRequestSchema, both))).toMatchObject({
      code: 18,
      log: 'rpc error: code = InvalidArgument desc = paginate: invalid request, either offset or key is expected, got both: invalid request',
    });
  });

  it('an absent account is not found', () => {
    const address = 'tp1qyqszqgpqyqszqgpqyqszqgpqyqszqgpgk0hz2';
    const answer = chain.raw(
      '/cosmos.auth.v1beta1.Query/Account',
      toBinary(AuthQuery.method.account.input, create(AuthQuery.method.account.input, { address })),
    );
    expect([answer.code, answer.log]).toEqual([
      22,
      `rpc error: code = NotFound desc = account ${address} not found: key not found`,
    ]);
  });
});
