import type { Coin } from '../bank/query.ts';
import { denomOfScope } from '../metadata/address.ts';
import { allowanceSummary } from './cosmos.ts';
import {
  coinFrom,
  enumText,
  join,
  type MessageReader,
  metadataAddressText,
  quote,
  quoteBytes,
  type Summarizer,
  type Summarizers,
  type SummaryContext,
  timeText,
  usdMills,
  verb,
} from './phrases.ts';

const attributeName = (message: MessageReader): string => `the attribute ${message.word('name')} of ${message.word('account')}`;

/** Summaries of the messages of `provenance.attribute.v1`. */
export const attributeSummaries: Summarizers = {
  MsgAddAttributeRequest(message) {
    const expiry = message.optionalWord('expirationDate');
    const expiring = expiry === undefined ? '' : `, expiring at ${timeText(expiry)}`;
    const value = quoteBytes(message.bytes('value'));
    return `${message.word('owner')} adds the attribute ${message.word('name')} with value ${value} to ${message.word('account')}${expiring}`;
  },
  MsgUpdateAttributeRequest: (message) =>
    `${message.word('owner')} changes ${attributeName(message)} from ${quoteBytes(message.bytes('originalValue'))} to ${quoteBytes(message.bytes('updateValue'))}`,
  MsgUpdateAttributeExpirationRequest(message) {
    const expiry = message.optionalWord('expirationDate');
    const value = quoteBytes(message.bytes('value'));
    return `${message.word('owner')} sets ${attributeName(message)} with value ${value} to ${expiry === undefined ? 'never expire' : `expire at ${timeText(expiry)}`}`;
  },
  MsgDeleteAttributeRequest: (message) => `${message.word('owner')} deletes ${attributeName(message)}`,
  MsgDeleteDistinctAttributeRequest: (message) =>
    `${message.word('owner')} deletes ${attributeName(message)} with value ${quoteBytes(message.bytes('value'))}`,
  MsgSetAccountDataRequest(message) {
    const value = message.freeText('value');
    return `${message.word('account')} ${value === '' ? 'clears its account data' : `sets its account data to ${quote(value)}`}`;
  },
  MsgUpdateParamsRequest: (message) => `${message.word('authority')} changes the parameters of the attribute module`,
};

const admin = (message: MessageReader): string => message.word('administrator');
const marker = (message: MessageReader): string => `the marker ${message.word('denom')}`;
const accessText = (access: string): string => enumText(access, 'ACCESS_');

function grants(message: MessageReader, name: string): string {
  return join(
    message
      .parts(name)
      .map((grant) => `${grant.word('address')} ${join(grant.wordList('permissions').map(accessText))} access`),
  );
}

/** A new marker with its supply and price: "the restricted marker of 5000 shareclass". */
async function newMarker(message: MessageReader, { coins }: SummaryContext): Promise<string> {
  const kind = message.word('markerType') === 'MARKER_TYPE_RESTRICTED' ? 'the restricted marker' : 'the marker';
  const supply = `${kind} of ${await coins([coinFrom(message.part('amount'))])}`;
  const mills = message.optionalWord('usdMills');
  if (mills === undefined || mills === '0') return supply;
  const volume = message.optionalWord('volume') ?? '1';
  const { denom } = coinFrom(message.part('amount'));
  const measure = volume === '0' ? '' : ` for ${await coins([{ denom, amount: volume }])}`;
  return `${supply} at ${await coins([usdMills(mills)])}${measure}`;
}

/** Lists net asset values: "10 goldcoin at 1.5 USD and 2 goldcoin at 5000 nhash". `volumeOf` turns a volume into a coin. */
async function netAssetValueSummary(
  values: readonly MessageReader[],
  volumeOf: (volume: string) => Coin,
  { coins }: SummaryContext,
): Promise<string> {
  const texts = values.map(async (value) => {
    const volume = await coins([volumeOf(value.optionalWord('volume') ?? '0')]);
    return `${volume} at ${await coins([coinFrom(value.part('price'))])}`;
  });
  return join(await Promise.all(texts));
}

/** Summaries of the messages of `provenance.marker.v1`. */
export const markerSummaries: Summarizers = {
  MsgAddMarkerRequest: async (message, context) =>
    `${message.word('fromAddress')} proposes ${await newMarker(message, context)}`,
  MsgAddFinalizeActivateMarkerRequest: async (message, context) =>
    `${message.word('fromAddress')} creates ${await newMarker(message, context)}`,
  MsgFinalizeRequest: (message) => `${admin(message)} finalizes ${marker(message)}`,
  MsgActivateRequest: (message) => `${admin(message)} activates ${marker(message)}`,
  MsgCancelRequest: (message) => `${admin(message)} cancels ${marker(message)}`,
  MsgDeleteRequest: (message) => `${admin(message)} deletes ${marker(message)}`,
  async MsgMintRequest(message, { coins }) {
    const recipient = message.optionalWord('recipient');
    const minted = await coins([coinFrom(message.part('amount'))]);
    return `${admin(message)} mints ${minted}${recipient === undefined ? '' : ` for ${recipient}`}`;
  },
  MsgBurnRequest: async (message, { coins }) => `${admin(message)} burns ${await coins([coinFrom(message.part('amount'))])}`,
  MsgAddAccessRequest: (message) => `${admin(message)} grants ${grants(message, 'access')} to ${marker(message)}`,
  MsgDeleteAccessRequest: (message) =>
    `${admin(message)} revokes all access of ${message.word('removedAddress')} to ${marker(message)}`,
  async MsgWithdrawRequest(message, { coins }) {
    const withdrawn = await coins(message.parts('amount').map(coinFrom));
    return `${admin(message)} withdraws ${withdrawn} from ${marker(message)} to ${message.optionalWord('toAddress') ?? admin(message)}`;
  },
  async MsgTransferRequest(message, { coins }) {
    const moved = await coins([coinFrom(message.part('amount'))]);
    const [from, to] = [message.word('fromAddress'), message.word('toAddress')];
    return from === admin(message)
      ? `${from} sends ${moved} to ${to}`
      : `${admin(message)} moves ${moved} from ${from} to ${to}`;
  },
  async MsgIbcTransferRequest(message, { coins }) {
    const transfer = message.part('transfer');
    const moved = await coins([coinFrom(transfer.part('token'))]);
    return `${admin(message)} moves ${moved} from ${transfer.word('sender')} to ${transfer.word('receiver')} on another chain over ${transfer.word('sourceChannel')}`;
  },
  MsgSetDenomMetadataRequest: (message) => `${admin(message)} ${setsDisplayUnit(message)}`,
  MsgSetDenomMetadataProposalRequest: (message) => `${message.word('authority')} ${setsDisplayUnit(message)}`,
  MsgGrantAllowanceRequest: async (message, context) =>
    `${admin(message)} grants ${message.word('grantee')} a fee allowance from ${marker(message)} ${await allowanceSummary(message.part('allowance'), context)}`,
  MsgRevokeGrantAllowanceRequest: (message) =>
    `${admin(message)} revokes the fee allowance of ${message.word('grantee')} from ${marker(message)}`,
  async MsgSupplyIncreaseProposalRequest(message, { coins }) {
    const target = message.optionalWord('targetAddress');
    const more = await coins([coinFrom(message.part('amount'))]);
    return `${message.word('authority')} increases the supply by ${more}${target === undefined ? '' : `, for ${target}`}`;
  },
  MsgSupplyDecreaseProposalRequest: async (message, { coins }) =>
    `${message.word('authority')} decreases the supply by ${await coins([coinFrom(message.part('amount'))])}`,
  MsgUpdateRequiredAttributesRequest(message) {
    const added = message.wordList('addRequiredAttributes').map((name) => `require the attribute ${name}`);
    const removed = message.wordList('removeRequiredAttributes').map((name) => `stop requiring the attribute ${name}`);
    return `${message.word('transferAuthority')} makes ${marker(message)} ${join([...added, ...removed])}`;
  },
  MsgUpdateForcedTransferRequest: (message) =>
    `${message.word('authority')} ${message.flag('allowForcedTransfer') ? 'allows' : 'forbids'} forced transfers of ${message.word('denom')}`,
  MsgSetAccountDataRequest(message) {
    const value = message.freeText('value');
    const what = `the account data of ${marker(message)}`;
    return `${message.word('signer')} ${value === '' ? `clears ${what}` : `sets ${what} to ${quote(value)}`}`;
  },
  MsgUpdateSendDenyListRequest(message) {
    const denied = message.wordList('addDeniedAddresses').map((address) => `forbids ${address}`);
    const freed = message.wordList('removeDeniedAddresses').map((address) => `allows ${address}`);
    return `${message.word('authority')} ${join([...denied, ...freed])} to send ${message.word('denom')}`;
  },
  MsgAddNetAssetValuesRequest: async (message, context) =>
    `${admin(message)} values ${await netAssetValueSummary(message.parts('netAssetValues'), (amount) => ({ denom: message.word('denom'), amount }), context)}`,
  MsgSetAdministratorProposalRequest: (message) =>
    `${message.word('authority')} grants ${grants(message, 'access')} to ${marker(message)}`,
  MsgRemoveAdministratorProposalRequest: (message) =>
    `${message.word('authority')} revokes all access of ${join(message.wordList('removedAddress'))} to ${marker(message)}`,
  MsgChangeStatusProposalRequest: (message) =>
    `${message.word('authority')} makes ${marker(message)} ${enumText(message.word('newStatus'), 'MARKER_STATUS_')}`,
  async MsgWithdrawEscrowProposalRequest(message, { coins }) {
    const withdrawn = await coins(message.parts('amount').map(coinFrom));
    return `${message.word('authority')} withdraws ${withdrawn} from ${marker(message)} to ${message.word('targetAddress')}`;
  },
  MsgUpdateParamsRequest: (message) => `${message.word('authority')} changes the parameters of the marker module`,
};

function setsDisplayUnit(message: MessageReader): string {
  const metadata = message.part('metadata');
  return `sets the display unit of ${metadata.word('base')} to ${metadata.word('display')}`;
}

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
    const objectName = bytes.length === 0 ? `a ${what}` : `the ${what} ${metadataAddressText(bytes)}`;
    return `${signersAnd(message, 'write', 'writes')} ${objectName}`;
  };

const deletes =
  (what: string, id: string): Summarizer =>
  (message) =>
    `${signersAnd(message, 'delete', 'deletes')} the ${what} ${metadataAddressText(message.bytes(id))}`;

/** Summaries of the messages of `provenance.metadata.v1`. */
export const metadataSummaries: Summarizers = {
  async MsgWriteScopeRequest(message, { coins }) {
    const writtenScope = message.part('scope');
    const owner = writtenScope.optionalWord('valueOwnerAddress');
    const mills = message.optionalWord('usdMills');
    const id = writtenScope.bytes('scopeId');
    const scopeName = id.length === 0 ? 'a scope' : `the scope ${metadataAddressText(id)}`;
    const ownedBy = writtenScope.parts('owners').length === 0 ? '' : ` of ${parties(writtenScope, 'owners')}`;
    const worth = mills === undefined || mills === '0' ? '' : `, worth ${await coins([usdMills(mills)])}`;
    return `${signersAnd(message, 'write', 'writes')} ${scopeName}${ownedBy}${owner === undefined ? '' : `, with value owner ${owner}`}${worth}`;
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

function bound(record: MessageReader, name: string): string {
  return `the ${record.flag('restricted') ? 'restricted' : 'unrestricted'} name ${name} to ${record.word('address')}`;
}

/** Summaries of the messages of `provenance.name.v1`. */
export const nameSummaries: Summarizers = {
  MsgBindNameRequest(message) {
    const parent = message.part('parent');
    const record = message.part('record');
    return `${parent.word('address')} binds ${bound(record, `${record.word('name')}.${parent.word('name')}`)}`;
  },
  MsgDeleteNameRequest(message) {
    const record = message.part('record');
    return `${record.word('address')} deletes the name ${record.word('name')}`;
  },
  MsgModifyNameRequest(message) {
    const record = message.part('record');
    return `${message.word('authority')} binds ${bound(record, record.word('name'))}`;
  },
  MsgCreateRootNameRequest(message) {
    const record = message.part('record');
    return `${message.word('authority')} creates the root name ${record.word('name')} for ${record.word('address')}`;
  },
  MsgUpdateParamsRequest: (message) => `${message.word('authority')} changes the parameters of the name module`,
};
