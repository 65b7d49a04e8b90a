import { describe, expect, it } from 'vitest';
import type { TxResult } from '../../../packages/devnet/src/abci/abci.ts';
import { contractAddress } from '../../../packages/devnet/src/app/keepers/wasm/state.ts';
import { encodeAddress } from '../../../packages/devnet/src/app/runtime/address.ts';
import { contractMessage, contracts } from '../../../packages/devnet/src/app/world/contracts.ts';
import { Query as BankQuery } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { Query } from '../../../src/proto/cosmwasm/wasm/v1/query_pb.js';
import {
  MsgClearAdminSchema,
  MsgExecuteContractSchema,
  MsgInstantiateContractResponseSchema,
  MsgInstantiateContractSchema,
  MsgMigrateContractSchema,
  MsgUpdateAdminSchema,
} from '../../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import { ContractCodeHistoryOperationType as Operation } from '../../../src/proto/cosmwasm/wasm/v1/types_pb.js';
import { recording } from '../../recordings/recording.ts';
import { type Chain, createChain, message } from './harness.ts';

const { points, vouchers } = contracts;
const chain = createChain({});
const [admin, other] = chain.accounts as [Chain['accounts'][0], Chain['accounts'][0]];

const service = '/cosmwasm.wasm.v1.Query';
const text = (field: number, value: string): string =>
  `${Buffer.from([(field << 3) | 2, value.length]).toString('hex')}${Buffer.from(value).toString('hex')}`;

interface Recording {
  readonly calls: readonly {
    readonly method: string;
    readonly params: { readonly path?: string; readonly data?: string };
    readonly result?: {
      readonly response?: { readonly code: number; readonly codespace: string; readonly log: string };
      readonly tx_result?: {
        readonly code: number;
        readonly codespace: string;
        readonly log: string;
        readonly events: TxResult['events'];
      };
    };
  }[];
}
const { calls } = recording<Recording>('contracts');
const recordedContract = 'wasm14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9s0phg4d';
const recordedAccount = 'wasm1qwexv7c6sm95lwhzn9027vyu2ccneaqa0jvzfy';
const accounts = [recordedAccount, 'wasm18s5lynnmx37hq4wlrw9gdn68sg2uxp5r23gln4'];

/** The refusal that was recorded for a request in hex. */
function recordedRefusal(path: string, data: string) {
  const call = calls.find(({ params }) => params.path === `${service}/${path}` && params.data === data);
  const { code, codespace, log } = call!.result!.response!;
  return { code, codespace, log };
}

/** The results of the recorded transactions. */
function recordedTransactions() {
  return calls.flatMap(({ result }) => result?.tx_result ?? []);
}

/** The shape of the events of a message: their types and the keys of their attributes, without those of the bank. */
function shapeOf(events: TxResult['events']): readonly string[] {
  const ofMessage = events.filter(({ attributes }) => attributes.some(({ key }) => key === 'msg_index'));
  return ofMessage
    .filter(
      ({ type, attributes }) =>
        !type.startsWith('coin_') && type !== 'transfer' && attributes.length > 2 - Number(type !== 'message'),
    )
    .map(({ type, attributes }) => `${type} ${attributes.map(({ key }) => key).join(' ')}`);
}

const execute = (contract: string, content: Parameters<typeof contractMessage>[0], funds?: string) =>
  message(MsgExecuteContractSchema, {
    ...{ sender: admin.address, contract, msg: contractMessage(content) },
    funds: funds === undefined ? [] : [{ denom: 'nhash', amount: funds }],
  });
const init = { name: 'Test', symbol: 'T', initial_balances: [{ address: admin.address, amount: '10' }] };
const instantiate = (codeId = 1n, content: Parameters<typeof contractMessage>[0] = init, label = 'test') =>
  message(MsgInstantiateContractSchema, {
    ...{ sender: admin.address, admin: admin.address, codeId, label, msg: contractMessage(content) },
    funds: [{ denom: 'nhash', amount: '7' }],
  });
const refusal = ({ code, codespace, log }: TxResult) => ({ code, codespace, log });
const smart = (contract: string, query: Parameters<typeof contractMessage>[0]) =>
  JSON.parse(
    Buffer.from(
      chain.query(Query.method.smartContractState, { address: contract, queryData: contractMessage(query) }).data,
    ).toString(),
  );

describe('the addresses of contracts', () => {
  it('are those of a real chain for the same code and number', () => {
    expect(encodeAddress(contractAddress(1n, 1n), 'wasm')).toBe(recordedContract);
    expect(encodeAddress(contractAddress(1n, 5n), 'wasm')).toBe(
      'wasm1cnuw3f076wgdyahssdkd0g3nr96ckq8cwa2mh029fn5mgf2fmcms9ax00l',
    );
  });
});

describe('the contracts of the genesis', () => {
  it('have a code, an administrator, a history and a state, and are in the lists', () => {
    const { contractInfo: info } = chain.query(Query.method.contractInfo, { address: points });
    expect(info).toMatchObject({ codeId: 2n, creator: admin.address, admin: admin.address, label: 'Points' });
    const { entries } = chain.query(Query.method.contractHistory, { address: points });
    expect(entries.map(({ operation, codeId }) => [operation, codeId])).toEqual([
      [Operation.INIT, 1n],
      [Operation.MIGRATE, 2n],
    ]);
    expect(chain.query(Query.method.contractInfo, { address: vouchers }).contractInfo).toMatchObject({ admin: '', codeId: 2n });
    expect([1n, 2n].map((codeId) => chain.query(Query.method.contractsByCode, { codeId }).contracts.length)).toEqual([0, 2]);
    expect(chain.query(Query.method.contractsByCreator, { creatorAddress: admin.address }).contractAddresses).toEqual([points]);
    const { codeInfos } = chain.query(Query.method.codes, {});
    expect(codeInfos.map(({ codeId, dataHash }) => [codeId, dataHash.length])).toEqual([
      [1n, 32],
      [2n, 32],
    ]);
    expect(chain.query(Query.method.codeInfo, { codeId: 2n }).checksum).toEqual(codeInfos[1]!.dataHash);
  });

  it('have pages of state by key, which add up to the whole', () => {
    const whole = chain.query(Query.method.allContractState, { address: points }).models;
    expect(whole.length).toBeGreaterThan(12);
    const keys: string[] = [];
    let key: Uint8Array = new Uint8Array();
    do {
      const part = chain.query(Query.method.allContractState, { address: points, pagination: { key, limit: 5n } });
      keys.push(...part.models.map((model) => Buffer.from(model.key).toString('latin1')));
      key = part.pagination!.nextKey;
    } while (key.length > 0);
    expect(keys).toEqual(whole.map((model) => Buffer.from(model.key).toString('latin1')));
    const raw = (name: string) =>
      chain.query(Query.method.rawContractState, { address: points, queryData: new Uint8Array(Buffer.from(name)) }).data;
    expect(JSON.parse(Buffer.from(raw('contract_info')).toString())).toEqual({ contract: 'stele:points', version: '1.1.0' });
    expect(raw('nope')).toHaveLength(0);
  });

  it('answer queries', () => {
    const info = smart(points, { token_info: {} });
    expect(info).toMatchObject({ name: 'Points', symbol: 'PTS' });
    const { accounts: holders } = smart(points, { all_accounts: { limit: 30 } });
    const balances = holders.map((address: string) => BigInt(smart(points, { balance: { address } }).balance));
    expect(balances.reduce((sum: bigint, each: bigint) => sum + each, 0n)).toBe(BigInt(info.total_supply));
    expect(smart(points, { all_accounts: { start_after: holders[0], limit: 1 } })).toEqual({ accounts: [holders[1]] });
    expect([smart(points, { minter: {} }), smart(vouchers, { minter: {} })]).toEqual([{ minter: admin.address }, null]);
  });
});

describe('a refused query', () => {
  const cases: readonly (readonly [method: string, data: (contract: string, account: string) => string])[] = [
    ['ContractInfo', (_, account) => text(1, account)],
    ['ContractInfo', () => ''],
    ['ContractHistory', (contract) => `${text(1, contract)}12022001`],
    ['AllContractState', (_, account) => text(1, account)],
    ['AllContractState', (contract) => `${text(1, contract)}12021001`],
    ['RawContractState', (_, account) => text(1, account) + text(2, 'config')],
    ['SmartContractState', (_, account) => text(1, account) + text(2, '{}')],
    ['SmartContractState', (contract) => text(1, contract) + text(2, '{')],
    ['SmartContractState', (contract) => text(1, contract)],
    ['SmartContractState', (contract) => text(1, contract) + text(2, '[]')],
    ['SmartContractState', (contract) => text(1, contract) + text(2, '{"nope":{}}')],
    ['ContractsByCode', () => '080112021001'],
    ['ContractsByCode', () => '080112022001'],
    ['ContractsByCreator', () => ''],
    ['Codes', () => '0a021001'],
    ['CodeInfo', () => ''],
    ['CodeInfo', () => '084d'],
  ];

  it.each(cases)('of %s has the code and the text of a real node (%#)', (method, data) => {
    const requests = accounts.map((account) => data(recordedContract, account));
    const recorded = calls.find(({ params }) => params.path === `${service}/${method}` && requests.includes(params.data ?? ''));
    const { code, codespace, log } = recordedRefusal(method, recorded!.params.data!);
    const own = chain.raw(`${service}/${method}`, Buffer.from(data(points, other.address), 'hex'));
    const ownLog = own.log
      .replaceAll(other.address, 'account')
      .replaceAll('points::msg', 'hackatom::msg')
      .replace(/expected one of .*: query/, 'expected one of …: query');
    expect({ code: own.code, codespace: own.codespace, log: ownLog }).toEqual({
      ...{ code, codespace },
      log: log.replace(/wasm1[a-z0-9]{38}\b/g, 'account').replace(/expected one of .*: query/, 'expected one of …: query'),
    });
  });

  it('that needs more gas than a query has, has the text of a real node', () => {
    const data = calls.find(({ result }) => result?.response?.log?.startsWith('out of gas'))!.params.data!;
    const query = contractMessage({ hashes: { rounds: 4000 } });
    const request = Buffer.from(text(1, points) + text(2, Buffer.from(query).toString()), 'hex');
    const { code, codespace, log } = chain.raw(`${service}/SmartContractState`, request);
    expect({ code, codespace, log }).toEqual(recordedRefusal('SmartContractState', data));
    expect(smart(points, { hashes: { rounds: 3000 } })).toEqual({ rounds: 3000 });
  });
});

describe('the messages', () => {
  it('create a contract with coins at the place of the transaction, and have the events of a real chain', () => {
    const { address } = chain.run(admin, instantiate(), MsgInstantiateContractResponseSchema);
    const { contractInfo: info } = chain.query(Query.method.contractInfo, { address });
    expect(info!.created).toMatchObject({ blockHeight: chain.state.height, txIndex: 0n });
    expect(chain.query(BankQuery.method.balance, { address, denom: 'nhash' }).balance!.amount).toBe('7');
    const [first, second] = chain.block([
      chain.sign(other, [
        message(MsgInstantiateContractSchema, { sender: other.address, codeId: 1n, label: 'x', msg: contractMessage(init) }),
      ]),
      chain.sign(admin, [instantiate()]),
    ]).txResults;
    expect([first!.code, second!.code]).toEqual([0, 0]);
    const { contracts: all } = chain.query(Query.method.contractsByCode, { codeId: 1n });
    const places = all.map((each) => chain.query(Query.method.contractInfo, { address: each }).contractInfo!.created!.txIndex);
    expect(places).toEqual([0n, 0n, 1n]);
    const recorded = recordedTransactions().find(({ events }) => events.some(({ type }) => type === 'instantiate'))!;
    expect(shapeOf(second!.events).slice(0, 2)).toEqual(shapeOf(recorded.events).slice(0, 2));
  });

  it('execute, migrate and give away a contract', () => {
    const { address } = chain.run(admin, instantiate(), MsgInstantiateContractResponseSchema);
    const sent = chain.deliver(admin, [execute(address, { transfer: { recipient: other.address, amount: '4' } }, '3')]);
    const events = sent.events.filter(({ attributes }) => attributes.some(({ key }) => key === '_contract_address'));
    expect(events.map(({ type, attributes }) => [type, attributes.map(({ key, value }) => `${key}=${value}`)])).toEqual([
      ['execute', [`_contract_address=${address}`, 'msg_index=0']],
      [
        'wasm',
        [
          ...[`_contract_address=${address}`, 'action=transfer', `from=${admin.address}`, `to=${other.address}`],
          ...['amount=4', 'msg_index=0'],
        ],
      ],
    ]);
    expect(smart(address, { balance: { address: other.address } })).toEqual({ balance: '4' });
    expect(chain.query(BankQuery.method.balance, { address, denom: 'nhash' }).balance!.amount).toBe('10');
    expect(chain.deliver(admin, [execute(address, { burn: { amount: '6' } })]).code).toBe(0);
    expect(smart(address, { token_info: {} }).total_supply).toBe('4');

    const [sender, contract] = [admin.address, address];
    const migrated = chain.deliver(admin, [
      message(MsgMigrateContractSchema, { sender, contract, codeId: 2n, msg: contractMessage({}) }),
    ]);
    const given = chain.deliver(admin, [message(MsgUpdateAdminSchema, { sender, contract, newAdmin: other.address })]);
    const freed = chain.deliver(other, [message(MsgClearAdminSchema, { sender: other.address, contract })]);
    const recorded = recordedTransactions().map(({ events: each }) => shapeOf(each).join('; '));
    for (const { code, events: each } of [migrated, given, freed]) {
      expect(code).toBe(0);
      expect(recorded).toContain(shapeOf(each).join('; '));
    }
    expect(chain.query(Query.method.contractInfo, { address }).contractInfo).toMatchObject({ codeId: 2n, admin: '' });
    expect(chain.query(Query.method.contractHistory, { address }).entries).toHaveLength(2);
    expect(chain.query(Query.method.contractsByCode, { codeId: 1n }).contracts).not.toContain(address);
  });

  it('are refused with the codes and texts of a real chain', () => {
    const recorded = recordedTransactions()
      .filter(({ code }) => code !== 0)
      .map(({ code, codespace, log }) => ({ code, codespace, log }));
    const like = ({ code, codespace, log }: TxResult) => ({
      ...{ code, codespace },
      log: log.replaceAll(other.address, recordedAccount).replaceAll('points::msg', 'hackatom::msg'),
    });
    const stranger = { sender: other.address, contract: points };
    expect(recorded).toHaveLength(5);
    expect([
      like(chain.deliver(other, [message(MsgMigrateContractSchema, { ...stranger, codeId: 2n, msg: contractMessage({}) })])),
      like(chain.deliver(admin, [execute(other.address, {})])),
      like(chain.deliver(admin, [instantiate(99n)])),
      like(
        chain.deliver(other, [
          message(MsgExecuteContractSchema, {
            ...stranger,
            msg: contractMessage({ mint: { recipient: other.address, amount: '1' } }),
          }),
        ]),
      ),
    ]).toEqual([recorded[0], recorded[2], recorded[3], recorded[4]]);
    const unknown = refusal(chain.deliver(admin, [execute(points, { nope: {} })]));
    const upTo = (log: string) => log.slice(0, log.indexOf(' expected')).replace('points::msg', 'hackatom::msg');
    expect({ ...unknown, log: upTo(unknown.log) }).toEqual({ ...recorded[1], log: upTo(recorded[1]!.log) });
  });

  it('that fail change nothing', () => {
    const before = smart(points, { token_info: {} });
    for (const content of [
      { transfer: { recipient: other.address, amount: '999999999999' } },
      { transfer: { recipient: 'x', amount: '1' } },
      { transfer: { recipient: other.address, amount: '-1' } },
      { burn: { amount: '0' } },
      { burn: {} },
      [],
    ]) {
      expect(refusal(chain.deliver(admin, [execute(points, content)]))).toMatchObject({ code: 5, codespace: 'wasm' });
    }
    expect(refusal(chain.deliver(admin, [instantiate(1n, {})]))).toMatchObject({ code: 4, codespace: 'wasm' });
    expect(refusal(chain.deliver(admin, [instantiate(1n, init, '')]))).toMatchObject({ code: 12, codespace: 'wasm' });
    expect(refusal(chain.deliver(admin, [instantiate(1n, init, 'x'.repeat(129))]))).toMatchObject({ code: 13 });
    expect(smart(points, { token_info: {} })).toEqual(before);
  });
});
