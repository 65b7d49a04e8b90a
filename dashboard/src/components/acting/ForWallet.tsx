import type { MessageJson } from '../../actions/messages.ts';
import { hasWallet } from '../../actions/wallet.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { Code } from '../Code.tsx';
import { Copy } from '../Copy.tsx';
import { WalletButtons } from './WalletMenu.tsx';

interface ForWalletProps {
  readonly chainId: string | undefined;
  /** The messages that the visitor may want to sign, each with what it does. */
  readonly messages: readonly { readonly text: string; readonly message: MessageJson }[];
}

/** On chains whose keys the page does not have: the wallet of the browser, or the messages to sign elsewhere. */
export function ForWallet({ chainId, messages }: ForWalletProps) {
  return (
    <>
      {hasWallet() ? (
        chainId === undefined ? null : (
          <WalletButtons chainId={chainId} />
        )
      ) : (
        <p class="muted">{messages.length === 0 ? actingTexts.value.sending.fillIn : actingTexts.value.sending.signOne}</p>
      )}
      {messages.map(({ text, message }) => {
        const json = JSON.stringify(message, null, 2);
        return (
          <details class="json" key={text}>
            <summary>{text}</summary>
            <div class="code-box">
              <Copy text={json} name={actingTexts.value.sending.theMessage} />
              <Code of={json} />
            </div>
          </details>
        );
      })}
    </>
  );
}
