import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Evidence, TrustRecord } from '../../../src/chain/lightClient/lightClient.ts';
import { createTrustFiles } from '../../../src/start/trustFiles.ts';

const directories: string[] = [];

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function open() {
  const directory = mkdtempSync(join(tmpdir(), 'trust-'));
  directories.push(directory);
  const errors: unknown[] = [];
  return { directory, errors, files: createTrustFiles(directory, (error) => errors.push(error)) };
}

const newest = { signedHeader: { header: { height: '9' }, commit: {} }, validators: [{ address: 'AB' }] };

function record(chainId: string): TrustRecord {
  return { chainId, from: { height: 7n, hash: 'AB'.repeat(32) }, kind: 'FIRST_USE', trustingPeriod: 5n, newest };
}

describe('the files of the light client', () => {
  it('keep the trust in each chain, also in one with a name that is a path', async () => {
    const { directory, errors, files } = open();
    for (const chainId of ['pio-1', '../../x']) {
      expect(files.load(chainId)).toBeUndefined();
      files.keep(record(chainId));
      await files.flushed();
      expect(createTrustFiles(directory, () => undefined).load(chainId)).toEqual(record(chainId));
    }
    expect(readdirSync(directory)).toEqual(['trust']);
    expect(readdirSync(join(directory, 'trust'))).toEqual(['..%2F..%2Fx.json', 'pio-1.json']);
    expect(statSync(join(directory, 'trust', 'pio-1.json')).mode & 0o777).toBe(0o600);
    // No chain has an id that is as long.
    expect(files.load('x'.repeat(300))).toBeUndefined();
    expect(errors).toEqual([]);
  });

  it('do not begin anew if they cannot be read', async () => {
    const { directory, errors, files } = open();
    files.keep(record('pio-1'));
    await files.flushed();
    writeFileSync(join(directory, 'trust', 'pio-1.json'), '{"chainId":');
    expect(() => files.load('pio-1')).toThrow('cannot be read');
    expect(String(errors[0])).toContain('remove it, or start with --trust');
  });

  it('have the evidence against a node, one file for each block', async () => {
    const { directory, errors, files } = open();
    const evidence: Evidence = {
      ...{ kind: 'REFUSED', node: 'node-1', chainId: 'pio-1', height: 9n, code: 'WRONG_HASH', reason: 'It differs.' },
      ...{ hash: 'CD'.repeat(32), received: { header: {} }, trusted: newest },
    };
    files.add(evidence);
    files.add({ ...evidence, received: undefined, trusted: undefined });
    await files.flushed();
    const names = readdirSync(join(directory, 'evidence'));
    expect(names.map((name) => name.replace(/^[-\dTZ.]+Z-/, ''))).toEqual(['9-node-1-1.json', '9-node-1-2.json']);
    expect(JSON.parse(readFileSync(join(directory, 'evidence', names[0]!), 'utf8'))).toEqual({
      ...{
        at: expect.any(String),
        kind: 'REFUSED',
        node: 'node-1',
        chainId: 'pio-1',
        code: 'WRONG_HASH',
        reason: 'It differs.',
      },
      claimed: { height: '9', hash: 'CD'.repeat(32) },
      received: { header: {} },
      trusted: { signed_header: newest.signedHeader, validators: newest.validators },
    });
    expect(errors).toEqual([]);
  });

  it('have different answers of nodes to one call', async () => {
    const { directory, errors, files } = open();
    const params = { path: '/a.Query/B', data: '', height: '9', prove: false };
    files.addAnswers({
      ...{ kind: 'OUTVOTED', nodes: ['node-2'], chainId: 'pio-1', height: 9n, method: 'abci_query', params },
      received: { response: { value: 'AA==' } },
      other: { nodes: ['node-1', 'node-3'], received: { response: { value: 'AQ==' } } },
    });
    await files.flushed();
    const [name = ''] = readdirSync(join(directory, 'evidence'));
    expect(name).toMatch(/Z-9-node-2-1\.json$/);
    expect(JSON.parse(readFileSync(join(directory, 'evidence', name), 'utf8'))).toEqual({
      ...{ at: expect.any(String), kind: 'OUTVOTED', node: 'node-2', chainId: 'pio-1' },
      ...{ code: 'NODE_INCONSISTENT', reason: 'Most nodes gave another answer.' },
      claimed: { height: '9', method: 'abci_query', params },
      received: { response: { value: 'AA==' } },
      other: { nodes: ['node-1', 'node-3'], received: { response: { value: 'AQ==' } } },
    });
    expect(errors).toEqual([]);
  });
});
