import { useQuery, useStele } from '@stele/client/react';
import { useState } from 'react';
import { isProven, type NameOf, Tally, timeOf, trust } from './Board.tsx';
import { Choice } from './Choice.tsx';
import { CloseDocument, HistoryDocument, type HistoryQuery, type ProposalStatus } from './gen/graphql.ts';

type ProposalRecord = NonNullable<NonNullable<HistoryQuery['group']>['proposalRecords']>['nodes'][number];

/** ` not run` for `PROPOSAL_EXECUTOR_RESULT_NOT_RUN`. */
const labelOf = (name: string) => name.replace(/^.*(STATUS|RESULT|OPTION)_|_/g, ' ').toLowerCase();
const statuses = ['', 'ACCEPTED', 'REJECTED', 'WITHDRAWN', 'ABORTED'].map((each) => [each, labelOf(each) || 'all'] as const);

export function Records({ group, nameOf }: { group: string; nameOf: NameOf }) {
  const [[status, offset], show] = useState<[status: string, offset: number]>(['', 0]);
  const filter = { closed: true, status: status ? [`PROPOSAL_STATUS_${status}` as ProposalStatus] : null };
  const { data, error } = useQuery(HistoryDocument, { group, offset, filter });
  const page = data?.group?.proposalRecords;
  return (
    <>
      <h2>Participation in the last 20 closed proposals</h2>
      <ul id="participation">
        {data?.group?.participation?.map(({ account: { address }, eligible, voted }) => (
          <li key={address}>
            {nameOf(address)} <meter max={Math.max(eligible, 1)} value={voted} /> {`${voted} of ${eligible}`}
          </li>
        ))}
      </ul>
      <h2>History</h2>
      <Choice label="Status" value={status} choose={(each) => show([each, 0])} options={statuses} /> {page?.totalCount}{' '}
      proposals <a href={`/proposals.csv?group=${group}`}>All as CSV</a>
      {error && <p role="alert">{error.message}</p>}
      <div id="history">
        {page?.nodes.map((record) => (
          <Row key={record.id} record={record} nameOf={nameOf} />
        ))}
      </div>
      <button type="button" disabled={offset === 0} onClick={() => show([status, offset - 10])}>
        Newer
      </button>
      <button type="button" disabled={offset + 10 >= Number(page?.totalCount ?? 0)} onClick={() => show([status, offset + 10])}>
        Older
      </button>
    </>
  );
}

function Row({ record, nameOf }: { record: ProposalRecord; nameOf: NameOf }) {
  const client = useStele();
  const [seal, setSeal] = useState('Verify');
  const { id, title, status, executorResult, closed, tally, outcome, votes, electorate, proof } = record;
  /** Verifies the votes in the last state before the close. The chain has deleted them since. */
  const verify = async (height: string) => {
    const { data, verified } = await client.query(CloseDocument, { id }, { height, verify: trust });
    const [proven, recorded] = [data.proposal?.votes, votes].map(
      (list) => list?.nodes.map((each) => each.voter.address + each.option) ?? [],
    );
    const word = isProven(verified) && proven?.every((vote) => recorded?.includes(vote)) ? '✓ Verified' : 'Different';
    setSeal(`${word}: ${proven?.length} of ${recorded?.length} votes at block ${verified?.height}`);
  };
  return (
    <details>
      <summary>
        #{id} {title} <mark>{labelOf(status)}</mark> <small>{labelOf(executorResult)}</small>
      </summary>
      <p>{closed?.time ? `Closed in block ${closed.height}, ${timeOf(closed.time)}` : 'Closed before the records begin'}</p>
      {tally && <Tally tally={tally} outcome={outcome} />}
      <ul>
        {votes?.nodes.map(({ option, voter, weight }) => (
          <li key={voter.address}>{`${nameOf(voter.address)}: ${labelOf(option)}, weight ${weight ?? 'unknown'}`}</li>
        ))}
      </ul>
      {electorate && (
        <p>Did not vote: {electorate.nodes.map(({ account }) => nameOf(account.address)).join(', ') || 'nobody'}</p>
      )}
      {proof && (
        <button type="button" onClick={() => verify(proof.height).catch(({ message }) => setSeal(`Not verified: ${message}`))}>
          {seal}
        </button>
      )}
    </details>
  );
}
