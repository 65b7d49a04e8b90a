import type { SteleError } from '@stele/client';
import type { ComponentChildren } from 'preact';
import { errorWords, isLasting } from '../../data/failures.ts';
import { count } from '../../format/numbers.ts';
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
      <Box title="This range begins before the blocks that can be read">
        <p>
          A statement needs the balances at its two ends. Nodes delete the state of old blocks.
          {typeof earliestHeight === 'string'
            ? ` The oldest block that can be read is ${count(earliestHeight)}.`
            : ' They do not say which one is the oldest that they have: choose a later start.'}
        </p>
        {typeof earliestHeight === 'string' ? (
          <button
            type="button"
            class="button primary"
            onClick={() => setParameters({ range: undefined, from: earliestHeight, to: undefined })}
          >
            Show it from block {count(earliestHeight)} on
          </button>
        ) : null}
      </Box>
    );
  if (code === 'INDEX_UNAVAILABLE')
    return (
      <Box title="The movements of this account cannot be searched">
        <p>
          A statement needs a node with an index of transactions, or an archive that records everything (mode FULL). This server
          has neither for this range. Choose a range of at most 1,000 blocks, whose blocks are read one by one.
        </p>
      </Box>
    );
  if (code === 'OPERATION_TOO_COMPLEX')
    return (
      <Box title="This range has too many movements for one statement">
        <p>Choose a shorter range.</p>
      </Box>
    );
  if (code === 'HEIGHT_NOT_YET_AVAILABLE')
    return (
      <Box title="This range ends after the newest block">
        <p>
          {typeof latestHeight === 'string' ? `The newest block is ${count(latestHeight)}. ` : ''}Leave the end empty for a
          statement up to it.
        </p>
      </Box>
    );
  if (code === 'BAD_USER_INPUT' && (argument === 'from' || argument === 'to'))
    return (
      <Box title="There is no such range">
        <p>{errorWords(error)}</p>
      </Box>
    );
  return (
    <Box title="The statement cannot be read now">
      <p>{errorWords(error)}</p>
      <p class="muted">
        <code>{code}</code>
        {isLasting(error) ? null : ' The page tries again by itself.'}
      </p>
    </Box>
  );
}
