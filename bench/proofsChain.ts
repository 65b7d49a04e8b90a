import { startProofBoard } from '../test/support/proofBoard.ts';
import { tellParent } from './child.ts';

// A chain of 100 validators with a board of open proposals. The arguments: the number of proposals, and of votes on each.
const [proposals = 30, votes = 30] = process.argv.slice(2).map(Number);
const { chain, policy, first, change } = await startProofBoard({ proposals, votes, members: 30, validators: 100 });
const { node, devnet } = chain;
tellParent(`${node.url}#${policy}#${first}`, () => ({ calls: node.counters.calls, batches: node.counters.batches }), {
  async commit() {
    return Number(await devnet.commit());
  },
  async change() {
    return Number(await change());
  },
});
