import type { KeplrWallet, Signer } from '@stele/client/sign';

export type { SignDocument, SignedDocument, Signer } from '@stele/client/sign';

declare global {
  interface Window {
    readonly keplr?: KeplrWallet;
  }
}

/** Whether the browser has a Keplr-compatible wallet. */
export const hasWallet = (): boolean => window.keplr !== undefined;

/** Connects the wallet of the browser. Rejects if the visitor refuses, or the wallet does not have the chain. */
export async function connectWallet(chainId: string): Promise<Signer> {
  const { keplr } = window;
  if (keplr === undefined) throw new Error('The browser has no wallet.');
  const { connectKeplr } = await import('@stele/client/sign');
  return connectKeplr(keplr, chainId);
}
