import { useState } from 'preact/hooks';
import { chosenActor, walletAddress } from '../../actions/actors.ts';
import type { MessageJson } from '../../actions/messages.ts';
import { connectWallet, hasWallet } from '../../actions/wallet.ts';
import { Code } from '../Code.tsx';
import { Copy } from '../Copy.tsx';

interface ForWalletProps {
  readonly chainId: string | undefined;
  /** The messages that the visitor may want to sign, each with what it does. */
  readonly messages: readonly { readonly text: string; readonly message: MessageJson }[];
}

/** On chains whose keys the page does not have: the wallet of the browser, or the messages to sign elsewhere. */
export function ForWallet({ chainId, messages }: ForWalletProps) {
  const [problem, setProblem] = useState('');
  const connect = async (): Promise<void> => {
    try {
      walletAddress.value = (await connectWallet(chainId ?? '')).address;
      chosenActor.value = 'wallet';
      setProblem('');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      {hasWallet() ? (
        <p>
          <button type="button" class="button primary" onClick={connect}>
            Connect your wallet
          </button>
        </p>
      ) : (
        <p class="muted">
          {messages.length === 0
            ? 'Fill in the form to see the message. Sign it with your wallet or the command line of the chain.'
            : 'Sign one of these messages with your wallet or the command line of the chain.'}
        </p>
      )}
      {problem === '' ? null : <p class="failed">{problem}</p>}
      {messages.map(({ text, message }) => {
        const json = JSON.stringify(message, null, 2);
        return (
          <details class="json" key={text}>
            <summary>{text}</summary>
            <div class="code-box">
              <Copy text={json} name="the message" />
              <Code of={json} />
            </div>
          </details>
        );
      })}
    </>
  );
}
