import { ChainError } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import { abortable, pause } from '../base/waiting.ts';
import { scopeOf } from '../tracing/scopes.ts';
import { type Broadcast, ofInclusion } from './broadcastStatus.ts';
import type { InclusionLookup } from './inclusion.ts';
import type { OutgoingTx } from './outgoingTx.ts';
import type { TrackedTransactions, TxFollower } from './trackedTransactions.ts';

/**
 * Reads updates until the outcome of a commit is known; undefined if they end without one. `note` receives results of CheckTx.
 * Unless `joinsDuplicate`, a transaction that a node had already is ACCEPTED at once.
 */
async function outcomeOf(
  follower: TxFollower,
  onCheckTx: (checkTx: TxExec) => void,
  joinsDuplicate: boolean,
): Promise<Broadcast | 'EXPIRED' | undefined> {
  for await (const { hash, stage, checkTx, inclusion } of follower.updates) {
    if (checkTx !== null) onCheckTx(checkTx);
    const base = { hash, checkTx, inclusion, duplicate: follower.duplicate, attempts: [...follower.attempts] };
    if (inclusion !== null) return { ...base, ...ofInclusion(inclusion) };
    if (follower.duplicate && !joinsDuplicate) return { ...base, status: 'ACCEPTED' };
    if (stage === 'REJECTED') return { ...base, status: 'REJECTED' };
    if (stage === 'EXPIRED') return stage;
  }
  return undefined;
}

/**
 * Tracks a transaction until a block contains it, for at most `commitWait` plus `grace` for a last lookup. Rejects with
 * COMMIT_TIMEOUT after that, with the signal's reason, or with the error of the tracked transaction.
 */
export async function commitTx(
  tx: OutgoingTx,
  { tracked, inclusions }: { readonly tracked: TrackedTransactions; readonly inclusions: InclusionLookup },
  times: {
    readonly commitWait: number;
    readonly grace: number;
    readonly signal: AbortSignal | undefined;
    readonly joinsDuplicate: boolean;
  },
): Promise<Broadcast> {
  const scope = scopeOf(times.signal);
  const follower = tracked.follow(tx, scope);
  let checkTx: TxExec | null = null;
  const over = new AbortController();
  const late = (milliseconds: number): Promise<undefined> => pause(milliseconds, over.signal).then(() => undefined);
  try {
    const onCheckTx = (result: TxExec): void => {
      checkTx = result;
    };
    const outcome = outcomeOf(follower, onCheckTx, times.joinsDuplicate);
    const ended = await abortable(inTime(outcome, late(times.commitWait)), times.signal);
    const isExpired = ended === 'EXPIRED';
    if (ended !== undefined && !isExpired) return { ...ended, checkTx: ended.checkTx ?? checkTx };
    const attempts = [...follower.attempts];
    const base = { hash: tx.hash, checkTx, inclusion: null, duplicate: follower.duplicate, attempts };
    const inclusion = await inTime(inclusions.find(tx.hash, { scope }), late(times.grace));
    if (inclusion !== undefined) return { ...base, ...ofInclusion(inclusion) };
    const wasTaken = attempts.some((each) => each.outcome === 'ACCEPTED' || each.outcome === 'DUPLICATE');
    if (attempts.length > 0 && !wasTaken && !isExpired) return { ...base, status: 'UNKNOWN' };
    const outlook = isExpired ? 'Its timeout has passed.' : 'A later block still may.';
    throw new ChainError('COMMIT_TIMEOUT', `No block contained the transaction in time. ${outlook}`, {
      hash: tx.hash,
      checkTx,
    });
  } finally {
    over.abort();
    void follower.updates.return?.();
  }
}

function inTime<T>(outcome: Promise<T>, late: Promise<undefined>): Promise<T | undefined> {
  late.catch(() => undefined);
  return Promise.race([outcome, late]);
}
