import { useState } from 'react';
import { useQuery, useSubscription } from 'urql';
import { Board } from './Board.tsx';
import { BlocksDocument, GroupsDocument } from './gen.ts';

export function App() {
  const [{ data, error }] = useQuery({ query: GroupsDocument });
  const [{ data: latest }] = useSubscription({ query: BlocksDocument });
  const [chosen, choose] = useState<string>();
  const groups = data?.groups?.nodes ?? [];
  const group = chosen ?? groups[0]?.id;
  const height = latest?.newBlock.height;
  return (
    <main>
      <header>
        <h1>Governance board</h1>
        <output>
          <span key={height} className="beat" />
          {height === undefined ? 'Connecting' : `Block ${height}`}
        </output>
      </header>
      <nav>
        {groups.map(({ id, metadata }) => (
          <button key={id} type="button" aria-pressed={id === group} onClick={() => choose(id)}>
            {metadata}
          </button>
        ))}
      </nav>
      {error && <p role="alert">{error.message}</p>}
      {group && <Board key={group} group={group} />}
    </main>
  );
}
