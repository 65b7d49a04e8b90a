import type { Progress } from '../../actions/useSend.ts';
import { count } from '../../format/numbers.ts';
import { TransactionHash } from '../Address.tsx';
import { Amounts } from '../Amount.tsx';

const stages: Readonly<Record<string, string>> = {
  CHECKED: 'A node has accepted it. Waiting for a block.',
  PENDING: 'It is waiting for a block.',
  RESENT: 'It was sent again. Waiting for a block.',
  MOVED: 'It was sent to another node. Waiting for a block.',
  EXPIRED: 'No block took it in time.',
  REJECTED: 'It was rejected.',
  UNKNOWN: 'No block has it yet. It may still be included.',
};

/** How far a transaction is, read out by screen readers. */
export function ProgressLine({ of }: { readonly of: Progress }) {
  const { kind, stage = '', hash, height, reason, fee = [] } = of;
  return (
    <div class="progress" role="status" data-kind={kind} data-stage={stage}>
      {kind === 'idle' ? null : (
        <>
          {kind === 'signing' ? 'Signing.' : null}
          {kind === 'sending' ? (stages[stage] ?? 'Sending.') : null}
          {kind === 'done' ? `In block ${count(height ?? '')}.` : null}
          {kind === 'failed' ? `It failed: ${reason || stages[stage] || 'no reason was given'}` : null}
          {fee.length === 0 ? null : (
            <>
              {' '}
              Fee: <Amounts of={fee} />.
            </>
          )}
          {hash === undefined ? null : (
            <>
              {' '}
              <TransactionHash of={hash} />
            </>
          )}
        </>
      )}
    </div>
  );
}
