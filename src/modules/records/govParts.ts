import type { RecordedTally } from '../../archive/facts.ts';
import type { GovProposalRecord, GovStepRecord, GovVoteRecord } from '../../archive/govRecords.ts';
import { decimal, decimalText } from '../../reads/decimal.ts';
import type { GovAudit, GovRound } from './govRefs.ts';

const stepOf = ({ steps }: GovProposalRecord, name: GovStepRecord['step']): GovStepRecord | null =>
  steps.find(({ step }) => step === name) ?? null;

/** The step with which the first voting period began; null before. */
export const votingBegan = (record: GovProposalRecord): GovStepRecord | null => stepOf(record, 'VOTING_BEGAN');

/** The step that began the present or the last voting period. */
export const votingOf = (record: GovProposalRecord): GovStepRecord | null =>
  stepOf(record, 'BECAME_REGULAR') ?? votingBegan(record);

/** The voting periods of a proposal: two for an expedited one that became a regular one. */
export function roundsOf(record: GovProposalRecord): readonly GovRound[] {
  const conversion = stepOf(record, 'BECAME_REGULAR');
  if (conversion !== null)
    return [
      { number: 1, end: conversion },
      { number: 2, end: record.end },
    ];
  return votingBegan(record) === null ? [] : [{ number: 1, end: record.end }];
}

/** The tally of the chain at a step beside the computed one; null if there is nothing to compare. */
export function auditOf(step: GovStepRecord | null): GovAudit | null {
  if (step === null || step.tally === null || step.computed === null) return null;
  return { chain: step.tally, computed: step.computed };
}

const counts = ['yesCount', 'abstainCount', 'noCount', 'noWithVetoCount'] as const satisfies readonly (keyof RecordedTally)[];

/** Whether both tallies are equal. */
export const auditAgrees = ({ chain, computed }: GovAudit): boolean => counts.every((name) => chain[name] === computed[name]);

const textOf = (power: string | null): string | null => power && decimalText(decimal(power));

/** The power of a vote in base units: the whole of it, and its two parts. Null if it is not known. */
export function powersOf({ delegated, validator }: GovVoteRecord) {
  return {
    power: delegated === null ? null : decimalText(decimal(delegated).plus(decimal(validator ?? '0'))),
    delegatedPower: textOf(delegated),
    validatorPower: textOf(validator),
  };
}
