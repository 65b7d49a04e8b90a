import { useQuery, useSubscription } from 'urql';
import { BoardDocument, type CardFragment, ChangesDocument } from './gen.ts';
import { Proposal } from './Proposal.tsx';

/** The state of each proposal that has changed, by id. null: the chain has deleted the proposal. */
type Changes = ReadonlyMap<string, CardFragment | null>;

export function Board({ group }: { readonly group: string }) {
  const [{ data, error }] = useQuery({ query: BoardDocument, variables: { group } });
  const height = data?.head?.height;
  const [{ data: changes, error: ended }] = useSubscription(
    { query: ChangesDocument, variables: { group, after: height }, pause: height === undefined },
    (earlier: Changes = new Map(), { proposalUpdated: { proposalId, proposal } }): Changes =>
      new Map(earlier).set(proposalId, proposal),
  );
  const proposals = new Map<string, CardFragment | null>();
  for (const proposal of data?.group?.proposals?.nodes ?? []) proposals.set(proposal.id, proposal);
  for (const [id, proposal] of changes ?? []) proposals.set(id, proposal);
  const newestFirst = [...proposals.values()]
    .filter((each) => each !== null)
    .sort((a, b) => Number(BigInt(b.id) - BigInt(a.id)));
  return (
    <section>
      {error && <p role="alert">{error.message}</p>}
      {ended && <p role="alert">{ended.message} Reload the page to continue.</p>}
      {newestFirst.map((proposal) => (
        <Proposal key={proposal.id} proposal={proposal} />
      ))}
    </section>
  );
}
