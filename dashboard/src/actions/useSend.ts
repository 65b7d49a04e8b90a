import { SteleError } from '@stele/client';
import { useState } from 'preact/hooks';
import { stele } from '../data/stele.ts';
import { SignerDocument } from '../gen/graphql.ts';
import type { Actor } from './actors.ts';
import type { MessageJson } from './messages.ts';
import { connectWallet } from './wallet.ts';

/** How far a transaction is. */
export interface Progress {
  readonly kind: 'idle' | 'signing' | 'sending' | 'done' | 'failed';
  /** The last stage that the server reported. */
  readonly stage?: string;
  readonly hash?: string;
  readonly height?: string;
  /** Why it failed. */
  readonly reason?: string;
}

/** The gas limit of a transaction with one message of the group module. */
const gas = 1_000_000n;

/** What the chain says of an account that is to sign. */
async function readSigner(address: string, message: MessageJson) {
  const { data } = await stele.query(SignerDocument, { address, message: message['@type'] });
  const { head, account, feeToken, messageFee } = data;
  if (head === null || account?.accountNumber == null || account.sequence === null)
    throw new Error('The account does not exist on the chain: it has never received anything.');
  const cost = messageFee?.cost ?? [];
  const amount = cost.length > 0 || feeToken === null ? cost : [{ denom: feeToken, amount: '1' }];
  return {
    chainId: head.chainId,
    accountNumber: BigInt(account.accountNumber),
    sequence: BigInt(account.sequence),
    fee: { amount, gas },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof SteleError && error.code === 'FORBIDDEN') return 'Your token may not send transactions.';
  return error instanceof Error ? error.message : String(error);
}

/** Signs a message as an actor, sends it, and follows it to its block. Resolves when it is final. */
export function useSend(): { readonly progress: Progress; send(actor: Actor, message: MessageJson): Promise<void> } {
  const [progress, setProgress] = useState<Progress>({ kind: 'idle' });

  async function follow(actor: Actor, message: MessageJson): Promise<void> {
    if (actor.address === undefined) return;
    const [account, { developmentSigner, signTransaction }] = await Promise.all([
      readSigner(actor.address, message),
      import('./signing.ts'),
    ]);
    const signer = actor.id === 'wallet' ? await connectWallet(account.chainId) : developmentSigner(actor.id, actor.address);
    const bytes = await signTransaction(signer, { message, ...account });
    setProgress({ kind: 'sending' });
    for await (const { stage, hash, height, final, checkTx, transaction } of stele.submitTx(bytes)) {
      const failure = [transaction, checkTx].find((result) => result != null && result.code !== 0);
      if (!final) setProgress({ kind: 'sending', stage, hash, height });
      else if (failure) setProgress({ kind: 'failed', stage, hash, height, reason: failure.log });
      else setProgress({ kind: stage === 'INCLUDED' ? 'done' : 'failed', stage, hash, height });
    }
  }

  return {
    progress,
    async send(actor, message) {
      setProgress({ kind: 'signing' });
      await follow(actor, message).catch((error: unknown) => setProgress({ kind: 'failed', reason: reasonOf(error) }));
    },
  };
}
