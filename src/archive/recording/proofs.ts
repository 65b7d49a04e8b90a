import { isChainError } from '../../chain/base/errors.ts';
import { onAbort } from '../../chain/base/time.ts';
import type { Fact } from '../facts.ts';
import type { ArchiveStore } from '../store/archiveStore.ts';
import { readProofSubject, readUnproven } from '../store/proofs.ts';
import { mayPass, type RecordingSource, type Wait } from './source.ts';

/** Proposals that are proven in one run. The rest is for the next start. */
const mostProposals = 100_000;

/** Tries of a proposal whose proof fails, in one run. */
const mostTries = 10;

interface ProofKeeperOptions {
  readonly store: Pick<ArchiveStore, 'read' | 'scan' | 'addProof'>;
  readonly prove: NonNullable<RecordingSource['prove']>;
  readonly wait: Wait;
  /** A line for the log. */
  readonly report: (line: string) => void;
}

/** What became of a proof. GONE: no node has the state any more, nor those before it. NONE: no node proves it. A later start tries both again. */
type Outcome = 'KEPT' | 'GONE' | 'NONE';

/**
 * Keeps the proofs of proposals that are closed: of the state before the block of the close, which no later state shows. New closes come first, then those that are
 * recorded without a proof, the latest first. Nothing waits for a proof: a record has it some moments after its close.
 */
export function createProofKeeper({ store, prove, wait, report }: ProofKeeperOptions) {
  /** Ids of new closes, and of older ones. */
  let fresh: bigint[] = [];
  let older: bigint[] = [];
  let wake = (): void => undefined;

  /** Keeps the proof of a proposal. Rejects with a failure of the database, or with the signal's reason. */
  async function keep(proposalId: bigint, signal: AbortSignal): Promise<Outcome> {
    for (let failures = 1; failures <= mostTries; failures += 1) {
      const subject = await readProofSubject(store.read, proposalId);
      if (subject === null) return 'KEPT';
      try {
        const bundle = await prove(subject, signal);
        await store.addProof({ proposalId, height: subject.height, bundle });
        return 'KEPT';
      } catch (error) {
        signal.throwIfAborted();
        if (!isChainError(error)) throw error;
        if (isChainError(error, 'PROOF_UNAVAILABLE') && error.facts.reason === 'PRUNED') return 'GONE';
        // Another node may prove what one has proven wrongly.
        const mayChange = isChainError(error, 'PROOF_UNAVAILABLE') ? error.facts.reason === 'INVALID' : mayPass(error);
        if (!mayChange) return 'NONE';
        await wait(failures, signal);
      }
    }
    return 'NONE';
  }

  async function readOlder(): Promise<void> {
    older = [...(await readUnproven(store.scan, mostProposals))];
  }

  return {
    /** Notes the closes in the facts of a block that is recorded. */
    note(facts: readonly Fact[]): void {
      const ids = facts.flatMap((fact) => (fact.kind === 'close' ? [fact.proposalId] : []));
      if (ids.length === 0) return;
      fresh = [...fresh, ...ids];
      wake();
    },
    /** Looks for closes without a proof again, because older blocks were filled in. */
    async lookAgain(): Promise<void> {
      await readOlder();
      wake();
    },
    /** Keeps proofs until the signal is aborted. Rejects with its reason, or with a failure of the database. */
    async run(signal: AbortSignal): Promise<never> {
      await readOlder();
      let [kept, missed] = [0, 0];
      for (;;) {
        signal.throwIfAborted();
        const isFresh = fresh.length > 0;
        const id = fresh.shift() ?? older.shift();
        if (id !== undefined) {
          const outcome = await keep(id, signal);
          if (outcome === 'KEPT') kept += 1;
          else missed += 1;
          if (outcome === 'GONE' && !isFresh) older = [];
          continue;
        }
        if (missed > 0) report(`kept the proofs of ${kept} closed proposals; no node proves ${missed} others`);
        [kept, missed] = [0, 0];
        await new Promise<void>((resolve) => {
          const removeListener = onAbort(signal, resolve);
          wake = () => {
            removeListener();
            resolve();
          };
        });
      }
    },
  };
}
