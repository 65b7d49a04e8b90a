import { sha256 } from '@noble/hashes/sha2.js';
import { bech32 } from '@scure/base';
import type { GovStep, RecordedOption } from '../../../archive/facts.ts';
import type { Event } from '../../../chain/base/execution.ts';
import { canonicalDecimal } from '../../../reads/decimal.ts';
import { type Coin, coinsOfText } from '../../bank/query.ts';

/** An event of the governance module (docs/chain.md, "Events of the governance module"). */
export type GovEvent =
  | { readonly kind: 'submitted'; readonly id: bigint; readonly proposer: string }
  | { readonly kind: 'votingBegan'; readonly id: bigint }
  | { readonly kind: 'deposited'; readonly id: bigint; readonly depositor: string; readonly amount: readonly Coin[] }
  | { readonly kind: 'voted'; readonly id: bigint; readonly voter: string; readonly options: readonly RecordedOption[] }
  | { readonly kind: 'cancelled'; readonly id: bigint; readonly account: string }
  | { readonly kind: 'ended'; readonly id: bigint; readonly step: GovStep; readonly log: string }
  /** The module burnt coins: deposits, which its next event is about. */
  | { readonly kind: 'burnt' };

const results: Readonly<Record<string, GovStep>> = {
  proposal_passed: 'PASSED',
  proposal_rejected: 'REJECTED',
  proposal_failed: 'FAILED',
  expedited_proposal_rejected: 'BECAME_REGULAR',
  proposal_dropped: 'DROPPED',
};

/** The first 20 bytes of the hash of its name are the address of a module. */
const moduleAddress = Buffer.from(sha256(Buffer.from('gov')).subarray(0, 20));

function isModule(address: string | undefined): boolean {
  const decoded = bech32.decodeUnsafe(address ?? '');
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  return bytes instanceof Uint8Array && moduleAddress.equals(bytes);
}

/** The options in the attribute of a vote; none if it has another form. */
function optionsIn(text: string): readonly RecordedOption[] {
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return [];
    return list.flatMap((item: unknown): readonly RecordedOption[] => {
      if (typeof item !== 'object' || item === null || !('option' in item) || !('weight' in item)) return [];
      const weight = canonicalDecimal(String(item.weight));
      return /^\d+(\.\d{1,18})?$/.test(weight) ? [{ option: Number(item.option), weight }] : [];
    });
  } catch {
    return [];
  }
}

/** What an event says; null if it is not of the governance module. */
export function govEventOf({ type, attributes }: Event): GovEvent | null {
  if (!/^(submit_proposal|proposal_(deposit|vote)|cancel_proposal|(in)?active_proposal|burn)$/.test(type)) return null;
  const attribute = (name: string): string => attributes.find(({ key }) => key === name)?.value ?? '';
  if (type === 'burn') return isModule(attribute('burner')) ? { kind: 'burnt' } : null;
  const began = attribute('voting_period_start');
  const text = began || attribute('proposal_id');
  if (!/^\d{1,20}$/.test(text)) return null;
  const id = BigInt(text);
  if (began !== '') return { kind: 'votingBegan', id };
  switch (type) {
    case 'submit_proposal':
      return { kind: 'submitted', id, proposer: attribute('proposal_proposer') };
    case 'proposal_deposit':
      return { kind: 'deposited', id, depositor: attribute('depositor'), amount: coinsOfText(attribute('amount')) ?? [] };
    case 'proposal_vote':
      return { kind: 'voted', id, voter: attribute('voter'), options: optionsIn(attribute('option')) };
    case 'cancel_proposal':
      return { kind: 'cancelled', id, account: attribute('sender') };
    default: {
      const step = results[attribute('proposal_result')];
      return step === undefined ? null : { kind: 'ended', id, step, log: attribute('proposal_log') };
    }
  }
}

/** Whether an event of a block comes from its beginning, before the transactions. */
export const isOfBeginning = ({ attributes }: Event): boolean =>
  attributes.some(({ key, value }) => key === 'mode' && value === 'BeginBlock');
