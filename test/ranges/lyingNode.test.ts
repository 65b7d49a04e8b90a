import { expect, it } from 'vitest';
import { asObject, type JsonObject, objectAt } from '../../src/chain/wire/json.ts';
import { askAt, rootsKnown } from '../roots/heights.ts';
import { runsAll } from '../support/atRandom.ts';
import { startChain } from '../support/chain.ts';
import { createGroup, submitProposal, vote } from '../support/groups.ts';
import { startStack } from '../support/stack.ts';

/** Changes a byte in the middle of the proof of a key: a hash of an inner node of the store's tree. The proof of the store's root stays. */
function withOtherHash(response: JsonObject): JsonObject {
  const { ops } = response.proofOps as unknown as { readonly ops: readonly { readonly type: string; readonly data: string }[] };
  const forged = ops.map((op) => {
    const bytes = Buffer.from(op.data, 'base64');
    if (op.type === 'ics23:iavl') bytes[Math.floor(bytes.length / 2)]! ^= 1;
    return { ...op, data: bytes.toString('base64') };
  });
  return { ...response, proofOps: { ops: forged } };
}

it.runIf(runsAll)(
  'a node that lies about one inner hash is refused, another one is asked, and every answer is right',
  async () => {
    const chain = await startChain({ nodes: 2 });
    const [liar, honest] = chain.devnet.nodes;
    const voters = chain.accounts.slice(0, 4);
    const options = { threshold: '4', votingSeconds: 100_000 };
    const members = voters.map((account) => [account, '1'] as const);
    const proposals = [];
    for (let made = 0; made < 6; made += 1)
      proposals.push(await submitProposal(chain, await createGroup(chain, members, options), voters[0]!));
    let forgedProofs = 0;
    liar!.faults.forge = ({ method, params }, result) => {
      if (method !== 'abci_query' || asObject(params, 'params').prove !== true) return result;
      forgedProofs += 1;
      return { response: withOtherHash(objectAt(asObject(result, 'result'), 'response')) };
    };
    const stele = await startStack([liar!.url, honest!.url]);
    await stele.client.head.ready();
    const query = (id: bigint): string =>
      `{ proposal(id: "${id}") { status votes(first: 20) { nodes { option voter { address } } } } }`;
    const sources: string[] = [];
    for (const voter of voters) {
      await chain.submit(voter, vote(voter, proposals[0]!));
      for (let block = 0; block < 2; block += 1) {
        const height = await chain.devnet.commit();
        await stele.client.head.waitFor(height, { milliseconds: 30_000 });
        await rootsKnown(stele, height);
        const fresh = await startStack([honest!.url]);
        await fresh.client.head.ready();
        for (const id of proposals) {
          const answer = await askAt(stele, query(id));
          expect(answer.data).toBe((await askAt(fresh, query(id))).data);
          sources.push(answer.source);
        }
        await fresh.close();
        await expect.poll(() => stele.client.roots.keptReads()?.pending).toBe(0);
      }
    }
    expect(forgedProofs).toBeGreaterThan(0);
    expect(stele.client.roots.keptReads()?.reads).toBeGreaterThan(0);
    // The boards without a vote are carried over the last one, by proofs of the other node.
    expect(sources.slice(-11, -6)).toEqual(Array.from({ length: 5 }, () => 'carried'));
    const { body } = await stele.ask('{ nodes { alias lastError } }');
    const { nodes } = body.data as { readonly nodes: readonly { readonly alias: string; readonly lastError: string | null }[] };
    expect(nodes.find(({ alias }) => alias === 'node-1')?.lastError).toBe('NODE_INVALID_RESPONSE');
    await stele.close();
    await chain.devnet.close();
  },
  120_000,
);
