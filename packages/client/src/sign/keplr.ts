import type { Registry } from '@bufbuild/protobuf';
import type { AminoDocument } from './amino.ts';
import type { SignDocument, Signer } from './signers.ts';

/** A signature as wallets write it: base64 of 64 bytes. */
interface WalletSignature {
  readonly signature: string;
}

/** The part of a Keplr-compatible wallet that is used: `window.keplr`, `window.leap`. */
export interface KeplrWallet {
  enable(chainId: string): Promise<void>;
  getKey(chainId: string): Promise<{
    readonly bech32Address: string;
    readonly pubKey: Uint8Array;
    /** Whether the key is in a Ledger, which signs only Amino JSON. */
    readonly isNanoLedger?: boolean;
  }>;
  signDirect(
    chainId: string,
    signer: string,
    document: SignDocument,
  ): Promise<{
    readonly signed: { readonly bodyBytes: Uint8Array; readonly authInfoBytes: Uint8Array };
    readonly signature: WalletSignature;
  }>;
  signAmino?(
    chainId: string,
    signer: string,
    document: AminoDocument,
  ): Promise<{ readonly signed: AminoDocument; readonly signature: WalletSignature }>;
}

const signatureBytes = ({ signature }: WalletSignature): Uint8Array =>
  Uint8Array.from(atob(signature), (character) => character.charCodeAt(0));

/**
 * Connects a Keplr-compatible wallet. A key in a Ledger signs Amino JSON, for which `registry` loads the descriptors of the messages, by default those of
 * the functions of this package. Rejects if the visitor refuses, or the wallet does not have the chain.
 */
export async function connectKeplr(
  wallet: KeplrWallet,
  chainId: string,
  { registry }: { readonly registry?: () => Registry | Promise<Registry> } = {},
): Promise<Signer> {
  await wallet.enable(chainId);
  const { bech32Address, pubKey, isNanoLedger = false } = await wallet.getKey(chainId);
  return {
    address: bech32Address,
    publicKey: pubKey,
    async sign(document) {
      if (isNanoLedger) {
        const { signAmino } = await import('./aminoSigner.ts');
        return signAmino(document, await registry?.(), async (amino) => {
          const answer = await wallet.signAmino?.(chainId, bech32Address, amino);
          if (answer === undefined) throw new Error('The wallet cannot sign Amino JSON, which a Ledger needs.');
          return { signed: answer.signed, signature: signatureBytes(answer.signature) };
        });
      }
      const { signed, signature } = await wallet.signDirect(chainId, bech32Address, document);
      return { bodyBytes: signed.bodyBytes, authInfoBytes: signed.authInfoBytes, signature: signatureBytes(signature) };
    },
  };
}
