'use client';

import { createClient, type Result } from '@stele/client';
import { SteleProvider, useLive } from '@stele/client/react';
import { type Head, headDocument } from './document.ts';

// The URL of a page is relative to it, and a server has no page.
const client = createClient({ url: typeof window === 'undefined' ? 'http://localhost:4000/graphql' : '/graphql' });

function Height({ initial }: { initial: Result<Head> }) {
  const { data } = useLive<Head>(headDocument, {}, { initial });
  return <h1>{`Block ${data?.head.height}`}</h1>;
}

export function Board({ initial }: { initial: Result<Head> }) {
  return (
    <SteleProvider client={client}>
      <Height initial={initial} />
    </SteleProvider>
  );
}
