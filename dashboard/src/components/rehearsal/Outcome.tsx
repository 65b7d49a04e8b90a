import { countOf, percent } from '../../format/numbers.ts';
import { Address, Height } from '../Address.tsx';
import { Amount, Amounts } from '../Amount.tsx';
import { Tag } from '../Badge.tsx';
import { Words } from '../Words.tsx';
import type { RehearsalPartsFragment } from './gen/graphql.ts';

type Transfer = RehearsalPartsFragment['transfers'][number];

const party = (of: Transfer['sender']) =>
  of === null ? <span class="muted">–</span> : <Address of={of.address} name={of.moduleName} hasCopy={false} />;

const outcomes = {
  SUCCEEDS: <Tag tone="good">Would succeed</Tag>,
  FAILS: <Tag tone="bad">Would fail</Tag>,
  CANNOT_REHEARSE: <Tag>Cannot be rehearsed</Tag>,
} as const;

/** What fails, and why. */
function Failure({ of }: { readonly of: RehearsalPartsFragment }) {
  const { failedMessage: failed } = of;
  if (failed === null) return <p class="failed">{of.reason}</p>;
  return (
    <div class="rehearsal-failure" role="alert">
      {failed.index === null ? null : (
        <p>
          Message {failed.index + 1} fails: <Words type={failed.message?.type ?? ''} inWords={failed.inWords} />
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
    return <p class="muted">It moves no coins, and changes nothing that this page can name.</p>;
  return (
    <>
      {transfers.length === 0 ? null : (
        <ul class="balance-list" aria-label="What moves">
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
          <h3>Balances</h3>
          <ul class="balance-list" aria-label="Balances before and after">
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
          <h3>Afterwards</h3>
          <ul class="plain-list">
            {stateChanges.map((change) => (
              <li key={change}>
                <Words type="" inWords={change} />
              </li>
            ))}
          </ul>
        </>
      )}
      {of.isCut ? <p class="muted small">Only the first entries are shown.</p> : null}
    </>
  );
}

/** The outcome of a rehearsal: what moves, to whom, what fails and why, as of which block, and what it takes for granted. */
export function Outcome({ of }: { readonly of: RehearsalPartsFragment }) {
  const { outcome, reason, assumption, height, gasUsed, gasShare } = of;
  return (
    <div class="rehearsal" data-outcome={outcome}>
      <p class="rehearsal-head">
        {outcomes[outcome]}
        {height === null ? null : (
          <span class="muted">
            as of block <Height of={height} />
          </span>
        )}
        {gasUsed === null ? null : (
          <span class="muted">
            {countOf(gasUsed, 'gas', 'gas')}
            {gasShare === null ? '' : `, ${percent(String(gasShare * 100))} of a block`}
          </span>
        )}
      </p>
      {outcome === 'FAILS' ? <Failure of={of} /> : outcome === 'SUCCEEDS' ? <Changes of={of} /> : <p>{reason}</p>}
      {assumption === null ? null : (
        <p class="note small">
          <strong>Taken for granted:</strong> <Words type="" inWords={assumption} />
        </p>
      )}
    </div>
  );
}
