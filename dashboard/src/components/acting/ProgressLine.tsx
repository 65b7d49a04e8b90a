import type { Progress } from '../../actions/useSend.ts';
import { count } from '../../format/numbers.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { texts } from '../../language/language.ts';
import { TransactionHash } from '../Address.tsx';
import { Amounts } from '../Amount.tsx';

/** Whether the proposal of a transaction is decided, and how it stands, in words. */
export interface DecisionStep {
  readonly isDecided: boolean;
  readonly words: string;
}

/** The steps of a transaction about a proposal: submitted, in a block, decided. */
function Steps({ of: { kind, stage = '' }, decision }: { readonly of: Progress; readonly decision: DecisionStep }) {
  const { steps } = texts.value;
  const isSent = kind === 'done' || Object.hasOwn(actingTexts.value.stages, stage);
  const states = {
    submitted: isSent && stage !== 'REJECTED' ? 'done' : kind === 'failed' ? 'failed' : 'current',
    inBlock: kind === 'done' ? 'done' : kind === 'failed' && isSent ? 'failed' : isSent ? 'current' : 'ahead',
    decided: kind !== 'done' ? 'ahead' : decision.isDecided ? 'done' : 'current',
  } as const;
  return (
    <ol class="stages" aria-label={steps.name}>
      {(['submitted', 'inBlock', 'decided'] as const).map((step) => (
        <li key={step} data-state={states[step]}>
          {steps[step]}
          <span class="visually-hidden">: {steps[states[step]]}</span>
        </li>
      ))}
    </ol>
  );
}

interface ProgressLineProps {
  readonly of: Progress;
  /** Of a transaction about a proposal: what it has led to. */
  readonly decision?: DecisionStep | undefined;
}

/** How far a transaction is, read out by screen readers. */
export function ProgressLine({ of, decision }: ProgressLineProps) {
  const stages: Readonly<Record<string, string>> = actingTexts.value.stages;
  const { kind, stage = '', hash, height, reason, fee = [] } = of;
  return (
    <div class="progress" role="status" data-kind={kind} data-stage={stage}>
      {kind === 'idle' ? null : (
        <>
          {decision === undefined ? null : <Steps of={of} decision={decision} />}
          {kind === 'signing' ? actingTexts.value.sending.signing : null}
          {kind === 'sending' ? (stages[stage] ?? actingTexts.value.sending.sendingNow) : null}
          {kind === 'done' ? actingTexts.value.sending.inBlock(count(height ?? '')) : null}
          {kind === 'done' && decision !== undefined ? ` ${decision.words}` : null}
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
