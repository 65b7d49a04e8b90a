import type { Client } from '../client.ts';
import { SteleError } from '../errors.ts';
import { base64, type SubmitOptions, type TransactionUpdate } from '../submit.ts';
import type { Coin, Message } from './messages.ts';
import type { Signer } from './signers.ts';
import { encodeDraft, type Fee, signTransaction, type Unsigned } from './transaction.ts';

/** Reads the account that signs, and the chain. For a manifest of trusted documents. */
export const signerDocument = `query Signer($address: String!) {
  head { chainId }
  account(address: $address) { accountNumber sequence }
}`;

/** Reads what a transaction costs, by a simulation. For a manifest of trusted documents. */
export const costDocument = `query Cost($tx: String!) {
  calculateTxFees(tx: $tx, gasAdjustment: 1.5) { estimatedGas totalFees { denom amount } }
}`;

/** Options of {@link sendMessages}. */
export interface SendOptions extends SubmitOptions {
  readonly memo?: string | undefined;
  /**
   * What the transaction offers. By default, the gas and the fee come from a simulation. A server that does not simulate a message refuses with
   * SIMULATION_DISABLED: pass the fee for it.
   */
  readonly fee?: Fee | undefined;
}

interface SignerData {
  readonly head: { readonly chainId: string } | null;
  readonly account: { readonly accountNumber: string | null; readonly sequence: string | null } | null;
}

interface CostData {
  readonly calculateTxFees: { readonly estimatedGas: string; readonly totalFees: readonly Coin[] } | null;
}

/**
 * Completes a transaction with the account, and the gas and the fee. Rejects with NOT_FOUND if the account has never received anything,
 * and with the code of the simulation if the messages would fail.
 */
export async function prepareTransaction(
  client: Pick<Client, 'query'>,
  { address, publicKey }: Pick<Signer, 'address' | 'publicKey'>,
  messages: readonly Message[],
  { memo = '', fee, signal }: SendOptions = {},
): Promise<Unsigned> {
  const { data, errors } = await client.query<SignerData, { address: string }>(signerDocument, { address }, { signal });
  const { head, account } = data;
  if (head === null || account === null || account.accountNumber === null || account.sequence === null)
    throw errors?.[0] ?? new SteleError('NOT_FOUND', 'The account does not exist on the chain.', { facts: { address } });
  const draft: Unsigned = {
    ...{ messages, memo, chainId: head.chainId, fee: fee ?? { amount: [], gas: 0n } },
    ...{ accountNumber: BigInt(account.accountNumber), sequence: BigInt(account.sequence) },
  };
  if (fee !== undefined) return draft;
  const tx = base64(encodeDraft(publicKey, draft));
  const cost = await client.query<CostData, { tx: string }>(costDocument, { tx }, { signal });
  if (cost.data.calculateTxFees === null)
    throw cost.errors?.[0] ?? new SteleError('INTERNAL_SERVER_ERROR', 'The cost of the transaction cannot be read.');
  const { estimatedGas, totalFees } = cost.data.calculateTxFees;
  return { ...draft, fee: { amount: totalFees.map(({ denom, amount }) => ({ denom, amount })), gas: BigInt(estimatedGas) } };
}

/**
 * Signs messages and sends them as one transaction, then follows it to its block: the account, the gas and the fee are read first. Fails as
 * {@link prepareTransaction} does, and with the error of the signer if its owner refuses.
 */
export async function* sendMessages(
  client: Pick<Client, 'query' | 'submitTx'>,
  signer: Signer,
  messages: readonly Message[],
  options: SendOptions = {},
): AsyncGenerator<TransactionUpdate> {
  const bytes = await signTransaction(signer, await prepareTransaction(client, signer, messages, options));
  yield* client.submitTx(bytes, { signal: options.signal });
}
