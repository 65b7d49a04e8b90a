import { SteleError } from '@stele/client';
import { useState } from 'preact/hooks';
import { errorWords } from '../data/failures.ts';
import { stele } from '../data/stele.ts';
import { failureWords } from '../format/failures.ts';
import { CostDocument, type CostQuery, SignerDocument } from '../gen/graphql.ts';
import { actingTexts } from '../language/acting/texts.ts';
import type { Actor } from './actors.ts';
import type { MessageJson } from './messages.ts';
import { walletSigner } from './wallet.ts';

/** The fee of a transaction. */
type FeeCoins = NonNullable<CostQuery['calculateTxFees']>['totalFees'];

/** How far a transaction is. */
export interface Progress {
  readonly kind: 'idle' | 'signing' | 'sending' | 'done' | 'failed';
  /** The last stage that the server reported. */
  readonly stage?: string;
  readonly hash?: string;
  readonly height?: string;
  /** The fee that the transaction offers. */
  readonly fee?: FeeCoins;
  /** Why it failed. */
  readonly reason?: string;
}

/** What the chain says of an account that is to sign. */
async function readSigner(address: string) {
  const { data } = await stele.query(SignerDocument, { address });
  const { head, account } = data;
  if (head === null || account === null || account.accountNumber === null || account.sequence === null)
    throw new Error(actingTexts.value.sending.noAccount);
  return { chainId: head.chainId, accountNumber: BigInt(account.accountNumber), sequence: BigInt(account.sequence) };
}

/** What a transaction costs, by the rule of the chain. Rejects if a simulation shows that it would fail. */
async function readCost(draft: Uint8Array): Promise<{ readonly amount: FeeCoins; readonly gas: bigint }> {
  const { data, errors } = await stele.query(CostDocument, { tx: btoa(String.fromCharCode(...draft)) });
  if (data.calculateTxFees === null) throw errors?.[0] ?? new Error(actingTexts.value.sending.costUnread);
  const { estimatedGas, totalFees } = data.calculateTxFees;
  return { amount: totalFees, gas: BigInt(estimatedGas) };
}

function reasonOf(error: unknown): string {
  // The code that signs is loaded when it is first needed.
  if (error instanceof TypeError) return actingTexts.value.sending.noAnswer;
  if (!(error instanceof SteleError)) return error instanceof Error ? error.message : String(error);
  const { code, facts } = error;
  if (code === 'FORBIDDEN') return actingTexts.value.sending.noScope;
  // The chain says why it refuses a simulation.
  if (code === 'ABCI_QUERY_FAILED' && typeof facts.log === 'string')
    return failureWords({ code: Number(facts.abciCode), codespace: String(facts.codespace), log: facts.log });
  return errorWords(error);
}

/** Signs a message as an actor, sends it, and follows it to its block. Resolves when it is final. */
export function useSend(): { readonly progress: Progress; send(actor: Actor, message: MessageJson): Promise<void> } {
  const [progress, setProgress] = useState<Progress>({ kind: 'idle' });

  async function follow(actor: Actor, message: MessageJson): Promise<void> {
    if (actor.address === undefined) return;
    const [account, { developmentSigner, encodeAny, encodeDraft, signTransaction }] = await Promise.all([
      readSigner(actor.address),
      import('./signing.ts'),
    ]);
    const signer = actor.id === 'wallet' ? await walletSigner(account.chainId) : developmentSigner(actor.id, actor.address);
    const unsigned = { messages: [await encodeAny(message)], ...account, fee: { amount: [], gas: 0n } };
    const cost = await readCost(encodeDraft(signer.publicKey, unsigned));
    const fee = { amount: cost.amount.map(({ denom, amount }) => ({ denom, amount })), gas: cost.gas };
    const paid = { fee: cost.amount };
    setProgress({ kind: 'signing', ...paid });
    const bytes = await signTransaction(signer, { ...unsigned, fee });
    setProgress({ kind: 'sending', ...paid });
    for await (const { stage, hash, height, final, checkTx, transaction } of stele.submitTx(bytes)) {
      const failure = [transaction, checkTx].find((result) => result != null && result.code !== 0);
      if (!final) setProgress({ kind: 'sending', ...paid, stage, hash, height });
      else if (failure) setProgress({ kind: 'failed', ...paid, stage, hash, height, reason: failureWords(failure) });
      else setProgress({ kind: stage === 'INCLUDED' ? 'done' : 'failed', ...paid, stage, hash, height });
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
