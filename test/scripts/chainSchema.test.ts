import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printChainSchema, readChain, recordedChain } from '../../scripts/chainSchema.ts';
import { subgraph } from '../../scripts/schemaChanges.ts';
import { readBytes } from '../recordings/recording.ts';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';

describe('the schema of a chain', () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain.devnet.close());

  it('is committed for the recorded chain, and is a valid subgraph', () => {
    const text = printChainSchema(recordedChain(readBytes('descriptors.binpb')));
    expect(text).toBe(readFileSync(new URL('../../schema/chains/provenance-1.29.graphql', import.meta.url), 'utf8'));
    const schema = subgraph(text);
    expect(schema.getType('CosmosStakingV1beta1Queries')).toBeDefined();
  });

  it('is printed for the chain of a node, without the services that its application does not serve', async () => {
    const schema = subgraph(printChainSchema(await readChain(chain.node.url)));
    const types = Object.keys(schema.getTypeMap());
    expect(types).toEqual(expect.arrayContaining(['CosmosGroupV1Queries', 'CosmosBankV1beta1Queries']));
    expect(types).not.toContain('CosmosNftV1beta1Queries');
  });

  it.runIf(runsAll)('rejects if the node cannot be reached', async () => {
    await expect(readChain('http://127.0.0.1:9')).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
  });
});
