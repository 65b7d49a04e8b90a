import { signal } from '@preact/signals';
import type { KeplrChain, KeplrWallet, Signer } from '@stele/client/sign';
import { actingTexts } from '../language/acting/texts.ts';
import { chosenActor, walletAddress } from './actors.ts';

export type { SignDocument, SignedDocument, Signer } from '@stele/client/sign';

declare global {
  interface Window {
    readonly keplr?: KeplrWallet;
    readonly leap?: KeplrWallet;
    /** Cosmostation has the interface of Keplr beside its own. */
    readonly cosmostation?: { readonly providers?: { readonly keplr?: KeplrWallet } };
  }
}

/** A wallet that browsers can have. */
export interface Wallet {
  readonly id: 'keplr' | 'leap' | 'cosmostation';
  readonly name: string;
  /** The event of the window after the owner has chosen another account. */
  readonly change: string;
  readonly find: () => KeplrWallet | undefined;
}

/** The wallets that the page can use. All have the interface of Keplr. */
const wallets: readonly Wallet[] = [
  { id: 'keplr', name: 'Keplr', change: 'keplr_keystorechange', find: () => window.keplr },
  { id: 'leap', name: 'Leap', change: 'leap_keystorechange', find: () => window.leap },
  {
    id: 'cosmostation',
    name: 'Cosmostation',
    change: 'cosmostation_keystorechange',
    find: () => window.cosmostation?.providers?.keplr,
  },
];

/** The key under which the browser keeps the wallet that was connected last. */
const key = 'stele.wallet';

/** The wallets that the browser has. */
export const foundWallets = (): readonly Wallet[] => wallets.filter(({ find }) => find() !== undefined);

/** Whether the browser has a wallet. */
export const hasWallet = (): boolean => foundWallets().length > 0;

/** The connected wallet. undefined if none is. */
export const connectedWallet = signal<Wallet | undefined>(undefined);

/**
 * The signer of the connected wallet. If the wallet does not have the chain, `chain` is suggested. Rejects if there is no wallet, the visitor refuses, or the
 * wallet does not have the chain.
 */
export async function walletSigner(chainId: string, chain?: () => Promise<KeplrChain>): Promise<Signer> {
  const wallet = connectedWallet.value?.find();
  if (wallet === undefined) throw new Error(actingTexts.value.sending.noWallet);
  const { connectKeplr } = await import('@stele/client/sign');
  return connectKeplr(wallet, chainId, {
    registry: async () => (await import('./descriptors.ts')).descriptors,
    ...(chain && { chain }),
  });
}

/** What ends the connection to the events of the wallet. */
let leaving = new AbortController();

/** Ends the use of the wallet, and forgets it. */
export function disconnectWallet(): void {
  leaving.abort();
  connectedWallet.value = undefined;
  walletAddress.value = undefined;
  localStorage.removeItem(key);
}

/** Connects a wallet, follows changes of its account, and remembers it over a reload. Rejects as {@link walletSigner} does. */
export async function connectWallet(wallet: Wallet, chainId: string, chain?: () => Promise<KeplrChain>): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal: isLeft } = leaving;
  const read = async (): Promise<void> => {
    const address = (await walletSigner(chainId, chain)).address;
    if (!isLeft.aborted) walletAddress.value = address;
  };
  connectedWallet.value = wallet;
  try {
    await read();
  } catch (error) {
    disconnectWallet();
    throw error;
  }
  chosenActor.value = 'wallet';
  localStorage.setItem(key, wallet.id);
  window.addEventListener(wallet.change, () => void read().catch(disconnectWallet), { signal: isLeft });
}

/** Connects the wallet that was connected before the page was loaded, if there was one. It may ask its owner. */
export async function reconnectWallet(chainId: string): Promise<void> {
  const wallet = foundWallets().find(({ id }) => id === localStorage.getItem(key));
  if (wallet !== undefined && connectedWallet.value === undefined) await connectWallet(wallet, chainId).catch(() => undefined);
}
