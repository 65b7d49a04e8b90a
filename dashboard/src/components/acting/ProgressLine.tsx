import type { Progress } from '../../actions/useSend.ts';
import { count } from '../../format/numbers.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { TransactionHash } from '../Address.tsx';
import { Amounts } from '../Amount.tsx';

/** How far a transaction is, read out by screen readers. */
export function ProgressLine({ of }: { readonly of: Progress }) {
  const stages: Readonly<Record<string, string>> = actingTexts.value.stages;
  const { kind, stage = '', hash, height, reason, fee = [] } = of;
  return (
    <div class="progress" role="status" data-kind={kind} data-stage={stage}>
      {kind === 'idle' ? null : (
        <>
          {kind === 'signing' ? actingTexts.value.sending.signing : null}
          {kind === 'sending' ? (stages[stage] ?? actingTexts.value.sending.sendingNow) : null}
          {kind === 'done' ? actingTexts.value.sending.inBlock(count(height ?? '')) : null}
          {kind === 'failed'
            ? actingTexts.value.sending.itFailed(reason || stages[stage] || actingTexts.value.sending.noReason)
            : null}
          {fee.length === 0 ? null : (
            <>
              {' '}
              {actingTexts.value.sending.fee} <Amounts of={fee} />.
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
