import { useState } from 'react';
import type { Message } from '../sign/messages.ts';
import type { SendOptions } from '../sign/send.ts';
import type { Signer } from '../sign/signers.ts';
import type { Fee } from '../sign/transaction.ts';
import type { TransactionUpdate } from '../submit.ts';
import { useStele } from './context.ts';

/** How far a transaction is. */
export interface TransactionProgress {
  /** `preparing`: the account and the fee are read. `signing`: the signer is asked. `done`: a block has it, and it succeeded. */
  readonly status: 'idle' | 'preparing' | 'signing' | 'sending' | 'done' | 'failed';
  /** What the transaction offers. undefined until it is known. */
  readonly fee?: Fee;
  /** The newest step since it was sent. If it failed on the chain, `checkTx` or `transaction` says why. */
  readonly update?: TransactionUpdate;
  /** Why it failed before it was sent, or could not be followed. */
  readonly error?: Error;
}

/** The transactions of a component, one after another. */
export interface TransactionHook extends TransactionProgress {
  /** Signs messages as one transaction, sends it, and follows it to its block. Resolves with the last progress. Never rejects. */
  send(signer: Signer, messages: readonly Message[], options?: SendOptions): Promise<TransactionProgress>;
}

/** Sends transactions. The code that signs is loaded with the first one. */
export function useTransaction(): TransactionHook {
  const client = useStele();
  const [progress, setProgress] = useState<TransactionProgress>({ status: 'idle' });
  return {
    ...progress,
    async send(signer, messages, options = {}) {
      let last: TransactionProgress = { status: 'preparing' };
      const show = (next: TransactionProgress): void => {
        last = next;
        setProgress(next);
      };
      show(last);
      try {
        const { prepareTransaction, signTransaction } = await import('../sign/index.ts');
        const unsigned = await prepareTransaction(client, signer, messages, options);
        const { fee } = unsigned;
        show({ status: 'signing', fee });
        const bytes = await signTransaction(signer, unsigned);
        show({ status: 'sending', fee });
        for await (const update of client.submitTx(bytes, { signal: options.signal })) {
          const isDone = update.stage === 'INCLUDED' && update.transaction?.code === 0;
          show({ status: !update.final ? 'sending' : isDone ? 'done' : 'failed', fee, update });
        }
      } catch (error) {
        show({ ...last, status: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
      }
      return last;
    },
  };
}
