import type { SteleError } from '@stele/client';
import type { ComponentChildren } from 'preact';
import { errorWords, isLasting } from '../../data/failures.ts';
import { count } from '../../format/numbers.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';
import { setParameters } from '../../routing/router.ts';

function Box({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card refusal" role="alert">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Why there is no statement for a range, and what the visitor can do. */
export function Refusal({ error }: { readonly error: SteleError }) {
  const { code, facts } = error;
  const { earliestHeight, latestHeight, argument } = facts;
  if (code === 'HEIGHT_PRUNED')
    return (
      <Box title={accountsTexts.value.statement.tooOld}>
        <p>
          {accountsTexts.value.statement.tooOldWhy}
          {typeof earliestHeight === 'string'
            ? accountsTexts.value.statement.oldestIs(count(earliestHeight))
            : accountsTexts.value.statement.oldestUnknown}
        </p>
        {typeof earliestHeight === 'string' ? (
          <button
            type="button"
            class="button primary"
            onClick={() => setParameters({ range: undefined, from: earliestHeight, to: undefined })}
          >
            {accountsTexts.value.statement.showFrom} {count(earliestHeight)} {accountsTexts.value.statement.on}
          </button>
        ) : null}
      </Box>
    );
  if (code === 'INDEX_UNAVAILABLE')
    return (
      <Box title={accountsTexts.value.statement.noSearch}>
        <p>{accountsTexts.value.statement.noSearchWhy}</p>
      </Box>
    );
  if (code === 'OPERATION_TOO_COMPLEX')
    return (
      <Box title={accountsTexts.value.statement.tooMany}>
        <p>{accountsTexts.value.statement.shorter}</p>
      </Box>
    );
  if (code === 'HEIGHT_NOT_YET_AVAILABLE')
    return (
      <Box title={accountsTexts.value.statement.tooNew}>
        <p>
          {typeof latestHeight === 'string' ? accountsTexts.value.statement.newestIs(count(latestHeight)) : ''}
          {accountsTexts.value.statement.leaveEmpty}
        </p>
      </Box>
    );
  if (code === 'BAD_USER_INPUT' && (argument === 'from' || argument === 'to'))
    return (
      <Box title={accountsTexts.value.statement.noRange}>
        <p>{errorWords(error)}</p>
      </Box>
    );
  return (
    <Box title={accountsTexts.value.statement.unreadable}>
      <p>{errorWords(error)}</p>
      <p class="muted">
        <code>{code}</code>
        {isLasting(error) ? null : texts.value.failure.triesAgain}
      </p>
    </Box>
  );
}
