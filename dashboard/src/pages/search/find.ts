import { hasModule } from '../../data/modules.ts';
import { stele } from '../../data/stele.ts';
import { accountOfOperator } from '../../format/addresses.ts';
import {
  FindAddressDocument,
  FindDenomDocument,
  FindNameDocument,
  FindNumberDocument,
  FindTransactionDocument,
} from '../../gen/graphql.ts';

/** Something that a text can mean. */
export interface Found {
  readonly kind: string;
  readonly name: string;
  /** The path of its page. */
  readonly path: string;
}

async function byHash(hash: string): Promise<Found[]> {
  const { data } = await stele.query(FindTransactionDocument, { hash });
  return [
    ...(data.transaction === null
      ? []
      : [{ kind: 'Transaction', name: data.transaction.hash, path: `/transactions/${data.transaction.hash}` }]),
    ...(data.blockByHash === null
      ? []
      : [{ kind: 'Block', name: data.blockByHash.height, path: `/blocks/${data.blockByHash.height}` }]),
  ];
}

async function byNumber(number: string): Promise<Found[]> {
  const { data } = await stele.query(FindNumberDocument, {
    height: number,
    id: number,
    gov: hasModule('gov'),
    group: hasModule('group'),
  });
  // The records are of proposals that the chain has deleted.
  const proposal = data.proposal ?? data.proposalRecord;
  const govProposal = data.govProposal ?? data.govProposalRecord;
  return [
    ...(!proposal ? [] : [{ kind: 'Proposal', name: `${number} ${proposal.title}`, path: `/proposals/${number}` }]),
    ...(!govProposal ? [] : [{ kind: 'Governance proposal', name: `${number} ${govProposal.title}`, path: `/gov/${number}` }]),
    ...(!data.group ? [] : [{ kind: 'Group', name: `${number} ${data.group.metadata}`, path: `/groups/${number}` }]),
    ...(data.block === null ? [] : [{ kind: 'Block', name: number, path: `/blocks/${number}` }]),
  ];
}

async function byAddress(address: string): Promise<Found[]> {
  if (accountOfOperator(address) !== undefined) return [{ kind: 'Validator', name: address, path: `/validators/${address}` }];
  const { data, errors } = await stele.query(FindAddressDocument, {
    address,
    group: hasModule('group'),
    marker: hasModule('marker'),
    wasm: hasModule('wasm'),
  });
  const { account } = data;
  // The error says whether it is of another chain, or of a validator.
  if (account === null && errors?.[0] !== undefined) throw errors[0];
  if (account === null) return [];
  const { groupPolicy, marker, contract } = account;
  // The page of a contract links its account.
  if (contract) return [{ kind: 'Contract', name: contract.label, path: `/contracts/${address}` }];
  return [
    ...(!groupPolicy ? [] : [{ kind: 'Board', name: groupPolicy.metadata || address, path: `/policies/${address}` }]),
    ...(!marker ? [] : [{ kind: 'Token', name: marker.denom, path: `/tokens/${marker.denom}` }]),
    { kind: 'Account', name: address, path: `/accounts/${address}` },
  ];
}

async function byName(text: string): Promise<Found[]> {
  const { data } = await stele.query(FindNameDocument, { text, marker: hasModule('marker'), name: hasModule('name') });
  const hasSupply = data.supplyOf !== null && data.supplyOf.amount !== '0';
  return [
    ...(!data.marker && !hasSupply ? [] : [{ kind: 'Token', name: data.denomMetadata?.name || text, path: `/tokens/${text}` }]),
    ...(!data.name ? [] : [{ kind: 'Account', name: data.name.name, path: `/accounts/${data.name.account.address}` }]),
  ];
}

async function byDenom(text: string): Promise<Found[]> {
  const { data } = await stele.query(FindDenomDocument, { text });
  return data.supplyOf === null || data.supplyOf.amount === '0' ? [] : [{ kind: 'Token', name: text, path: `/tokens/${text}` }];
}

/** Finds what a text means, by its form. Rejects if the server cannot be asked, and for the address of another chain. */
export function find(text: string): Promise<readonly Found[]> {
  const plain = text.trim();
  const number = plain.replaceAll(/[,#\s]/g, '');
  if (/^(0x)?[0-9a-f]{64}$/i.test(plain)) return byHash(plain);
  if (/^[1-9]\d{0,17}$/.test(number)) return byNumber(number);
  if (/^[a-z]{2,16}1[02-9ac-hj-np-z]{38,58}$/.test(plain)) return byAddress(plain);
  return /[/:A-Z]/.test(plain) ? byDenom(plain) : byName(plain.toLowerCase());
}
