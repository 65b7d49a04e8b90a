import { useEffect, useState } from 'react';
import { Board } from './Board.tsx';
import { BlocksDocument, GroupsDocument, type GroupsQuery } from './gen/graphql.ts';
import { stele } from './stele.ts';
import { useNewest } from './useNewest.ts';

type Group = NonNullable<GroupsQuery['groups']>['nodes'][number];

const blocks = (signal: AbortSignal) => stele.subscribe(BlocksDocument, {}, { signal });

export function App() {
  const [groups, setGroups] = useState<readonly Group[]>([]);
  const [error, setError] = useState<Error>();
  const [chosen, choose] = useState<string>();
  const { value: block } = useNewest(blocks);
  useEffect(() => {
    stele.query(GroupsDocument).then(({ data }) => setGroups(data.groups?.nodes ?? []), setError);
  }, []);
  const group = chosen ?? groups[0]?.id;
  const height = block?.height;
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
