import type { Verified } from '@stele/client';
import { useLive, useStele } from '@stele/client/react';
import { useEffect, useState } from 'react';
import type { BoardQuery, BoardQueryVariables, SharesFragment, WeightsFragment } from './gen/graphql.ts';
import { BoardDocument } from './gen/graphql.ts';

export type NameOf = (address: string) => string;
export const timeOf = (time: string) => new Date(time).toLocaleString();
type Proposal = NonNullable<NonNullable<BoardQuery['group']>['proposals']>['nodes'][number];

const [trusted, hash] = (import.meta.env.VITE_TRUST ?? '').split(':');
/** What the browser believes at first: the block `HEIGHT:HASH` of VITE_TRUST, from a source that the team trusts, or else the first answer. */
export const trust = trusted && hash ? { trust: { height: trusted, hash } } : true;
/** Whether the proof shows each field of an answer. The server could have invented the others. */
export const isProven = (verified?: Verified) =>
  verified !== undefined && [...verified.fields.values()].every(({ level }) => level !== 'ASSERTED');

/** Verifies the board in this browser at each height that it is shown at. The next block proves it. Returns the seal of a proposal. */
function useSeals({ group, member }: BoardQueryVariables, height: string | undefined) {
  const client = useStele();
  const [sealed, setSealed] = useState<{ data?: BoardQuery; text: string }>({ text: '' });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    if (height)
      client.query(BoardDocument, { group, member }, { height, verify: trust, signal }).then(
        ({ data, verified }) =>
          setSealed({ data, text: `${isProven(verified) ? '✓ Verified' : 'Not proven'} at block ${verified?.height}` }),
        (error) => signal.aborted || setSealed({ text: `Not verified: ${error.message}` }),
      );
    return () => controller.abort();
  }, [client, group, member, height]);
  return (proposal: Proposal) => {
    const other = sealed.data?.group?.proposals?.nodes.find(({ id }) => id === proposal.id);
    return !sealed.data || JSON.stringify(other) === JSON.stringify(proposal) ? sealed.text : 'Verifying';
  };
}

export function Board({ nameOf, ...variables }: BoardQueryVariables & { nameOf: NameOf }) {
  const { data, height, error } = useLive(BoardDocument, variables);
  const sealOf = useSeals(variables, height);
  const waiting = data?.account?.groupProposals?.nodes ?? [];
  return (
    <>
      {error && <p role="alert">{error.message}</p>}
      <h2>You must still vote</h2>
      <ul id="waiting">
        {data && waiting.length === 0 && <li>On nothing.</li>}
        {waiting.map(({ id, title, votingPeriodEnd, groupPolicy }) => (
          <li key={id}>
            #{id} {title} <small>{`${groupPolicy?.group?.metadata}, until ${timeOf(votingPeriodEnd)}`}</small>
          </li>
        ))}
      </ul>
      <h2>Open proposals</h2>
      <div id="open">
        {data?.group?.proposals?.nodes.map((each) => (
          <Card key={each.id} proposal={each} seal={sealOf(each)} nameOf={nameOf} />
        ))}
      </div>
    </>
  );
}

function Card({ proposal, seal, nameOf }: { proposal: Proposal; seal: string; nameOf: NameOf }) {
  const { id, title, summary, tally, outcome, pendingVoters, votingPeriodEnd } = proposal;
  const pending = pendingVoters?.nodes ?? [];
  return (
    <article>
      <small>{`#${id}, until ${timeOf(votingPeriodEnd)}`}</small>
      <h3>{title}</h3>
      <p>{summary}</p>
      {tally && <Tally tally={tally} outcome={outcome} />}
      <p>{outcome?.decision === 'UNDECIDED' ? `${outcome.yesNeeded} more yes needed` : outcome?.decision.toLowerCase()}</p>
      <details>
        <summary>{pending.length} must still vote</summary>
        {pending.map(({ account: { address } }) => nameOf(address)).join(', ')}
      </details>
      <footer>{seal}</footer>
    </article>
  );
}

type TallyProps = { tally: WeightsFragment; outcome: SharesFragment | null };

/** The shares of yes and no in the weight of the group as a bar, and the weights as numbers. */
export function Tally({ tally: { yesCount, noCount, noWithVetoCount, abstainCount }, outcome }: TallyProps) {
  const yes = Number(outcome?.yesPercent ?? 0);
  const no = yes + Number(outcome?.noPercent ?? 0) + Number(outcome?.noWithVetoPercent ?? 0);
  const background = `linear-gradient(90deg, var(--yes) ${yes}%, var(--no) 0 ${no}%, var(--line) 0)`;
  return (
    <>
      <div className="bar" style={{ background }} />
      <small>{`yes ${yesCount}, no ${noCount}, no with veto ${noWithVetoCount}, abstain ${abstainCount}`}</small>
    </>
  );
}
