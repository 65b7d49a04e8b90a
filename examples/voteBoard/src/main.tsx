import { clientCredentials, createClient } from '@stele/client';
import { SteleProvider, useConnection, useLive, useTransaction } from '@stele/client/react';
import { connectKeplr, type KeplrWallet, msgVote, type Signer, type VoteChoice } from '@stele/client/sign';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { BoardDocument, type BoardQuery } from './gen/graphql.ts';
import './style.css';

type Group = NonNullable<BoardQuery['groups']>['nodes'][number];
type Proposal = NonNullable<Group['proposals']>['nodes'][number];

declare global {
  interface Window {
    keplr?: KeplrWallet;
  }
}

const client = createClient({ url: '/graphql', token: clientCredentials({ url: '/oauth/token' }) });
const choices: Record<string, VoteChoice> = { Yes: 'VOTE_OPTION_YES', No: 'VOTE_OPTION_NO', Abstain: 'VOTE_OPTION_ABSTAIN' };

function VoteButtons({ proposal, signer }: { proposal: Proposal; signer: Signer }) {
  const { send, status, error, update } = useTransaction();
  const canVote = proposal.pendingVoters?.nodes.some(({ account }) => account.address === signer.address);
  const reason = error?.message ?? update?.transaction?.log ?? update?.checkTx?.log;
  return (
    <footer>
      {canVote &&
        Object.entries(choices).map(([text, option]) => (
          <button
            key={option}
            type="button"
            disabled={['preparing', 'signing', 'sending'].includes(status)}
            onClick={() => send(signer, [msgVote({ voter: signer.address, proposalId: proposal.id, option })])}
          >
            {text}
          </button>
        ))}
      <output>{status === 'failed' ? `Failed: ${reason}` : status !== 'idle' && status}</output>
    </footer>
  );
}

function Card({ proposal, signer }: { proposal: Proposal; signer: Signer | undefined }) {
  const { id, title, tally, outcome, votingPeriodEnd } = proposal;
  return (
    <article>
      <small>
        #{id}, until {new Date(votingPeriodEnd).toLocaleTimeString()}
      </small>
      <h3>{title}</h3>
      <p>
        Yes {tally?.yesCount}, no {tally?.noCount}, abstain {tally?.abstainCount}.{' '}
        <mark>{outcome?.decision === 'ACCEPTED' ? 'Passing' : `${outcome?.yesNeeded ?? '?'} more yes needed`}</mark>
      </p>
      {signer && <VoteButtons proposal={proposal} signer={signer} />}
    </article>
  );
}

function Board() {
  const { data, error } = useLive(BoardDocument);
  const connection = useConnection();
  const [signer, setSigner] = useState<Signer>();
  const [failure, setFailure] = useState<Error>();
  const chainId = data?.head?.chainId;
  const connect = async () => {
    if (window.keplr === undefined) throw new Error('This browser has no wallet.');
    if (chainId !== undefined) setSigner(await connectKeplr(window.keplr, chainId));
  };
  return (
    <main>
      <h1>Vote board</h1>
      <p>
        {data?.head ? `Block ${data.head.height}` : 'Connecting'}
        {connection.kind === 'retrying' && ', connection lost'}{' '}
        {signer?.address ?? (
          <button type="button" onClick={() => connect().catch(setFailure)}>
            Connect your wallet
          </button>
        )}
      </p>
      {[error, failure].map((each) => each && <p role="alert">{each.message}</p>)}
      {data?.groups?.nodes.map(({ id, metadata, proposals }) => (
        <section key={id}>
          <h2>{metadata}</h2>
          {proposals?.nodes.map((each) => (
            <Card key={each.id} proposal={each} signer={signer} />
          ))}
        </section>
      ))}
    </main>
  );
}

const root = createRoot(document.body.appendChild(document.createElement('div')));
root.render(
  <SteleProvider client={client}>
    <Board />
  </SteleProvider>,
);
