import { createClient, type Result } from '@stele/client';
import { type Message, msgVote } from '@stele/client/sign';
import { verifyBundle } from '@stele/verify';

const client = createClient({ url: `${process.env.STELE_URL}/graphql` });
const { data }: Result<{ head: { height: string } }> = await client.query('{ head { height } }');
const vote: Message = msgVote({ voter: 'tp1', proposalId: data.head.height, option: 'VOTE_OPTION_YES' });
console.log(`height ${data.head.height}, ${vote.typeUrl}, ${typeof verifyBundle}`);
