import type { SteleError } from '@stele/client';
import { errorWords, isLasting } from '../../data/failures.ts';
import { access } from '../../data/session.ts';
import { foreignAddress, operatorAccount } from '../../format/addresses.ts';
import { count } from '../../format/numbers.ts';
import { texts } from '../../language/language.ts';
import { setParameters, urlOf } from '../../routing/router.ts';
import { Notice } from './Notice.tsx';

/** A height in the facts of an error. */
function heightIn(facts: SteleError['facts'], name: string): string | undefined {
  const value = facts[name];
  return typeof value === 'string' && /^\d+$/.test(value) ? value : undefined;
}

function Show({ height, text }: { readonly height: string | undefined; readonly text: string }) {
  return (
    <button type="button" class="button primary" onClick={() => setParameters({ at: height })}>
      {text}
    </button>
  );
}

/** Why a page has no data, and what the visitor can do. */
export function Failure({ error }: { readonly error: SteleError }) {
  const { code, facts } = error;
  const [earliest, latest] = [heightIn(facts, 'earliestHeight'), heightIn(facts, 'latestHeight')];
  if (code === 'HEIGHT_PRUNED')
    return (
      <Notice title={texts.value.failure.pruned}>
        <p>
          {texts.value.failure.prunedWhy} {earliest ? texts.value.failure.oldest(count(earliest)) : ''}
        </p>
        {earliest ? (
          <Show height={earliest} text={texts.value.failure.showBlock(count(earliest))} />
        ) : (
          <Show height={undefined} text={texts.value.shell.backToNow} />
        )}
      </Notice>
    );
  if (code === 'HEIGHT_NOT_YET_AVAILABLE')
    return (
      <Notice title={texts.value.failure.future}>
        <p>{latest ? texts.value.failure.newest(count(latest)) : ''}</p>
        <Show height={undefined} text={texts.value.shell.backToNow} />
      </Notice>
    );
  // The API names the prefix of the accounts of the chain first.
  const [, ownPrefix] = /`([a-z]+)1…`/.exec(String(facts.bound)) ?? [];
  if (code === 'BAD_USER_INPUT' && ownPrefix !== undefined && typeof facts.value === 'string') {
    const account = operatorAccount(facts.value, ownPrefix);
    return (
      <Notice title={texts.value.failure.notAccount}>
        <p>{foreignAddress(facts.value, ownPrefix) ?? errorWords(error)}</p>
        {account === undefined ? null : (
          <p>
            <a href={urlOf(`/accounts/${account}`)}>{texts.value.failure.operatorAccount}</a>
          </p>
        )}
      </Notice>
    );
  }
  if (code === 'BAD_USER_INPUT' || code === 'BAD_CURSOR')
    return (
      <Notice title={texts.value.view.wrongAddressTitle}>
        <p>{errorWords(error)}</p>
      </Notice>
    );
  if (code === 'MODULE_ABSENT')
    return (
      <Notice title={texts.value.failure.absent}>
        <p>{typeof facts.module === 'string' ? texts.value.failure.noModule(facts.module) : errorWords(error)}</p>
      </Notice>
    );
  if (code === 'FORBIDDEN')
    return (
      <Notice title={access.value === 'public' ? texts.value.failure.needsToken : texts.value.failure.mayNot}>
        <p>
          {access.value !== 'public' && typeof facts.scope === 'string'
            ? texts.value.failure.noScope(facts.scope)
            : errorWords(error)}
        </p>
      </Notice>
    );
  return (
    <Notice title={code === 'CONNECTION_FAILED' ? texts.value.failure.unreachable : texts.value.failure.unreadable}>
      <p>{errorWords(error)}</p>
      <p class="muted">
        <code>{code}</code>
        {isLasting(error) ? null : texts.value.failure.triesAgain}
      </p>
    </Notice>
  );
}
