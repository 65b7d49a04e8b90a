import type { Coin } from '../bank/query.ts';
import { allowanceSummary } from './feegrant.ts';
import type { MessageReader } from './message.ts';
import { coinFrom, enumText, join, quote, usdMills } from './phrases.ts';
import type { Summarizers, SummaryContext } from './summarizer.ts';

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
export async function netAssetValueSummary(
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

/** The predicate of the messages that set denom metadata. */
function setsDisplayUnit(message: MessageReader): string {
  const metadata = message.part('metadata');
  return `sets the display unit of ${metadata.word('base')} to ${metadata.word('display')}`;
}
