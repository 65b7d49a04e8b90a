import { useState } from 'preact/hooks';
import { readableName } from '../../format/names.ts';
import { govStandingOf, type Standing, standingOf } from '../../format/standing.ts';
import type { GovProposalRowFragment, ProposalRowFragment } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { Empty } from '../page/Card.tsx';
import { GovCard } from './GovCard.tsx';
import { ProposalCard } from './ProposalCard.tsx';

interface OpenProposalsProps {
  readonly groups: readonly ProposalRowFragment[];
  readonly gov: readonly GovProposalRowFragment[];
  /** The most proposals that are shown. */
  readonly max?: number;
}

/** The orders of the list. */
const orders = ['end', 'newest', 'missing'] as const;
type Order = (typeof orders)[number];

const standings: readonly Standing[] = ['passing', 'failing', 'lost'];

/** Where the proposals of the governance module belong, in the list of groups. */
const chainGovernance = 'chain';

/** The share of what a proposal needs that is missing, 0 to 1. */
function missingOf({ outcome }: ProposalRowFragment): number {
  const total = Number(outcome?.totalWeight ?? 0);
  return outcome === null || total === 0 ? 1 : Math.max(0, Number(outcome.yesNeeded) / total);
}

/** Open proposals of groups and of the governance module in one list, with filters and an order: by itself, those first whose voting ends first. */
export function OpenProposals({ groups, gov, max }: OpenProposalsProps) {
  const [standing, setStanding] = useState<Standing | undefined>(undefined);
  const [place, setPlace] = useState('');
  const [order, setOrder] = useState<Order>('end');
  const all = [
    ...groups.map((proposal) => ({
      end: Date.parse(proposal.votingPeriodEnd),
      begin: Date.parse(proposal.submitTime),
      missing: missingOf(proposal),
      standing: standingOf(proposal),
      place: proposal.groupPolicy?.group?.id ?? '',
      placeName:
        readableName(proposal.groupPolicy?.group?.metadata ?? '') ||
        texts.value.proposal.group(proposal.groupPolicy?.group?.id ?? ''),
      card: <ProposalCard key={`group-${proposal.id}`} of={proposal} hasPolicy />,
    })),
    ...gov.map((proposal) => ({
      end: Date.parse(proposal.votingEndTime ?? ''),
      begin: Date.parse(proposal.votingEndTime ?? ''),
      missing: proposal.outcome?.passes ? 0 : 1,
      standing: govStandingOf(proposal),
      place: chainGovernance,
      placeName: texts.value.words.chainGovernance,
      card: <GovCard key={`gov-${proposal.id}`} of={proposal} />,
    })),
  ];
  const by: Readonly<Record<Order, (one: (typeof all)[number], other: (typeof all)[number]) => number>> = {
    end: (one, other) => one.end - other.end,
    newest: (one, other) => other.begin - one.begin,
    missing: (one, other) => one.missing - other.missing,
  };
  const places = new Map(all.map((each) => [each.place, each.placeName]));
  const cards = all
    .filter((each) => (standing === undefined || each.standing === standing) && (place === '' || each.place === place))
    .toSorted(by[order]);
  return (
    <>
      <div class="filters">
        <fieldset class="chips">
          <legend class="visually-hidden">{texts.value.words.show}</legend>
          {[undefined, ...standings].map((each) => (
            <button
              key={each ?? 'all'}
              type="button"
              class="chip"
              aria-pressed={standing === each}
              onClick={() => setStanding(each)}
            >
              {each === undefined ? texts.value.words.all : texts.value.standings[each]}{' '}
              <span class="num">{all.filter((one) => each === undefined || one.standing === each).length}</span>
            </button>
          ))}
        </fieldset>
        {places.size < 2 ? null : (
          <label>
            <span class="visually-hidden">{texts.value.words.group}</span>
            <select value={place} onChange={(event) => setPlace(event.currentTarget.value)}>
              <option value="">{governanceTexts.value.home.allGroups}</option>
              {[...places].map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          <span class="visually-hidden">{governanceTexts.value.home.order}</span>
          <select
            value={order}
            onChange={({ currentTarget: { value } }) => setOrder(value === 'newest' || value === 'missing' ? value : 'end')}
          >
            {orders.map((name) => (
              <option key={name} value={name}>
                {governanceTexts.value.home[name]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {cards.length === 0 ? <Empty>{governanceTexts.value.home.noneSelected}</Empty> : null}
      <div class="proposal-grid">{cards.slice(0, max).map(({ card }) => card)}</div>
    </>
  );
}
