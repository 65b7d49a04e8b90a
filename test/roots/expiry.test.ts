import { create, toBinary } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { createApplication } from '../../packages/devnet/src/app/application.ts';
import { createGenesis } from '../../packages/devnet/src/app/genesis/genesis.ts';
import { createDevnet } from '../../packages/devnet/src/devnet.ts';
import { AttributeType } from '../../src/proto/provenance/attribute/v1/attribute_pb.js';
import { QueryAttributesResponseSchema } from '../../src/proto/provenance/attribute/v1/query_pb.js';
import { startStack } from '../support/stack.ts';
import { askAt, rootsKnown } from './heights.ts';

/**
 * Starts a chain on which an attribute expires without a change of its store. The devnet deletes an attribute in the block in
 * which it expires; Provenance may delete it in a later block.
 */
async function startExpiring(account: string, expires: bigint, genesisTime: bigint) {
  const base = createApplication({ genesis: createGenesis({ bare: true }) });
  const times = new Map<bigint, bigint>();
  const attribute = {
    name: 'kyc.pb',
    value: Buffer.from('passed'),
    attributeType: AttributeType.STRING,
    address: account,
    expirationDate: { seconds: expires / 1_000_000_000n, nanos: 0 },
  };
  return createDevnet({
    blockTime: 'manual',
    genesisTime,
    application: {
      ...base,
      finalizeBlock(input) {
        times.set(input.height, input.time);
        return base.finalizeBlock(input);
      },
      query(input) {
        const answer = base.query(input);
        if (input.path !== '/provenance.attribute.v1.Query/Attributes') return answer;
        const attributes = times.get(input.height)! < expires ? [attribute] : [];
        const response = create(QueryAttributesResponseSchema, { account, attributes, pagination: {} });
        return { ...answer, value: toBinary(QueryAttributesResponseSchema, response) };
      },
    },
  });
}

it('an answer with an attribute is carried until the block in which the attribute expires, also if no store changes', async () => {
  const second = 1_000_000_000n;
  const genesisTime = 1_900_000_000n * second;
  const account = createGenesis({ bare: true }).balances[0]!.address;
  const expires = genesisTime + 8n * second;
  const devnet = await startExpiring(account, expires, genesisTime);
  const stele = await startStack([devnet.nodes[0]!.url]);
  try {
    await stele.client.head.ready();
    const query = `{ attributes(account: "${account}") { nodes { name } } }`;
    await askAt(stele, query);
    const seen: string[] = [];
    const shown: Record<string, string> = {
      '{"attributes":{"nodes":[{"name":"kyc.pb"}]}}': 'valid',
      '{"attributes":{"nodes":[]}}': 'none',
    };
    for (let count = 0; count < 12; count += 1) {
      // A second after the block before.
      const height = await devnet.commit();
      await stele.client.head.waitFor(height, { milliseconds: 30_000 });
      if (count > 2) await rootsKnown(stele, height);
      const { data, source } = await askAt(stele, query);
      if (count > 3) seen.push(`${height} ${shown[data]} ${source}`);
    }
    // Block 9 is at the time of the expiry: block 1 is at the time of the genesis.
    expect(seen).toEqual([
      ...['6 valid carried', '7 valid carried', '8 valid carried'],
      ...['9 none made', '10 none carried', '11 none carried', '12 none carried', '13 none carried'],
    ]);
  } finally {
    await stele.close();
    await devnet.close();
  }
});
