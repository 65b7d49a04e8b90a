import { fromBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { createDevnet } from '../../../packages/devnet/src/devnet.ts';
import { devnetModules } from '../../../src/config/devnetModules.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgVoteSchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { FileDescriptorsResponseSchema } from '../../../src/proto/cosmos/reflection/v1/reflection_pb.js';
import { some } from '../../support/atRandom.ts';
import { any, startChain } from '../../support/chain.ts';

const queries = {
  attribute: '/provenance.attribute.v1.Query/Params',
  authz: '/cosmos.authz.v1beta1.Query/Grants',
  distribution: '/cosmos.distribution.v1beta1.Query/Params',
  exchange: '/provenance.exchange.v1.Query/GetAllMarkets',
  feegrant: '/cosmos.feegrant.v1beta1.Query/Allowance',
  flatfees: '/provenance.flatfees.v1.Query/Params',
  gov: '/cosmos.gov.v1.Query/Proposals',
  group: '/cosmos.group.v1.Query/Groups',
  hold: '/provenance.hold.v1.Query/GetAllHolds',
  marker: '/provenance.marker.v1.Query/AllMarkers',
  metadata: '/provenance.metadata.v1.Query/ScopesAll',
  mint: '/cosmos.mint.v1beta1.Query/Inflation',
  name: '/provenance.name.v1.Query/Params',
  slashing: '/cosmos.slashing.v1beta1.Query/SigningInfos',
  staking: '/cosmos.staking.v1beta1.Query/Validators',
  wasm: '/cosmwasm.wasm.v1.Query/Codes',
} as const;

/** Starts a chain with the whole genesis and the actors, but without some modules. */
async function startWithout(without: readonly (typeof devnetModules)[number][]) {
  const devnet = await createDevnet({ blockTime: 'manual', actors: true, without });
  const query = (path: string, data = new Uint8Array()) =>
    devnet.application.query({
      ...{ path, data, height: 0n, prove: false, latestHeight: devnet.height, earliestHeight: 1n },
    });
  return { devnet, query };
}

describe('a chain without modules of Provenance', () => {
  it.each(some(devnetModules, 8))('without %s, has no query of it, and the actors still act', async (module) => {
    const { devnet, query } = await startWithout([module]);
    try {
      expect(query(queries[module])).toMatchObject({
        code: 6,
        codespace: 'sdk',
        log: 'unknown query path: unknown request',
        height: 0n,
      });
      const before = devnet.height;
      for (let block = 0; block < 12; block += 1) await devnet.commit({ elapse: 5_000 });
      expect(devnet.height).toBe(before + 12n);
    } finally {
      await devnet.close();
    }
  });

  it('without all of them, keeps coins and sends, and describes and stores nothing of them', async () => {
    const { devnet, query } = await startWithout(devnetModules);
    try {
      const described = fromBinary(
        FileDescriptorsResponseSchema,
        query('/cosmos.reflection.v1.ReflectionService/FileDescriptors').value!,
      ).files.map((file) => file.package);
      expect(described).toContain('cosmos.bank.v1beta1');
      expect(described.filter((name) => name.startsWith('provenance.'))).toEqual([]);
      expect(described).not.toContain('cosmos.group.v1');
      expect(query('/store/group/key', Uint8Array.of(1)).log).toBe('no such store: group: unknown request');
      expect(query('/store/bank/key', Uint8Array.of(1)).code).toBe(0);
      const supply = query('/cosmos.bank.v1beta1.Query/TotalSupply');
      expect(Buffer.from(supply.value!).toString('latin1')).toMatch(/fundshare.*gramgold.*microusd.*nhash/s);
      const rest = await fetch(`${await devnet.nodes[0]!.serveRest()}/provenance/tx/v1/calculate_flat_fee`, {
        method: 'POST',
        body: JSON.stringify({ tx_bytes: '' }),
      });
      expect([rest.status, await rest.json()]).toEqual([501, { code: 12, message: 'Not Implemented', details: [] }]);
    } finally {
      await devnet.close();
    }
  });

  it('refuses messages of an absent module, and charges the fee that a transaction names', async () => {
    const chain = await startChain({ bare: true, without: ['group', 'flatfees'] });
    try {
      const [one, two] = chain.accounts;
      const vote = any(MsgVoteSchema, { voter: one!.address, proposalId: 1n });
      const reply = await chain.submit(one!, vote).then(
        () => 'accepted',
        (error: Error) => error.message,
      );
      expect(reply).toBe('unable to resolve type URL /cosmos.group.v1.MsgVote: tx parse error: tx parse error');
      const send = any(MsgSendSchema, {
        ...{ fromAddress: one!.address, toAddress: two!.address },
        amount: [{ denom: 'nhash', amount: '5' }],
      });
      const events = await chain.run(one!, send);
      expect(events.get('tx')).toBeDefined();
      expect(events.get('transfer')).toMatchObject({ amount: '5nhash' });
    } finally {
      await chain.devnet.close();
    }
  });
});
