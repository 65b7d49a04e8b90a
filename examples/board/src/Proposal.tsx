import type { CardFragment } from './gen/graphql.ts';

/** `no with veto` for `VOTE_OPTION_NO_WITH_VETO`. */
const labelOf = (name: string) =>
  name
    .replace(/^(VOTE_OPTION|PROPOSAL_STATUS)_/, '')
    .replaceAll('_', ' ')
    .toLowerCase();

/** The badge of a proposal: the current outcome of its votes, or its final status. */
function badgeOf({ status, outcome }: CardFragment): string {
  if (outcome === null) return labelOf(status);
  if (outcome.decision === 'ACCEPTED') return 'passing';
  if (outcome.decision === 'REJECTED') return 'failing';
  return `${outcome.yesNeeded} yes needed`;
}

export function Proposal({ proposal }: { readonly proposal: CardFragment }) {
  const { id, title, summary, groupPolicy, votes } = proposal;
  const newestFirst = [...(votes?.nodes ?? [])].sort((a, b) => b.submitTime.localeCompare(a.submitTime));
  return (
    <article>
      <small>
        #{id} · {groupPolicy?.metadata}
      </small>
      <h2>{title}</h2>
      <mark data-state={proposal.outcome?.decision ?? proposal.status}>{badgeOf(proposal)}</mark>
      <p>{summary}</p>
      <Tally proposal={proposal} />
      {newestFirst.length > 0 && (
        <details>
          <summary>{newestFirst.length} votes</summary>
          <ul>
            {newestFirst.map(({ option, voter, member }) => (
              <li key={voter.address} title={voter.address}>
                <i data-option={labelOf(option)} /> {member?.metadata || `${voter.address.slice(0, 12)}…`}
                <small>
                  {labelOf(option)}, weight {member?.weight}
                </small>
              </li>
            ))}
          </ul>
        </details>
      )}
    </article>
  );
}

/** A bar whose parts are as wide as the weight of each option, and the weights as numbers. */
function Tally({ proposal: { tally, outcome } }: { readonly proposal: CardFragment }) {
  if (tally === null) return null;
  const parts = [
    ['yes', tally.yesCount],
    ['no', tally.noCount],
    ['no with veto', tally.noWithVetoCount],
    ['abstain', tally.abstainCount],
    ['not voted', outcome?.undecidedWeight ?? '0'],
  ] as const;
  return (
    <>
      <div className="bar" aria-hidden="true">
        {parts.map(([option, weight]) => (
          <i key={option} data-option={option} style={{ flexGrow: weight }} />
        ))}
      </div>
      <dl>
        {parts
          .filter(([, weight]) => weight !== '0')
          .map(([option, weight]) => (
            <div key={option}>
              <dt>
                <i data-option={option} /> {option}
              </dt>
              <dd>{weight}</dd>
            </div>
          ))}
      </dl>
    </>
  );
}
