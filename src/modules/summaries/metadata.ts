import { denomOfScope } from '../metadata/address.ts';
import { valueWords } from './marker.ts';
import type { Message } from './message.ts';
import { dollars, join, metadataWords, quote, verb } from './phrases.ts';
import type { Sentence, Sentences } from './sentence.ts';

/** Those who sign, and what they do: "a writes", "a and b write". */
function doing(message: Message, plural: string, singular: string): string {
  const signers = message.texts('signers');
  return `${join(signers)} ${verb(signers, plural, singular)}`;
}

const scope = (message: Message): string => `the scope ${metadataWords(message.bytes('scopeId'))}`;
const parties = (message: Message, name: string): string => join(message.parts(name).map((party) => party.text('address')));

/** A thing that is written: named by its id, or by what it is where a UUID of the message stands for that. */
const writes =
  (what: string, member: string, id: string): Sentence =>
  (message) => {
    const bytes = message.part(member).bytes(id);
    const named = bytes.length === 0 ? `a ${what}` : `the ${what} ${metadataWords(bytes)}`;
    return `${doing(message, 'write', 'writes')} ${named}`;
  };

const deletes =
  (what: string, id: string): Sentence =>
  (message) =>
    `${doing(message, 'delete', 'deletes')} the ${what} ${metadataWords(message.bytes(id))}`;

/** `provenance.metadata.v1`. */
export const metadataSentences: Sentences = {
  async MsgWriteScopeRequest(message, { coins }) {
    const written = message.part('scope');
    const owner = written.maybe('valueOwnerAddress');
    const mills = message.maybe('usdMills');
    const id = written.bytes('scopeId');
    const named = id.length === 0 ? 'a scope' : `the scope ${metadataWords(id)}`;
    const ownedBy = written.parts('owners').length === 0 ? '' : ` of ${parties(written, 'owners')}`;
    const worth = mills === undefined || mills === '0' ? '' : `, worth ${await coins([dollars(mills)])}`;
    return `${doing(message, 'write', 'writes')} ${named}${ownedBy}${owner === undefined ? '' : `, with value owner ${owner}`}${worth}`;
  },
  MsgDeleteScopeRequest: deletes('scope', 'scopeId'),
  MsgAddScopeDataAccessRequest: (message) =>
    `${doing(message, 'give', 'gives')} ${join(message.texts('dataAccess'))} access to the data of ${scope(message)}`,
  MsgDeleteScopeDataAccessRequest: (message) =>
    `${doing(message, 'take', 'takes')} access to the data of ${scope(message)} from ${join(message.texts('dataAccess'))}`,
  MsgAddScopeOwnerRequest: (message) =>
    `${doing(message, 'make', 'makes')} ${parties(message, 'owners')} owners of ${scope(message)}`,
  MsgDeleteScopeOwnerRequest: (message) =>
    `${doing(message, 'remove', 'removes')} ${join(message.texts('owners'))} as owners of ${scope(message)}`,
  MsgUpdateValueOwnersRequest: (message) =>
    `${doing(message, 'make', 'makes')} ${message.text('valueOwnerAddress')} the value owner of ${join(message.bytesList('scopeIds').map(metadataWords))}`,
  MsgMigrateValueOwnerRequest: (message) =>
    `${doing(message, 'make', 'makes')} ${message.text('proposed')} the value owner of all scopes of ${message.text('existing')}`,
  MsgWriteSessionRequest: writes('session', 'session', 'sessionId'),
  MsgWriteRecordRequest: (message) =>
    `${doing(message, 'write', 'writes')} the record ${quote(message.part('record').free('name'))}`,
  MsgDeleteRecordRequest: deletes('record', 'recordId'),
  MsgWriteScopeSpecificationRequest: writes('scope specification', 'specification', 'specificationId'),
  MsgDeleteScopeSpecificationRequest: deletes('scope specification', 'specificationId'),
  MsgWriteContractSpecificationRequest: writes('contract specification', 'specification', 'specificationId'),
  MsgDeleteContractSpecificationRequest: deletes('contract specification', 'specificationId'),
  MsgAddContractSpecToScopeSpecRequest: (message) =>
    `${doing(message, 'add', 'adds')} the contract specification ${metadataWords(message.bytes('contractSpecificationId'))} to the scope specification ${metadataWords(message.bytes('scopeSpecificationId'))}`,
  MsgDeleteContractSpecFromScopeSpecRequest: (message) =>
    `${doing(message, 'remove', 'removes')} the contract specification ${metadataWords(message.bytes('contractSpecificationId'))} from the scope specification ${metadataWords(message.bytes('scopeSpecificationId'))}`,
  MsgWriteRecordSpecificationRequest: writes('record specification', 'specification', 'specificationId'),
  MsgDeleteRecordSpecificationRequest: deletes('record specification', 'specificationId'),
  MsgBindOSLocatorRequest: (message) => `${located(message, 'keeps its objects at')}`,
  MsgModifyOSLocatorRequest: (message) => `${located(message, 'now keeps its objects at')}`,
  MsgDeleteOSLocatorRequest: (message) => `${located(message, 'no longer keeps its objects at')}`,
  MsgSetAccountDataRequest(message) {
    const value = message.free('value');
    const what = `the account data of ${metadataWords(message.bytes('metadataAddr'))}`;
    return value === ''
      ? `${doing(message, 'clear', 'clears')} ${what}`
      : `${doing(message, 'set', 'sets')} ${what} to ${quote(value)}`;
  },
  async MsgAddNetAssetValuesRequest(message, teller) {
    const denom = denomOfScope(message.text('scopeId'));
    // A scope is one whole thing, whatever volume is written.
    const values = await valueWords(message.parts('netAssetValues'), () => ({ denom, amount: '1' }), teller);
    return `${doing(message, 'value', 'values')} ${values}`;
  },
};

function located(message: Message, does: string): string {
  const locator = message.part('locator');
  return `${locator.text('owner')} ${does} ${quote(locator.free('locatorUri'))}`;
}
