import { startProofBoard } from '../test/support/proofBoard.ts';
import { tellParent } from './child.ts';

// A chain of 100 validators with boards of open proposals. The arguments: the number of proposals, of votes on each, and of boards.
const [proposals = 30, votes = 30, boards = 1] = process.argv.slice(2).map(Number);
const { chain, policies, first, change } = await startProofBoard({ proposals, votes, members: 30, validators: 100, boards });
const { node, devnet } = chain;
tellParent(
  `${node.url}#${policies.join(',')}#${first}`,
  () => ({ calls: node.counters.calls, batches: node.counters.batches }),
  {
    async commit() {
      return Number(await devnet.commit());
    },
    /** Changes the store of the first board. */
    async change() {
      return Number(await change()) + 1;
    },
  },
);
