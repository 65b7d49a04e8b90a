import { Badge } from '../../components/Badge.tsx';
import { FromArchive } from '../../components/governance/FromArchive.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { ListAside } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { useRead } from '../../data/useRead.ts';
import { count, countOf, percent } from '../../format/numbers.ts';
import { ValidatorRecordsDocument } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
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
    [chainTexts.value.validator.yes, of.yes],
    [chainTexts.value.validator.abstain, of.abstain],
    [chainTexts.value.validator.no, of.no],
    [chainTexts.value.validator.noWithVeto, of.noWithVeto],
    [chainTexts.value.validator.split, of.split],
  ] as const;
  const cast = options.filter(([, number]) => number > 0).map(([name, number]) => `${number} ${name}`);
  return (
    <div class="grid two">
      <Card title={chainTexts.value.validator.onDecided}>
        {of.decided === 0 ? (
          <Empty>{chainTexts.value.validator.noneDecided}</Empty>
        ) : (
          <Facts
            of={[
              [
                chainTexts.value.validator.voted,
                <span key="voted" class="num">
                  {count(of.voted)} {texts.value.words.of} {countOf(of.decided, texts.value.counts.proposals)}
                  {of.percent === null ? '' : ` (${percent(of.percent)})`}
                </span>,
              ],
              [chainTexts.value.validator.itsVotes, cast.join(', ')],
              [
                chainTexts.value.validator.missed,
                <span key="missed" class="num">
                  {count(of.missed)}
                </span>,
              ],
            ]}
          />
        )}
        <FromArchive what={chainTexts.value.validator.theLast(count(participationMax))} />
      </Card>
      <Card
        title={chainTexts.value.validator.proposalsMissed}
        aside={
          <ListAside
            shown={missed}
            name={chainTexts.value.validator.proposalsMissed}
            list="govMissedVotes"
            of={operatorAddress}
          />
        }
      >
        {missed.nodes.length === 0 ? <Empty>{chainTexts.value.validator.missedNone}</Empty> : null}
        {missed.nodes.length === 0 ? null : (
          <Table
            name={chainTexts.value.validator.proposalsMissed}
            rows={missed.nodes}
            keyOf={({ id }) => id}
            columns={[
              {
                name: texts.value.words.proposal,
                class: 'fill',
                cell: (proposal) => (
                  <>
                    <span class="muted num">#{proposal.id}</span> <a href={urlOf(`/gov/${proposal.id}`)}>{titleOf(proposal)}</a>
                  </>
                ),
              },
              { name: chainTexts.value.validator.proposalIs, cell: ({ status }) => <Badge of={`PROPOSAL_STATUS_${status}`} /> },
              {
                name: chainTexts.value.validator.decided,
                class: 'num',
                cell: ({ decided }) => (decided === null ? '–' : <Time of={decided.time} />),
              },
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
