import { Address } from '../../components/Address.tsx';
import { Badge } from '../../components/Badge.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { useRead } from '../../data/useRead.ts';
import { ProposalTransactionsDocument, type TransactionRowFragment } from '../../gen/graphql.ts';
import { govTexts } from '../../language/gov/texts.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { type Happening, Happenings } from './Happenings.tsx';
import type { ProposalData } from './shape.ts';

/** The result in the event of an execution, such as `PROPOSAL_EXECUTOR_RESULT_FAILURE`, and its logs. */
function executionOf(events: readonly { readonly json: unknown }[]): {
  readonly result: string | undefined;
  readonly logs: string;
} {
  const { result, logs }: { result?: unknown; logs?: unknown } = Object(events[0]?.json);
  return { result: typeof result === 'string' ? result : undefined, logs: typeof logs === 'string' ? logs : '' };
}

const signerOf = ({ signers }: TransactionRowFragment) =>
  signers?.[0] === undefined ? null : <Address of={signers[0].address} hasCopy={false} />;

/**
 * What happened to a proposal, oldest first, without an archive: from its state and from a search for its transactions at the height at which it last
 * changed.
 */
export function SearchedTimeline({
  id,
  of,
  height,
}: {
  readonly id: string;
  readonly of: ProposalData;
  readonly height: bigint | undefined;
}) {
  const { data, partial } = useRead(ProposalTransactionsDocument, { value: id }, height);
  const nodesOf = <T extends TransactionRowFragment>(list: { readonly nodes: readonly T[] } | null | undefined): readonly T[] =>
    (list?.nodes ?? []).filter(({ code, time }) => code === 0 && time !== null);
  const votes = of.votes?.nodes ?? [];
  const txByVoter = new Map(nodesOf(data?.voted).map((tx) => [tx.signers?.[0]?.address ?? '', tx]));
  const voted = new Set(votes.map(({ voter }) => voter.address));

  const happenings: readonly Happening[] = [
    { time: of.submitTime, text: govTexts.value.submitted, hash: data?.submitted?.nodes[0]?.hash },
    ...votes.map(({ voter, member, option, submitTime }) => {
      const text = (
        <>
          <Address of={voter.address} name={member?.metadata} hasCopy={false} /> {governanceTexts.value.proposal.voted}{' '}
          <Badge of={option} />
        </>
      );
      return { time: submitTime, hash: txByVoter.get(voter.address)?.hash, text };
    }),
    // Votes that the chain has deleted.
    ...[...txByVoter].flatMap(([address, tx]) => {
      const text = (
        <>
          <Address of={address} hasCopy={false} /> {governanceTexts.value.proposal.voted}
        </>
      );
      return voted.has(address) ? [] : [{ time: tx.time ?? '', hash: tx.hash, text }];
    }),
    ...nodesOf(data?.withdrawn).map((tx) => ({
      time: tx.time ?? '',
      hash: tx.hash,
      text: (
        <>
          {governanceTexts.value.proposal.withdrawnBy} {signerOf(tx)}
        </>
      ),
    })),
    ...nodesOf(data?.executed).map((tx) => {
      const { result, logs } = executionOf(tx.events);
      const text = (
        <>
          {governanceTexts.value.proposal.executionBy} {signerOf(tx)} {result === undefined ? null : <Badge of={result} />}
          {logs === '' ? null : <span class="block small muted">{logs}</span>}
        </>
      );
      return { time: tx.time ?? '', hash: tx.hash, text };
    }),
    { time: of.votingPeriodEnd, text: texts.value.proposal.periodEnds },
  ].toSorted((one, other) => Date.parse(one.time) - Date.parse(other.time));

  return (
    <Happenings of={happenings}>
      <NoArchive />
      <Partial errors={partial} />
    </Happenings>
  );
}
