import { clientCredentials, createClient } from '@stele/client';
import { SteleProvider, useConnection, useQuery } from '@stele/client/react';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Notice } from '../server.ts';
import { Board } from './Board.tsx';
import { Choice } from './Choice.tsx';
import { GroupsDocument } from './gen/graphql.ts';
import { Records } from './Records.tsx';
import './style.css';

const client = createClient({
  url: '/graphql',
  token: clientCredentials({ url: '/oauth/token' }),
  verifier: () => import('@stele/verify'),
});

/** What the server of the team was notified of, newest first. */
function Notices({ member }: { member: string }) {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  useEffect(() => {
    const source = new EventSource('/notices');
    // After a lost connection all come again.
    source.onopen = () => setNotices([]);
    source.onmessage = ({ data }) => setNotices((earlier) => [JSON.parse(data), ...earlier].slice(0, 20));
    return () => source.close();
  }, []);
  return (
    <>
      <h2>Notices</h2>
      <ul id="notices">
        {notices.length === 0 && <li>None yet.</li>}
        {notices.map(({ id, time, text, members }) => (
          <li key={id}>
            <time>{new Date(time).toLocaleTimeString()}</time> {text} {members.includes(member) && <mark>waits for you</mark>}
          </li>
        ))}
      </ul>
    </>
  );
}

function App() {
  const { data, error } = useQuery(GroupsDocument);
  const [chosen, choose] = useState<string>();
  const [named, setNamed] = useState<string>();
  const { kind } = useConnection();
  const groups = data?.groups?.nodes ?? [];
  const group = groups.find(({ id }) => id === chosen) ?? groups[0];
  const members = group?.members?.nodes ?? [];
  const addresses = members.map(({ account }) => account.address);
  const member = addresses.find((each) => each === named) ?? addresses[0];
  const names = new Map(members.map(({ account, metadata }) => [account.address, metadata]));
  const nameOf = (address: string) => names.get(address) || `${address.slice(0, 12)}…`;
  if (!group || !member) return <p role="alert">{error?.message ?? 'Connecting'}</p>;
  return (
    <main>
      <header>
        <h1>{group.metadata}</h1>
        <Choice label="Group" value={group.id} choose={choose} options={groups.map(({ id, metadata }) => [id, metadata])} />
        <Choice label="You are" value={member} choose={setNamed} options={addresses.map((each) => [each, nameOf(each)])} />
      </header>
      {kind === 'retrying' && <p role="alert">Connection lost. The page connects again.</p>}
      <Board group={group.id} member={member} nameOf={nameOf} />
      <Notices member={member} />
      <Records key={group.id} group={group.id} nameOf={nameOf} />
    </main>
  );
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  <SteleProvider client={client}>
    <App />
  </SteleProvider>,
);
