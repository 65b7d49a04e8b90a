import type { SteleError } from '@stele/client';
import { errorWords, isLasting } from '../../data/failures.ts';
import { access } from '../../data/session.ts';
import { foreignAddress, operatorAccount } from '../../format/addresses.ts';
import { count } from '../../format/numbers.ts';
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
      <Notice title="No node has this height any more">
        <p>Nodes delete the state of old blocks. {earliest ? `The oldest one that can be shown is ${count(earliest)}.` : ''}</p>
        {earliest ? (
          <Show height={earliest} text={`Show block ${count(earliest)}`} />
        ) : (
          <Show height={undefined} text="Back to now" />
        )}
      </Notice>
    );
  if (code === 'HEIGHT_NOT_YET_AVAILABLE')
    return (
      <Notice title="This block does not exist yet">
        <p>{latest ? `The newest block is ${count(latest)}.` : ''}</p>
        <Show height={undefined} text="Back to now" />
      </Notice>
    );
  // The API names the prefix of the accounts of the chain first.
  const [, ownPrefix] = /`([a-z]+)1…`/.exec(String(facts.bound)) ?? [];
  if (code === 'BAD_USER_INPUT' && ownPrefix !== undefined && typeof facts.value === 'string') {
    const account = operatorAccount(facts.value, ownPrefix);
    return (
      <Notice title="This is not an account of this chain">
        <p>{foreignAddress(facts.value, ownPrefix) ?? errorWords(error)}</p>
        {account === undefined ? null : (
          <p>
            Show <a href={urlOf(`/accounts/${account}`)}>the account of the operator</a>.
          </p>
        )}
      </Notice>
    );
  }
  if (code === 'BAD_USER_INPUT' || code === 'BAD_CURSOR')
    return (
      <Notice title="The address of the page is wrong">
        <p>{errorWords(error)}</p>
      </Notice>
    );
  if (code === 'MODULE_ABSENT')
    return (
      <Notice title="This chain does not have this">
        <p>{typeof facts.module === 'string' ? `It has no module ${facts.module}.` : errorWords(error)}</p>
      </Notice>
    );
  if (code === 'FORBIDDEN')
    return (
      <Notice title={access.value === 'public' ? 'This needs a token' : 'Your token may not read this'}>
        <p>
          {access.value !== 'public' && typeof facts.scope === 'string'
            ? `It does not have the scope ${facts.scope}.`
            : errorWords(error)}
        </p>
      </Notice>
    );
  return (
    <Notice title={code === 'CONNECTION_FAILED' ? 'The server cannot be reached' : 'The chain cannot be read now'}>
      <p>{errorWords(error)}</p>
      <p class="muted">
        <code>{code}</code>
        {isLasting(error) ? null : ' The page tries again by itself.'}
      </p>
    </Notice>
  );
}
