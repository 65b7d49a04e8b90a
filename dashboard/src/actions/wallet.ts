/** What a transaction is signed over (SIGN_MODE_DIRECT). */
export interface SignDocument {
  readonly bodyBytes: Uint8Array;
  readonly authInfoBytes: Uint8Array;
  readonly chainId: string;
  readonly accountNumber: bigint;
}

/** What a wallet returns: it may have changed the document, for example the fee. */
export interface SignedDocument {
  readonly bodyBytes: Uint8Array;
  readonly authInfoBytes: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

/** A key that can sign. */
export interface Signer {
  readonly address: string;
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  sign(document: SignDocument): Promise<SignedDocument>;
}

/** The part of a Keplr-compatible wallet that is used. */
interface Keplr {
  enable(chainId: string): Promise<void>;
  getKey(chainId: string): Promise<{ readonly bech32Address: string; readonly pubKey: Uint8Array }>;
  signDirect(
    chainId: string,
    signer: string,
    document: SignDocument,
  ): Promise<{
    readonly signed: { readonly bodyBytes: Uint8Array; readonly authInfoBytes: Uint8Array };
    readonly signature: { readonly signature: string };
  }>;
}

declare global {
  interface Window {
    readonly keplr?: Keplr;
  }
}

/** Whether the browser has a Keplr-compatible wallet. */
export const hasWallet = (): boolean => window.keplr !== undefined;

/** Connects the wallet of the browser. Rejects if the visitor refuses, or the wallet does not have the chain. */
export async function connectWallet(chainId: string): Promise<Signer> {
  const { keplr } = window;
  if (keplr === undefined) throw new Error('The browser has no wallet.');
  await keplr.enable(chainId);
  const { bech32Address, pubKey } = await keplr.getKey(chainId);
  return {
    address: bech32Address,
    publicKey: pubKey,
    async sign(document) {
      const { signed, signature } = await keplr.signDirect(chainId, bech32Address, document);
      const bytes = Uint8Array.from(atob(signature.signature), (character) => character.charCodeAt(0));
      return { bodyBytes: signed.bodyBytes, authInfoBytes: signed.authInfoBytes, signature: bytes };
    },
  };
}
