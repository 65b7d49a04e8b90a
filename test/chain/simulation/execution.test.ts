import { describe, expect, it } from 'vitest';
import { createDescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import { executionOf, executionOfCall, isQueryService, isSimulation } from '../../../src/chain/simulation/execution.ts';
import { readDescriptors, readRecording } from '../../recordings/recordings.ts';

const none = new Uint8Array();
const kindOf = (path: string): string | undefined => executionOf(path, none)?.kind;

describe('the paths of a node', () => {
  it.each([
    '/cosmos.tx.v1beta1.Service/Simulate',
    '/provenance.flatfees.v1.Query/CalculateTxFees',
    '/provenance.msgfees.v1.Query/CalculateTxFees',
    '/app/simulate',
    'app/simulate',
    '/app/simulate/',
    '/app/simulate/more/parts',
    '//app//simulate',
    '/App/Simulate',
    '/ethermint.evm.v1.Query/EthCall',
    '/ethermint.evm.v1.Query/TraceTx',
  ])("the node's path %s simulates", (path) => {
    expect(kindOf(path)).toBe('SIMULATION');
  });

  it.each([
    '/cosmos.tx.v1beta1.Service/BroadcastTx',
    '/cosmos.tx.v1beta1.Service/Later',
    '/cosmos.tx.v1beta1.Service/Simulate/',
    'cosmos.tx.v1beta1.Service/Simulate',
    '/cosmos.bank.v1beta1.Msg/Send',
    '/tendermint.abci.ABCI/CheckTx',
    '/app/other',
    '/app',
    '/%61pp/simulate',
  ])('%s is not known to only read', (path) => {
    expect(kindOf(path)).toBe('UNKNOWN');
  });

  it.each([
    ...[
      '/app/version',
      '/store/group/key',
      '/store/app/subspace',
      '/p2p/filter/addr/1.2.3.4',
      '',
      '/',
      'unknown',
      '/custom/gov/proposal',
    ],
    ...['/cosmos.tx.v1beta1.Service/GetTx', '/cosmwasm.wasm.v1.Query/SmartContractState', '/no.such.Query/Method'],
  ])('%s only reads', (path) => {
    expect(kindOf(path)).toBeUndefined();
  });

  it('every recorded query only reads, and every recorded simulation is one', () => {
    for (const { path, request } of readRecording('queries'))
      expect([path, executionOf(path, Buffer.from(request, 'hex'))]).toEqual([path, undefined]);
    for (const { name, request } of readRecording('simulations'))
      if (request.params !== undefined)
        expect([name, executionOfCall('abci_query', { ...request.params })?.kind]).toEqual([name, 'SIMULATION']);
  });

  it('a query inside of a query is what it does', () => {
    const path = '/cosmos.base.tendermint.v1beta1.Service/ABCIQuery';
    // Fields 1 `data` and 2 `path` of `ABCIQueryRequest`.
    const field = (number: number, text: string): Buffer =>
      Buffer.concat([Uint8Array.of(number * 8 + 2, text.length), Buffer.from(text)]);
    const inner = (...parts: Buffer[]): string | undefined => executionOf(path, Buffer.concat(parts))?.kind;
    expect(inner(field(2, '/app/simulate'), field(1, 'tx'))).toBe('SIMULATION');
    expect(inner(field(2, '/app/version'))).toBeUndefined();
    expect(inner(field(2, '/store/bank/key'), field(1, 'x'))).toBeUndefined();
    // Which of the two a decoder takes is not known.
    expect(inner(field(2, '/app/version'), field(2, '/app/simulate'))).toBe('UNKNOWN');
    expect(inner(field(2, path), field(1, field(2, '/app/simulate').toString()))).toBe('SIMULATION');
  });

  it('data that is not hex, and another method of the RPC', () => {
    const params = { path: '/app/simulate', height: '0', prove: false };
    for (const data of ['0x00', 'zz', '0', 5])
      expect(executionOfCall('abci_query', { ...params, data })).toEqual({ kind: 'UNKNOWN' });
    expect(executionOfCall('abci_query', params)).toEqual({ kind: 'SIMULATION', txs: [Buffer.alloc(0)] });
    expect(executionOfCall('status', params)).toBeUndefined();
  });

  it('the methods of the real chain that simulate are these', () => {
    const pool = createDescriptorPool(readDescriptors());
    const methods = pool.services
      .filter((name) => isQueryService(name) || name === 'cosmos.tx.v1beta1.Service')
      .flatMap((name) => (pool.service(name)?.methods ?? []).map((method) => [name, method.name] as const));
    expect(methods.length).toBeGreaterThan(250);
    expect(methods.filter(([service, method]) => isSimulation(service, method)).map((names) => names.join('/'))).toEqual([
      'cosmos.tx.v1beta1.Service/Simulate',
      'provenance.flatfees.v1.Query/CalculateTxFees',
      'provenance.msgfees.v1.Query/CalculateTxFees',
    ]);
  });
});
