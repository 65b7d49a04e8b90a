import type { Event } from '../../chain/base/execution.ts';
import { eventFields } from '../events/events.ts';

/**
 * Sentences about what the state has afterwards, by the type of an event. A name in braces stands for a field of the event. Movements of coins are not
 * among them: they are transfers and balances.
 */
const sentences: Readonly<Record<string, string>> = {
  'cosmos.authz.v1beta1.EventGrant': '{grantee} may send {msgTypeUrl} for {granter}',
  'cosmos.authz.v1beta1.EventRevoke': '{grantee} may not send {msgTypeUrl} for {granter} any more',
  'cosmos.group.v1.EventCreateGroup': 'group {groupId} exists',
  'cosmos.group.v1.EventCreateGroupPolicy': 'the group policy {address} exists',
  'cosmos.group.v1.EventLeaveGroup': '{address} is no member of group {groupId} any more',
  'cosmos.group.v1.EventSubmitProposal': 'group proposal {proposalId} is submitted',
  'cosmos.group.v1.EventUpdateGroup': 'group {groupId} is changed',
  'cosmos.group.v1.EventUpdateGroupPolicy': 'the group policy {address} is changed',
  'cosmos.group.v1.EventVote': 'group proposal {proposalId} has another vote',
  'cosmos.group.v1.EventWithdrawProposal': 'group proposal {proposalId} is withdrawn',
  delegate: '{delegator} has delegated {amount} to {validator}',
  unbond: '{delegator} has begun to undelegate {amount} from {validator}',
  redelegate: '{amount} are redelegated from {sourceValidator} to {destinationValidator}',
  set_feegrant: '{granter} pays fees of {grantee}',
  revoke_feegrant: '{granter} does not pay fees of {grantee} any more',
  submit_proposal: 'governance proposal {proposalId} is submitted',
  proposal_vote: 'governance proposal {proposalId} has the vote of {voter}',
  execute: 'the contract {_contractAddress} is executed',
  instantiate: 'the contract {_contractAddress} exists',
  migrate: 'the contract {_contractAddress} has code {codeId}',
  store_code: 'code {codeId} is stored',
  'provenance.attribute.v1.EventAttributeAdd': '{account} has the attribute {name}',
  'provenance.attribute.v1.EventAttributeDelete': '{account} has no attribute {name} any more',
  'provenance.attribute.v1.EventAttributeDistinctDelete': '{account} has the attribute {name} with one value less',
  'provenance.attribute.v1.EventAttributeUpdate': 'the attribute {name} of {account} has another value',
  'provenance.exchange.v1.EventFundsCommitted': '{account} has committed {amount} to market {marketId}',
  'provenance.exchange.v1.EventOrderCancelled': 'order {orderId} is cancelled',
  'provenance.exchange.v1.EventOrderCreated': 'order {orderId} exists in market {marketId}',
  'provenance.hold.v1.EventHoldAdded': '{amount} of {address} are held',
  'provenance.hold.v1.EventHoldReleased': '{amount} of {address} are not held any more',
  'provenance.marker.v1.EventMarkerActivate': 'the marker {denom} is active',
  'provenance.marker.v1.EventMarkerAdd': 'the marker {denom} exists with a supply of {amount}',
  'provenance.marker.v1.EventMarkerAddAccess': 'the marker {denom} has another access',
  'provenance.marker.v1.EventMarkerBurn': '{amount} {denom} are burned',
  'provenance.marker.v1.EventMarkerCancel': 'the marker {denom} is cancelled',
  'provenance.marker.v1.EventMarkerDelete': 'the marker {denom} is deleted',
  'provenance.marker.v1.EventMarkerDeleteAccess': '{removeAddress} has no access to the marker {denom} any more',
  'provenance.marker.v1.EventMarkerFinalize': 'the marker {denom} is finalized',
  'provenance.marker.v1.EventMarkerMint': '{amount} {denom} are minted',
  'provenance.marker.v1.EventMarkerSetDenomMetadata': 'the denom {metadataBase} has other metadata',
  'provenance.marker.v1.EventSetNetAssetValue': 'a net asset value of {denom} is {price} for {volume}',
  'provenance.metadata.v1.EventContractSpecificationCreated': 'the contract specification {contractSpecificationAddr} exists',
  'provenance.metadata.v1.EventRecordCreated': 'the record {recordAddr} exists',
  'provenance.metadata.v1.EventRecordDeleted': 'the record {recordAddr} is deleted',
  'provenance.metadata.v1.EventRecordUpdated': 'the record {recordAddr} is changed',
  'provenance.metadata.v1.EventScopeCreated': 'the scope {scopeAddr} exists',
  'provenance.metadata.v1.EventScopeDeleted': 'the scope {scopeAddr} is deleted',
  'provenance.metadata.v1.EventScopeSpecificationCreated': 'the scope specification {scopeSpecificationAddr} exists',
  'provenance.metadata.v1.EventScopeUpdated': 'the scope {scopeAddr} is changed',
  'provenance.metadata.v1.EventSessionCreated': 'the session {sessionAddr} exists',
  'provenance.metadata.v1.EventSessionUpdated': 'the session {sessionAddr} is changed',
  'provenance.name.v1.EventNameBound': 'the name {name} belongs to {address}',
  'provenance.name.v1.EventNameUnbound': 'the name {name} is free',
  'provenance.name.v1.EventNameUpdate': 'the name {name} belongs to {address}',
};

const camel = (name: string): string => name.replace(/(?<=.)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The fields of an event of either kind as text. */
function textsOf(event: Event): ReadonlyMap<string, string> {
  const typed = eventFields(event);
  const entries: readonly (readonly [string, unknown])[] =
    typed === null ? event.attributes.map(({ key, value }) => [camel(key), value]) : Object.entries(typed);
  return new Map(entries.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]));
}

/** What the state has after these events, in sentences without a final period, each once. An event that lacks a field of its sentence is left out. */
export function changesInWords(events: readonly Event[]): readonly string[] {
  const changes = new Set<string>();
  for (const event of events) {
    const sentence = sentences[event.type];
    if (sentence === undefined) continue;
    const texts = textsOf(event);
    let isComplete = true;
    const text = sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = texts.get(name) ?? '';
      if (value === '') isComplete = false;
      return value.slice(0, 200);
    });
    if (isComplete) changes.add(text);
  }
  return [...changes];
}
