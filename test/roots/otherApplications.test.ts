import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createApplication } from '../../packages/devnet/src/app/application.ts';
import { createGenesis } from '../../packages/devnet/src/app/genesis/genesis.ts';
import { createDevnet, type Devnet } from '../../packages/devnet/src/devnet.ts';
import { provenanceTable, tableNamed } from '../../src/chain/roots/methodTables.ts';
import type { RootsStatus, StateRootsOptions } from '../../src/chain/roots/stateRoots.ts';
import { readStoreTable, type TableFile, tableOf } from '../../src/start/storeTable.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { askAt } from './heights.ts';

const supply = '{ supplyOf(denom: "nhash") { amount } }';

const file: TableFile = {
  application: 'exampled',
  version: '2.0.1',
  sdk: 'v0.53.6',
  from: '10',
  to: '90',
  methods: [
    { method: '/cosmos.bank.v1beta1.Query/SupplyOf', stores: ['bank'], carry: 'always' },
    { method: '/cosmos.auth.v1beta1.Query/ModuleAccounts', stores: ['acc'], carry: 'always' },
  ],
};

/** A store that the node does not have, or one without proofs. */
type Lack = 'no upgrade store' | 'no proofs';

let devnet: Devnet;
let stele: Stack;
let statuses: RootsStatus[] = [];

afterEach(async () => {
  await stele?.close();
  await devnet?.close();
});

/** Starts a chain whose application has another name and version than Provenance, and a server over it. */
async function startOther(
  table: StateRootsOptions['table'],
  { name = 'exampled', version = '2.0.1', lacks }: { name?: string; version?: string; lacks?: Lack } = {},
): Promise<void> {
  const base = createApplication({ genesis: createGenesis({ bare: true }) });
  devnet = await createDevnet({
    blockTime: 'manual',
    application: {
      ...base,
      info: () => ({ ...base.info(), data: name, version }),
      query(input) {
        if (lacks === 'no proofs' && input.path.startsWith('/store/')) return { ...base.query(input), proofOps: [] };
        const isAbsent = lacks === 'no upgrade store' && input.path === '/store/upgrade/key';
        return base.query(isAbsent ? { ...input, path: '/store/absent/key' } : input);
      },
    },
  });
  stele = await startStack([devnet.nodes[0]!.url], {
    client: { roots: { table } },
    server: { admin: { host: '127.0.0.1', port: 0 } },
  });
  statuses = [];
  stele.client.roots.onStatus((status) => statuses.push(status));
  await stele.client.head.ready();
}

async function next(): Promise<bigint> {
  const height = await devnet.commit();
  await stele.client.head.waitFor(height, { milliseconds: 30_000 });
  return height;
}

/** Makes blocks until an answer is carried. The first blocks of a server may have no roots. */
async function untilCarried(): Promise<void> {
  await askAt(stele, supply);
  for (let source = ''; source !== 'carried'; ) {
    await next();
    ({ source } = await askAt(stele, supply));
  }
}

async function probedRoots(): Promise<unknown> {
  const { roots } = (await (await fetch(`${stele.server.adminUrl}/readyz`)).json()) as { roots?: unknown };
  return roots;
}

describe('an application that no table of Stele holds for', () => {
  it('is read by height, and the probe for operators says why', async () => {
    await startOther(undefined);
    for (let count = 0; count < 4; count += 1) {
      await next();
      expect((await askAt(stele, supply)).source).toBe('made');
    }
    await expect.poll(probedRoots).toBe('NO_TABLE');
    expect(statuses.at(-1)).toEqual({ state: 'NO_TABLE', application: 'exampled 2.0.1', table: undefined });
    expect(stele.client.roots.stats().requests).toBe(0);
    expect(await (await fetch(`${stele.server.url}/readyz`)).json()).toEqual({ ready: true, chain: 'moving' });
  });

  it('is carried by the table of a file for its version', async () => {
    await startOther(tableOf(file));
    await untilCarried();
    await expect.poll(probedRoots).toBe('USED');
    expect(statuses.at(-1)).toEqual({ state: 'USED', application: 'exampled 2.0.1', table: 'exampled 2.0.1' });
  });

  it('is read by height if the table is one of another version or application', async () => {
    await startOther(tableOf(file), { version: '2.0.2' });
    for (let count = 0; count < 4; count += 1) {
      await next();
      expect((await askAt(stele, supply)).source).toBe('made');
    }
    await expect.poll(probedRoots).toBe('NO_TABLE');
  });

  it('needs no store of upgrades', async () => {
    await startOther(tableOf(file), { lacks: 'no upgrade store' });
    await untilCarried();
  });

  it('is read by height if its nodes return no proofs, which the probe reports after ten blocks', async () => {
    await startOther(tableNamed('provenance-1.29'), { lacks: 'no proofs' });
    for (let count = 0; count < 14; count += 1) {
      await next();
      expect((await askAt(stele, supply)).source).toBe('made');
    }
    await expect.poll(probedRoots).toBe('NO_PROOFS');
  });
});

describe('tables of stores', () => {
  const moduleAccounts = '/cosmos.auth.v1beta1.Query/ModuleAccounts';

  it('carry module accounts only with SDK 0.53', () => {
    expect(provenanceTable.methods.byPath.get(moduleAccounts)?.stores).toEqual(['acc', 'upgrade']);
    expect(tableOf(file).methods.byPath.get(moduleAccounts)?.stores).toEqual(['acc', 'upgrade']);
    for (const sdk of ['v0.54.0', '0.55.1', ''])
      expect(tableOf({ ...file, sdk }).methods.byPath.get(moduleAccounts)).toBeUndefined();
    // The SDK of an application that the operator names is not known.
    expect(tableNamed('provenance-1.29')?.methods.byPath.get(moduleAccounts)).toBeUndefined();
    expect(tableNamed('provenance-1.29')?.methods.byPath.get('/cosmos.bank.v1beta1.Query/SupplyOf')).toBeDefined();
  });

  it.each([
    ['provenanced', 'v1.29.0', true],
    ['provenanced', '1.29.3', true],
    ['provenanced', 'v1.30.0', false],
    ['provenanced', 'v1.290.0', false],
    ['WasmApp', 'v1.29.0', false],
  ])('that of Stele holds for %s %s: %s', (name, version, expected) => {
    expect(provenanceTable.holdsFor({ name, version })).toBe(expected);
  });

  it('are read from a file, and a file with errors stops the start with one line', () => {
    const directory = mkdtempSync(join(tmpdir(), 'stores-'));
    const write = (text: string): string => {
      writeFileSync(join(directory, 'table.json'), text);
      return join(directory, 'table.json');
    };
    try {
      const table = readStoreTable(write(JSON.stringify(file)));
      expect(table.holdsFor({ name: 'exampled', version: '2.0.1' })).toBe(true);
      expect(() => readStoreTable(join(directory, 'absent.json'))).toThrow('--stores (STELE_STORES): the file cannot be read');
      expect(() => readStoreTable(write('{'))).toThrow('--stores (STELE_STORES): the file is not JSON');
      const [row] = file.methods;
      expect(() => readStoreTable(write(JSON.stringify({ ...file, methods: [{ ...row, carry: 'mostly' }] })))).toThrow(
        /^--stores \(STELE_STORES\): the file is not a table of stores: methods\.0\.carry: /,
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
