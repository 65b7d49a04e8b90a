import { setImmediate } from 'node:timers/promises';
import { type CommittedBlock, decodeCommittedBlock } from '../../../../src/chain/blocks/committedBlock.ts';
import type { Pin } from '../../../../src/reads/pin.ts';
import { recording } from '../../../recordings/recording.ts';
import { readRecording } from '../../../recordings/recordings.ts';
import type { GovernanceRow } from '../../../replay/governanceNode.ts';
import { type StateAnswer, type StateQuestion, statePins, wholeRequest } from './statePins.ts';

/** World of the governance recording. */
export interface GovernanceWorld {
  readonly accounts: readonly string[];
  readonly groupStoreChangedAt: readonly number[];
  readonly from: number;
  readonly to: number;
  readonly A: { readonly group: string; readonly policy: string };
  readonly solo: { readonly group: string; readonly policy: string };
  readonly fast: { readonly group: string; readonly policy: string };
  readonly late: { readonly group: string; readonly policy: string };
  readonly B: { readonly group: string; readonly policy: string };
}

/** The recorded governance chain: its blocks, and its state at each height as pins. */
export interface GovernanceChain {
  readonly world: GovernanceWorld;
  readonly blocks: readonly CommittedBlock[];
  pin(height: bigint): Pin;
  /** Pins of the same states at a distance: a node answers all questions that arrived in a turn of the event loop at once, in the next one. */
  distant(): { readonly pin: (height: bigint) => Pin; readonly rounds: () => number; readonly questions: () => number };
}

/**
 * Reads the chain. The state between two heights at which the group store changed is that of the first. A request without an answer at such a height was
 * refused as before.
 */
export function readGovernanceChain(): GovernanceChain {
  const world = recording<GovernanceWorld>('governance-world');
  const blocks = readRecording('governance-chain').map(({ block, block_results }) =>
    decodeCommittedBlock(block, block_results),
  );
  const rows = recording<readonly GovernanceRow[]>('governance-queries');
  const answers = new Map(rows.map((row) => [`${row.path} ${row.request} ${row.height}`, row.response]));
  const refusals = new Map(
    rows.filter(({ response }) => response.code !== 0).map((row) => [`${row.path} ${row.request}`, row.response]),
  );
  function answer({ path, data, height }: StateQuestion): StateAnswer {
    const changed = world.groupStoreChangedAt.findLast((at) => BigInt(at) <= height);
    const request = `${path} ${wholeRequest(path, data)}`;
    const found = answers.get(`${request} ${changed}`) ?? refusals.get(request);
    if (found === undefined) throw new Error(`not recorded: ${request} at ${height}`);
    const { code, log, codespace, value } = found;
    return { code, log: log ?? '', codespace: codespace ?? '', value: value ?? null };
  }

  return {
    world,
    blocks,
    pin: statePins(answer, () => ''),
    distant() {
      let [rounds, questions] = [0, 0];
      let turn: Promise<void> | undefined;
      const pin = statePins(
        async (question) => {
          questions += 1;
          if (turn === undefined) {
            rounds += 1;
            turn = setImmediate().then(() => {
              turn = undefined;
            });
          }
          await turn;
          return answer(question);
        },
        () => '',
      );
      return { pin, rounds: () => rounds, questions: () => questions };
    },
  };
}
