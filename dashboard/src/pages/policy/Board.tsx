import { ProposalCard } from '../../components/governance/ProposalCard.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Empty } from '../../components/page/Card.tsx';
import { count } from '../../format/numbers.ts';
import type { ProposalRowFragment } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { parameters, setParameters } from '../../routing/router.ts';
import { ClosedProposals, type ClosedRead } from './ClosedProposals.tsx';
import { filters } from './statuses.ts';

interface BoardProps {
  readonly address: string;
  readonly of: {
    readonly totalCount: string | null;
    readonly nodes: readonly ProposalRowFragment[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  } | null;
  /** The name of the chosen filter. */
  readonly chosen: string | null;
  /** The closed proposals of the archive. */
  readonly closed: ClosedRead;
}

/**
 * The proposals of a policy, newest first: the open ones of the chain, and the closed ones of the archive. Without an archive, those that the chain has, in
 * one section for each status.
 */
export function Board({ address, of, chosen, closed }: BoardProps) {
  const all = of?.nodes ?? [];
  const records = closed.data?.proposalRecords ?? null;
  const sections = filters()
    .filter(({ name }) => records === null || name === 'open')
    .map((filter) => ({ ...filter, proposals: all.filter(({ status }) => filter.statuses.includes(status)) }))
    .filter(({ proposals }) => proposals.length > 0);
  const isWhole = of !== null && !of.pageInfo.hasNextPage && parameters.value.get('after') === null;
  const hasClosed = records !== null && chosen !== 'open';
  return (
    <section class="board" aria-label={texts.value.shell.proposals}>
      <fieldset class="chips">
        <legend class="visually-hidden">{texts.value.words.status}</legend>
        {[{ name: undefined, text: texts.value.words.all }, ...filters()].map(({ name, text }) => (
          <button
            key={text}
            type="button"
            class="chip"
            aria-pressed={(chosen ?? undefined) === name}
            onClick={() => setParameters({ status: name, after: undefined, closed: undefined })}
          >
            {text}
          </button>
        ))}
        <span class="muted num">{of?.totalCount ? governanceTexts.value.policy.onChain(count(of.totalCount)) : ''}</span>
      </fieldset>
      {of === null && records === null ? null : (
        <SaveList name={texts.value.shell.proposals} list={records === null ? 'proposals' : 'recordedProposals'} of={address} />
      )}
      {sections.length === 0 && !hasClosed ? <Empty>{governanceTexts.value.policy.noSuch}</Empty> : null}
      {sections.map(({ name, text, proposals }) => (
        <section key={name} class="board-section" aria-label={text}>
          <h2>
            {text} {isWhole ? <span class="muted num">{proposals.length}</span> : null}
          </h2>
          <div class="proposal-grid">
            {proposals.map((proposal) => (
              <ProposalCard key={proposal.id} of={proposal} />
            ))}
          </div>
        </section>
      ))}
      {of === null || (records !== null && chosen !== 'open' && isWhole) ? null : <Pager info={of.pageInfo} />}
      {chosen === 'open' ? null : (
        <ClosedProposals
          read={closed}
          title={filters().find(({ name }) => name === chosen)?.text ?? texts.value.words.closed}
        />
      )}
    </section>
  );
}
