import { useEffect, useState } from 'preact/hooks';
import { developmentChain, walletAddress } from '../../actions/actors.ts';
import { connectedWallet, connectWallet, disconnectWallet, foundWallets, reconnectWallet } from '../../actions/wallet.ts';
import { shownHead } from '../../data/shown.ts';
import { stele } from '../../data/stele.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { texts } from '../../language/language.ts';
import { Address } from '../Address.tsx';
import { Amounts } from '../Amount.tsx';
import { WalletAccountDocument, type WalletAccountQuery } from './gen/graphql.ts';

interface WalletButtonsProps {
  readonly chainId: string;
}

/** A button for each wallet that the browser has. */
export function WalletButtons({ chainId }: WalletButtonsProps) {
  const [problem, setProblem] = useState('');
  return (
    <>
      <div class="row">
        {foundWallets().map((wallet) => (
          <button
            key={wallet.id}
            type="button"
            class="button primary"
            onClick={() =>
              connectWallet(wallet, chainId, async () => (await import('./suggestedChain.ts')).suggestedChain(chainId)).then(
                () => setProblem(''),
                (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
              )
            }
          >
            {actingTexts.value.sending.connect} {wallet.name}
          </button>
        ))}
      </div>
      {problem === '' ? null : (
        <p class="failed" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** The account of the wallet: its name, and what it holds at the shown block. */
function WalletAccount({ address, name }: { readonly address: string; readonly name: string }) {
  const [account, setAccount] = useState<WalletAccountQuery['account']>(null);
  const height = shownHead.value?.height;
  useEffect(() => {
    let isLeft = false;
    stele.query(WalletAccountDocument, { address }).then(
      ({ data }) => isLeft || setAccount(data.account),
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, [address, height]);
  return (
    <>
      <p>
        <Address of={address} name={account?.names?.nodes[0]?.name} />{' '}
        <span class="muted">
          {texts.value.words.in} {name}
        </span>
      </p>
      <p>
        <Amounts of={account?.balances?.nodes ?? []} />
      </p>
      <button type="button" class="button" onClick={disconnectWallet}>
        {actingTexts.value.sending.disconnect}
      </button>
    </>
  );
}

/** The wallet in the header. Nothing on the embedded chain, whose keys the page has, and in a browser without a wallet. */
export function WalletMenu() {
  const chainId = shownHead.value?.chainId;
  useEffect(() => {
    if (chainId !== undefined && chainId !== developmentChain) void reconnectWallet(chainId);
  }, [chainId]);
  if (chainId === undefined || chainId === developmentChain || foundWallets().length === 0) return null;
  const address = walletAddress.value;
  const wallet = connectedWallet.value;
  return (
    <details class="wallet">
      <summary class="button small">
        {address === undefined ? actingTexts.value.sending.connect : `${address.slice(0, 5)}…${address.slice(-4)}`}
      </summary>
      <div class="wallet-menu">
        {address === undefined || wallet === undefined ? (
          <WalletButtons chainId={chainId} />
        ) : (
          <WalletAccount address={address} name={wallet.name} />
        )}
      </div>
    </details>
  );
}
