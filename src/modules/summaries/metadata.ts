import { denomOfScope } from '../metadata/address.ts';
import { netAssetValueSummary } from './marker.ts';
import type { MessageReader } from './message.ts';
import { join, metadataAddressText, quote, usdMills, verb } from './phrases.ts';
import type { Summarizer, Summarizers } from './summarizer.ts';

/** The signers and their verb: "a writes", "a and b write". */
function signersAnd(message: MessageReader, plural: string, singular: string): string {
  const signers = message.wordList('signers');
  return `${join(signers)} ${verb(signers, plural, singular)}`;
}

const scope = (message: MessageReader): string => `the scope ${metadataAddressText(message.bytes('scopeId'))}`;
const parties = (message: MessageReader, name: string): string =>
  join(message.parts(name).map((party) => party.word('address')));

/** Summarizes the writing of an object. Names the object by its id, or only by its kind if the message has a UUID instead. */
const writes =
  (what: string, member: string, id: string): Summarizer =>
  (message) => {
    const bytes = message.part(member).bytes(id);
    const named = bytes.length === 0 ? `a ${what}` : `the ${what} ${metadataAddressText(bytes)}`;
    return `${signersAnd(message, 'write', 'writes')} ${named}`;
  };

const deletes =
  (what: string, id: string): Summarizer =>
  (message) =>
    `${signersAnd(message, 'delete', 'deletes')} the ${what} ${metadataAddressText(message.bytes(id))}`;

/** Summaries of the messages of `provenance.metadata.v1`. */
export const metadataSummaries: Summarizers = {
  async MsgWriteScopeRequest(message, { coins }) {
    const written = message.part('scope');
    const owner = written.optionalWord('valueOwnerAddress');
    const mills = message.optionalWord('usdMills');
    const id = written.bytes('scopeId');
    const named = id.length === 0 ? 'a scope' : `the scope ${metadataAddressText(id)}`;
    const ownedBy = written.parts('owners').length === 0 ? '' : ` of ${parties(written, 'owners')}`;
    const worth = mills === undefined || mills === '0' ? '' : `, worth ${await coins([usdMills(mills)])}`;
    return `${signersAnd(message, 'write', 'writes')} ${named}${ownedBy}${owner === undefined ? '' : `, with value owner ${owner}`}${worth}`;
  },
  MsgDeleteScopeRequest: deletes('scope', 'scopeId'),
  MsgAddScopeDataAccessRequest: (message) =>
    `${signersAnd(message, 'grant', 'grants')} ${join(message.wordList('dataAccess'))} access to the data of ${scope(message)}`,
  MsgDeleteScopeDataAccessRequest: (message) =>
    `${signersAnd(message, 'revoke', 'revokes')} access to the data of ${scope(message)} from ${join(message.wordList('dataAccess'))}`,
  MsgAddScopeOwnerRequest: (message) =>
    `${signersAnd(message, 'make', 'makes')} ${parties(message, 'owners')} owners of ${scope(message)}`,
  MsgDeleteScopeOwnerRequest: (message) =>
    `${signersAnd(message, 'remove', 'removes')} ${join(message.wordList('owners'))} as owners of ${scope(message)}`,
  MsgUpdateValueOwnersRequest: (message) =>
    `${signersAnd(message, 'make', 'makes')} ${message.word('valueOwnerAddress')} the value owner of ${join(message.bytesList('scopeIds').map(metadataAddressText))}`,
  MsgMigrateValueOwnerRequest: (message) =>
    `${signersAnd(message, 'make', 'makes')} ${message.word('proposed')} the value owner of all scopes of ${message.word('existing')}`,
  MsgWriteSessionRequest: writes('session', 'session', 'sessionId'),
  MsgWriteRecordRequest: (message) =>
    `${signersAnd(message, 'write', 'writes')} the record ${quote(message.part('record').freeText('name'))}`,
  MsgDeleteRecordRequest: deletes('record', 'recordId'),
  MsgWriteScopeSpecificationRequest: writes('scope specification', 'specification', 'specificationId'),
  MsgDeleteScopeSpecificationRequest: deletes('scope specification', 'specificationId'),
  MsgWriteContractSpecificationRequest: writes('contract specification', 'specification', 'specificationId'),
  MsgDeleteContractSpecificationRequest: deletes('contract specification', 'specificationId'),
  MsgAddContractSpecToScopeSpecRequest: (message) =>
    `${signersAnd(message, 'add', 'adds')} the contract specification ${metadataAddressText(message.bytes('contractSpecificationId'))} to the scope specification ${metadataAddressText(message.bytes('scopeSpecificationId'))}`,
  MsgDeleteContractSpecFromScopeSpecRequest: (message) =>
    `${signersAnd(message, 'remove', 'removes')} the contract specification ${metadataAddressText(message.bytes('contractSpecificationId'))} from the scope specification ${metadataAddressText(message.bytes('scopeSpecificationId'))}`,
  MsgWriteRecordSpecificationRequest: writes('record specification', 'specification', 'specificationId'),
  MsgDeleteRecordSpecificationRequest: deletes('record specification', 'specificationId'),
  MsgBindOSLocatorRequest: (message) => `${objectStore(message, 'sets its object store to')}`,
  MsgModifyOSLocatorRequest: (message) => `${objectStore(message, 'changes its object store to')}`,
  MsgDeleteOSLocatorRequest: (message) => `${objectStore(message, 'removes its object store')}`,
  MsgSetAccountDataRequest(message) {
    const value = message.freeText('value');
    const what = `the account data of ${metadataAddressText(message.bytes('metadataAddr'))}`;
    return value === ''
      ? `${signersAnd(message, 'clear', 'clears')} ${what}`
      : `${signersAnd(message, 'set', 'sets')} ${what} to ${quote(value)}`;
  },
  async MsgAddNetAssetValuesRequest(message, context) {
    const denom = denomOfScope(message.word('scopeId'));
    // The volume of a scope is always 1, whatever the message says.
    const values = await netAssetValueSummary(message.parts('netAssetValues'), () => ({ denom, amount: '1' }), context);
    return `${signersAnd(message, 'value', 'values')} ${values}`;
  },
};

function objectStore(message: MessageReader, predicate: string): string {
  const locator = message.part('locator');
  return `${locator.word('owner')} ${predicate} ${quote(locator.freeText('locatorUri'))}`;
}
