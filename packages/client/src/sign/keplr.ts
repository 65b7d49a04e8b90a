import type { Registry } from '@bufbuild/protobuf';
import type { AminoDocument } from './amino.ts';
import type { SignDocument, Signer } from './signers.ts';

/** A signature as wallets write it: base64 of 64 bytes. */
interface WalletSignature {
  readonly signature: string;
}

/** A coin as a wallet shows it. */
export interface KeplrCurrency {
  /** What the owner reads, such as `HASH`. */
  readonly coinDenom: string;
  /** What the chain counts in, such as `nhash`. */
  readonly coinMinimalDenom: string;
  /** One of the first is 10^coinDecimals of the second. */
  readonly coinDecimals: number;
}

/** What a wallet needs to know of a chain. */
export interface KeplrChain {
  readonly chainId: string;
  readonly chainName: string;
  /** Where the wallet reads the chain: the RPC in the dialect of a node, and REST. With Stele, `/comet` and `/rest`. */
  readonly rpc: string;
  readonly rest: string;
  readonly bip44: { readonly coinType: number };
  readonly bech32Config: Readonly<
    Record<`bech32Prefix${'AccAddr' | 'AccPub' | 'ValAddr' | 'ValPub' | 'ConsAddr' | 'ConsPub'}`, string>
  >;
  readonly currencies: readonly KeplrCurrency[];
  readonly feeCurrencies: readonly KeplrCurrency[];
  readonly stakeCurrency: KeplrCurrency;
}

/** What a wallet needs to know of a chain with one coin. `prefix` begins its addresses, `coinType` is that of SLIP-0044. */
export function keplrChain({
  prefix,
  coinType,
  currency,
  ...chain
}: Pick<KeplrChain, 'chainId' | 'chainName' | 'rpc' | 'rest'> & {
  readonly prefix: string;
  readonly coinType: number;
  readonly currency: KeplrCurrency;
}): KeplrChain {
  return {
    ...chain,
    bip44: { coinType },
    bech32Config: {
      bech32PrefixAccAddr: prefix,
      bech32PrefixAccPub: `${prefix}pub`,
      bech32PrefixValAddr: `${prefix}valoper`,
      bech32PrefixValPub: `${prefix}valoperpub`,
      bech32PrefixConsAddr: `${prefix}valcons`,
      bech32PrefixConsPub: `${prefix}valconspub`,
    },
    currencies: [currency],
    feeCurrencies: [currency],
    stakeCurrency: currency,
  };
}

/** The part of a Keplr-compatible wallet that is used: `window.keplr`, `window.leap`. */
export interface KeplrWallet {
  enable(chainId: string): Promise<void>;
  experimentalSuggestChain?(chain: KeplrChain): Promise<void>;
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
    options?: { readonly preferNoSetFee?: boolean },
  ): Promise<{
    readonly signed: { readonly bodyBytes: Uint8Array; readonly authInfoBytes: Uint8Array };
    readonly signature: WalletSignature;
  }>;
  signAmino?(
    chainId: string,
    signer: string,
    document: AminoDocument,
    options?: { readonly preferNoSetFee?: boolean },
  ): Promise<{ readonly signed: AminoDocument; readonly signature: WalletSignature }>;
}

const signatureBytes = ({ signature }: WalletSignature): Uint8Array =>
  Uint8Array.from(atob(signature), (character) => character.charCodeAt(0));

/** The fee is the one that was asked for: that of the wallet can be too small, because it does not know the rule of the chain. */
const signOptions = { preferNoSetFee: true };

/** What the owner's refusal says, by which it differs from a chain that the wallet does not have. */
const refusal = /reject|denied|cancel/i;

/** What a wallet may need. Functions are called when it does. */
export interface ConnectOptions {
  /** The descriptors of the messages that a Ledger signs, by default those of the functions of this package. */
  readonly registry?: () => Registry | Promise<Registry>;
  /** What to suggest to a wallet that does not have the chain. Without it, such a wallet is refused. */
  readonly chain?: () => KeplrChain | Promise<KeplrChain>;
}

async function enable(wallet: KeplrWallet, chainId: string, chain: ConnectOptions['chain']): Promise<void> {
  try {
    await wallet.enable(chainId);
  } catch (error) {
    const isRefused = refusal.test(error instanceof Error ? error.message : String(error));
    if (isRefused || chain === undefined || wallet.experimentalSuggestChain === undefined) throw error;
    await wallet.experimentalSuggestChain(await chain());
    await wallet.enable(chainId);
  }
}

/**
 * Connects a Keplr-compatible wallet. A key in a Ledger signs Amino JSON, which is loaded when it first does. Rejects if the visitor refuses, or the wallet does
 * not have the chain and none is suggested.
 */
export async function connectKeplr(
  wallet: KeplrWallet,
  chainId: string,
  { registry, chain }: ConnectOptions = {},
): Promise<Signer> {
  await enable(wallet, chainId, chain);
  const { bech32Address, pubKey, isNanoLedger = false } = await wallet.getKey(chainId);
  return {
    address: bech32Address,
    publicKey: pubKey,
    async sign(document) {
      if (isNanoLedger) {
        const { signAmino } = await import('./aminoSigner.ts');
        return signAmino(document, await registry?.(), async (amino) => {
          const answer = await wallet.signAmino?.(chainId, bech32Address, amino, signOptions);
          if (answer === undefined) throw new Error('The wallet cannot sign Amino JSON, which a Ledger needs.');
          return { signed: answer.signed, signature: signatureBytes(answer.signature) };
        });
      }
      const { signed, signature } = await wallet.signDirect(chainId, bech32Address, document, signOptions);
      return { bodyBytes: signed.bodyBytes, authInfoBytes: signed.authInfoBytes, signature: signatureBytes(signature) };
    },
  };
}
