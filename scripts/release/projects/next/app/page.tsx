import { createClient } from '@stele/client';
import { Board } from './Board.tsx';
import { type Head, headDocument } from './document.ts';

export const dynamic = 'force-dynamic';

const client = createClient({ url: `${process.env.NEXT_PUBLIC_STELE_URL ?? 'http://localhost:4000'}/graphql` });

export default async function Page() {
  return <Board initial={await client.query<Head>(headDocument)} />;
}
