import { createClient } from '@stele/client';
import { SteleProvider, useLive } from '@stele/client/react';
import { createRoot } from 'react-dom/client';

type Head = { readonly head: { readonly height: string } };

const client = createClient({ url: '/graphql', verifier: () => import('@stele/verify') });

function Height() {
  return <h1>{useLive<Head>('query @live { head { height } }').data?.head.height}</h1>;
}

createRoot(document.body.appendChild(document.createElement('main'))).render(
  <SteleProvider client={client}>
    <Height />
  </SteleProvider>,
);
