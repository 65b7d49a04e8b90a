'use client';

import { createClient, type Result } from '@stele/client';
import { SteleProvider, useLive } from '@stele/client/react';
import { type Head, headDocument } from './document.ts';

// The browser connects to the server itself, because Next.js does not forward WebSockets with their origin.
const client = createClient({ url: `${process.env.NEXT_PUBLIC_STELE_URL ?? 'http://localhost:4000'}/graphql` });

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
