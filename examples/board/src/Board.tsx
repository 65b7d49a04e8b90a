import { useCallback } from 'react';
import { BoardDocument } from './gen/graphql.ts';
import { Proposal } from './Proposal.tsx';
import { stele } from './stele.ts';
import { useNewest } from './useNewest.ts';

export function Board({ group }: { readonly group: string }) {
  const open = useCallback((signal: AbortSignal) => stele.live(BoardDocument, { group }, { signal }), [group]);
  const { value, error } = useNewest(open);
  return (
    <section>
      {error && <p role="alert">{error.message} Reload the page to continue.</p>}
      {value?.data.group?.proposals?.nodes.map((proposal) => (
        <Proposal key={proposal.id} proposal={proposal} />
      ))}
    </section>
  );
}
