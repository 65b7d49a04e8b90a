import { expect } from 'vitest';
import type { Fact, RecordedTally } from '../../../../src/archive/facts.ts';
import { proposalExecutorResults, proposalStatuses, voteOptions } from '../../../../src/modules/group/model.ts';

const short = (name: string | undefined, prefix: string): string => (name ?? '?').replace(prefix, '');
const counts = (tally: RecordedTally | null): string =>
  tally === null ? 'none' : [tally.yesCount, tally.abstainCount, tally.noCount, tally.noWithVetoCount].join('/');

/**
 * Prints a fact with all its fields: `height.order hash what …`. `nameOf` names accounts. The hash is cut to eight digits; `-` stands for a null. Of
 * messages the types are printed, of times the distance to `submitTime`.
 */
export function factText(fact: Fact, nameOf: (address: string) => string): string {
  const account = (address: string | null): string => (address === null ? '-' : nameOf(address));
  const place = 'at' in fact ? fact.at : fact.kind === 'proposal' ? fact.submitted : null;
  const at =
    place === null
      ? 'earlier'
      : place.height === null
        ? `earlier ${place.time}`
        : `${place.height}.${place.order} ${place.hash?.slice(0, 8) ?? '-'}`;
  switch (fact.kind) {
    case 'group': {
      const members = fact.members?.map(
        ({ address, weight, metadata }) => `${nameOf(address)}=${weight}${metadata && ` ${metadata}`}`,
      );
      return `${at} group ${fact.groupId}/${fact.version} ${fact.change} by ${account(fact.account)}, admin ${nameOf(fact.admin)}, "${fact.metadata}", ${fact.totalWeight}: ${members?.join(' ') ?? '-'}`;
    }
    case 'policy':
      return `${at} policy ${nameOf(fact.address)}/${fact.version} of ${fact.groupId} ${fact.change} by ${account(fact.account)}, admin ${nameOf(fact.admin)}, "${fact.metadata}", ${fact.decisionPolicy.type.split('.').at(-1)} ${fact.decisionPolicy.value.length}`;
    case 'proposal': {
      const types = fact.messages.map(({ type }) => type.split('.').at(-1));
      const times = `${fact.votingPeriodEnd - fact.submitTime}ns${place !== null && place.time === fact.submitTime ? '' : ' at another time'}`;
      return `${at} proposal ${nameOf(fact.groupPolicyAddress)}/${fact.groupPolicyVersion} of ${fact.groupId}/${fact.groupVersion} by ${fact.proposers.map(nameOf).join()}, "${fact.title}" "${fact.summary}" "${fact.metadata}" [${types.join()}] ${times}`;
    }
    case 'vote':
      return `${at} vote of ${nameOf(fact.voter)} ${short(voteOptions[fact.option], 'VOTE_OPTION_')} "${fact.metadata}" ${fact.origin}`;
    case 'execution':
      return `${at} execution by ${account(fact.executor)} ${short(proposalExecutorResults[fact.result], 'PROPOSAL_EXECUTOR_RESULT_')} "${fact.logs}"`;
    case 'close':
      return `${at} close ${fact.by} by ${account(fact.account)} ${short(proposalStatuses[fact.status], 'PROPOSAL_STATUS_')} ${counts(fact.tally)} computed ${counts(fact.computed)} group ${fact.groupVersion} policy ${fact.policyVersion} total ${fact.totalWeight}`;
    case 'prune':
      return `${at} prune ${short(proposalStatuses[fact.status], 'PROPOSAL_STATUS_')}`;
    case 'unexplained':
      return `${at} unexplained ${fact.what} ${fact.proposalId}`;
    default:
      return expect.fail(`${fact.kind} is not a fact of groups`);
  }
}

/** Prints the facts of a proposal, in their order. */
export function lifeTexts(facts: readonly Fact[], id: string, nameOf: (address: string) => string): string[] {
  return facts
    .filter((fact) => String(fact.kind === 'proposal' ? fact.id : 'proposalId' in fact ? fact.proposalId : '') === id)
    .map((fact) => factText(fact, nameOf));
}

/** Prints the versions of groups and policies, in their order. */
export function versionTexts(facts: readonly Fact[], nameOf: (address: string) => string): string[] {
  return facts.filter(({ kind }) => kind === 'group' || kind === 'policy').map((fact) => factText(fact, nameOf));
}
