import { Badge } from '../../components/Badge.tsx';
import { FromArchive } from '../../components/governance/FromArchive.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { useRead } from '../../data/useRead.ts';
import { count, countOf, percent } from '../../format/numbers.ts';
import { ValidatorRecordsDocument } from '../../gen/graphql.ts';
import { parameters, urlOf } from '../../routing/router.ts';

interface ParticipationProps {
  readonly operatorAddress: string;
  /** The account of its operator. */
  readonly account: string;
  readonly height: bigint | undefined;
}

/**
 * How a validator voted on decided proposals of the governance module, and those that it missed, from the archive. Nothing without an archive.
 */
export function Participation({ operatorAddress, account, height }: ParticipationProps) {
  const variables = { operator: operatorAddress, account, missed: parameters.value.get('missed') };
  const { data, partial } = useRead(ValidatorRecordsDocument, variables, height);
  const of = data?.account?.validator?.govParticipation;
  const missed = data?.missed;
  if (!of || !missed) return <Partial errors={partial} />;
  const options = [
    ['yes', of.yes],
    ['abstain', of.abstain],
    ['no', of.no],
    ['no with veto', of.noWithVeto],
    ['split', of.split],
  ] as const;
  const cast = options.filter(([, number]) => number > 0).map(([name, number]) => `${number} ${name}`);
  return (
    <div class="grid two">
      <Card title="Votes on decided proposals">
        {of.decided === 0 ? (
          <Empty>No proposal was decided while it was bonded.</Empty>
        ) : (
          <Facts
            of={[
              [
                'Voted',
                <span key="voted" class="num">
                  {count(of.voted)} of {countOf(of.decided, 'proposal')}
                  {of.percent === null ? '' : ` (${percent(of.percent)})`}
                </span>,
              ],
              ['Its votes', cast.join(', ')],
              [
                'Missed',
                <span key="missed" class="num">
                  {count(of.missed)}
                </span>,
              ],
            ]}
          />
        )}
        <FromArchive what={`These are the last ${participationMax} decided proposals for which it was bonded,`} />
      </Card>
      <Card title="Proposals missed" aside={<span class="muted num">{missed.totalCount ? count(missed.totalCount) : ''}</span>}>
        {missed.nodes.length === 0 ? <Empty>It has missed none.</Empty> : null}
        {missed.nodes.length === 0 ? null : (
          <Table
            name="Proposals missed"
            rows={missed.nodes}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Proposal',
                class: 'fill',
                cell: (proposal) => (
                  <>
                    <span class="muted num">#{proposal.id}</span> <a href={urlOf(`/gov/${proposal.id}`)}>{titleOf(proposal)}</a>
                  </>
                ),
              },
              { name: 'Proposal is', cell: ({ status }) => <Badge of={`PROPOSAL_STATUS_${status}`} /> },
              { name: 'Decided', class: 'num', cell: ({ decided }) => (decided === null ? '–' : <Time of={decided.time} />) },
            ]}
          />
        )}
        <Pager info={missed.pageInfo} name="missed" />
        <Partial errors={partial} />
      </Card>
    </div>
  );
}

/** As many proposals as the server looks at, at most. */
const participationMax = 100;
