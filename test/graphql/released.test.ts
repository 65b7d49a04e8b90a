import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unnamedChanges } from '../../scripts/schemaChanges.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const released = read('schema/released.graphql');
const current = read('schema/schema.graphql');
const changelog = read('CHANGELOG.md');

describe('the schema since the last release', () => {
  it('has no breaking change that CHANGELOG.md does not name', async () => {
    expect(await unnamedChanges(released, current, changelog)).toEqual([]);
  });

  it('fails the check for a breaking change until CHANGELOG.md names it', async () => {
    const changed = current.replace(/^ {2}numTxs: Int64!$/m, '  numTxs: Int64');
    expect(changed).not.toBe(current);
    const errors = await unnamedChanges(current, changed, '## Unreleased\n\n## 1.0.0\n\n- `Block.numTxs`\n');
    expect(errors).toEqual([expect.stringMatching(/^Block\.numTxs: .*CHANGELOG\.md does not name `Block\.numTxs`/)]);
    expect(await unnamedChanges(current, changed, '## Unreleased\n\n- `Block.numTxs` may be null.\n')).toEqual([]);
  });

  it('counts a removed entity key as breaking', async () => {
    const changed = current.replace(
      'type Proposal implements GovernanceProposal @key(fields: "id")',
      'type Proposal implements GovernanceProposal',
    );
    expect(changed).not.toBe(current);
    expect(await unnamedChanges(current, changed, '')).toEqual([expect.stringMatching(/^Proposal\.@key: /)]);
  });
});
