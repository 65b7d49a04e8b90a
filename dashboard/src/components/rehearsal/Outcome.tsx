import { countOf, percent } from '../../format/numbers.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { Address, Height } from '../Address.tsx';
import { Amount, Amounts } from '../Amount.tsx';
import { Tag } from '../Badge.tsx';
import { Words } from '../Words.tsx';
import type { RehearsalPartsFragment } from './gen/graphql.ts';

type Transfer = RehearsalPartsFragment['transfers'][number];

const party = (of: Transfer['sender']) =>
  of === null ? <span class="muted">–</span> : <Address of={of.address} name={of.moduleName} hasCopy={false} />;

const outcomes = () =>
  ({
    SUCCEEDS: <Tag tone="good">{governanceTexts.value.rehearsal.succeeds}</Tag>,
    FAILS: <Tag tone="bad">{governanceTexts.value.rehearsal.fails}</Tag>,
    CANNOT_REHEARSE: <Tag>{governanceTexts.value.rehearsal.impossible}</Tag>,
  }) as const;

/** What fails, and why. */
function Failure({ of }: { readonly of: RehearsalPartsFragment }) {
  const { failedMessage: failed } = of;
  if (failed === null) return <p class="failed">{of.reason}</p>;
  return (
    <div class="rehearsal-failure" role="alert">
      {failed.index === null ? null : (
        <p>
          {texts.value.words.message} {failed.index + 1} {governanceTexts.value.rehearsal.because}{' '}
          <Words type={failed.message?.type ?? ''} inWords={failed.inWords} />
        </p>
      )}
      <p class="failed">{failed.error}</p>
    </div>
  );
}

/** What moves, and what else changes. */
function Changes({ of }: { readonly of: RehearsalPartsFragment }) {
  const { transfers, balanceChanges, stateChanges } = of;
  if (transfers.length + balanceChanges.length + stateChanges.length === 0)
    return <p class="muted">{governanceTexts.value.rehearsal.movesNothing}</p>;
  return (
    <>
      {transfers.length === 0 ? null : (
        <ul class="balance-list" aria-label={governanceTexts.value.rehearsal.moves}>
          {transfers.map(({ sender, recipient, amount }, index) => (
            <li key={index}>
              <span>
                {party(sender)} → {party(recipient)}
              </span>
              <Amounts of={amount} />
            </li>
          ))}
        </ul>
      )}
      {balanceChanges.length === 0 ? null : (
        <>
          <h3>{texts.value.words.balances}</h3>
          <ul class="balance-list" aria-label={governanceTexts.value.rehearsal.balancesAround}>
            {balanceChanges.map(({ account, denom, before, after, displayBefore, displayAfter }) => (
              <li key={`${account.address} ${denom}`}>
                {party(account)}
                <span>
                  <Amount of={{ denom, amount: before, display: displayBefore }} isPlain /> →{' '}
                  <Amount of={{ denom, amount: after, display: displayAfter }} isPlain />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {stateChanges.length === 0 ? null : (
        <>
          <h3>{governanceTexts.value.rehearsal.afterwards}</h3>
          <ul class="plain-list">
            {stateChanges.map((change) => (
              <li key={change}>
                <Words type="" inWords={change} />
              </li>
            ))}
          </ul>
        </>
      )}
      {of.isCut ? <p class="muted small">{governanceTexts.value.rehearsal.firstOnly}</p> : null}
    </>
  );
}

/** The outcome of a rehearsal: what moves, to whom, what fails and why, as of which block, and what it takes for granted. */
export function Outcome({ of }: { readonly of: RehearsalPartsFragment }) {
  const { outcome, reason, assumption, height, gasUsed, gasShare } = of;
  return (
    <div class="rehearsal" data-outcome={outcome}>
      <p class="rehearsal-head">
        {outcomes()[outcome]}
        {height === null ? null : (
          <span class="muted">
            {governanceTexts.value.rehearsal.asOf} <Height of={height} />
          </span>
        )}
        {gasUsed === null ? null : (
          <span class="muted">
            {countOf(gasUsed, texts.value.counts.gas)}
            {gasShare === null ? '' : governanceTexts.value.rehearsal.ofBlock(percent(String(gasShare * 100)))}
          </span>
        )}
      </p>
      {outcome === 'FAILS' ? <Failure of={of} /> : outcome === 'SUCCEEDS' ? <Changes of={of} /> : <p>{reason}</p>}
      {assumption === null ? null : (
        <p class="note small">
          <strong>{governanceTexts.value.rehearsal.granted}</strong> <Words type="" inWords={assumption} />
        </p>
      )}
    </div>
  );
}
