import type { Coin } from '../bank/model.ts';
import { allowanceWords } from './feegrant.ts';
import type { Message } from './message.ts';
import { coinIn, dollars, enumWords, join, quote } from './phrases.ts';
import type { Sentences, Teller } from './sentence.ts';

const admin = (message: Message): string => message.text('administrator');
const marker = (message: Message): string => `the marker ${message.text('denom')}`;
const accessWords = (access: string): string => enumWords(access, 'ACCESS_');

function grants(message: Message, name: string): string {
  return join(
    message.parts(name).map((grant) => `${grant.text('address')} ${join(grant.texts('permissions').map(accessWords))} access`),
  );
}

/** What a marker that is being made is: "the restricted marker of 5000 shareclass". */
async function made(message: Message, { coins }: Teller): Promise<string> {
  const kind = message.text('markerType') === 'MARKER_TYPE_RESTRICTED' ? 'the restricted marker' : 'the marker';
  const supply = `${kind} of ${await coins([coinIn(message.part('amount'))])}`;
  const mills = message.maybe('usdMills');
  if (mills === undefined || mills === '0') return supply;
  const volume = message.maybe('volume') ?? '1';
  const { denom } = coinIn(message.part('amount'));
  const measure = volume === '0' ? '' : ` for ${await coins([{ denom, amount: volume }])}`;
  return `${supply} at ${await coins([dollars(mills)])}${measure}`;
}

/** Values as a list: "10 goldcoin at 1.5 USD and 2 goldcoin at 5000 nhash". `of`: what a volume is of. */
export async function valueWords(values: readonly Message[], of: (volume: string) => Coin, { coins }: Teller): Promise<string> {
  const told = values.map(async (value) => {
    const volume = await coins([of(value.maybe('volume') ?? '0')]);
    return `${volume} at ${await coins([coinIn(value.part('price'))])}`;
  });
  return join(await Promise.all(told));
}

/** `provenance.marker.v1`. */
export const markerSentences: Sentences = {
  MsgAddMarkerRequest: async (message, teller) => `${message.text('fromAddress')} proposes ${await made(message, teller)}`,
  MsgAddFinalizeActivateMarkerRequest: async (message, teller) =>
    `${message.text('fromAddress')} creates ${await made(message, teller)}`,
  MsgFinalizeRequest: (message) => `${admin(message)} finalizes ${marker(message)}`,
  MsgActivateRequest: (message) => `${admin(message)} activates ${marker(message)}`,
  MsgCancelRequest: (message) => `${admin(message)} cancels ${marker(message)}`,
  MsgDeleteRequest: (message) => `${admin(message)} deletes ${marker(message)}`,
  async MsgMintRequest(message, { coins }) {
    const recipient = message.maybe('recipient');
    const minted = await coins([coinIn(message.part('amount'))]);
    return `${admin(message)} mints ${minted}${recipient === undefined ? '' : ` for ${recipient}`}`;
  },
  MsgBurnRequest: async (message, { coins }) => `${admin(message)} burns ${await coins([coinIn(message.part('amount'))])}`,
  MsgAddAccessRequest: (message) => `${admin(message)} gives ${grants(message, 'access')} to ${marker(message)}`,
  MsgDeleteAccessRequest: (message) =>
    `${admin(message)} takes all access to ${marker(message)} from ${message.text('removedAddress')}`,
  async MsgWithdrawRequest(message, { coins }) {
    const withdrawn = await coins(message.parts('amount').map(coinIn));
    return `${admin(message)} withdraws ${withdrawn} from ${marker(message)} to ${message.maybe('toAddress') ?? admin(message)}`;
  },
  async MsgTransferRequest(message, { coins }) {
    const moved = await coins([coinIn(message.part('amount'))]);
    const [from, to] = [message.text('fromAddress'), message.text('toAddress')];
    return from === admin(message)
      ? `${from} sends ${moved} to ${to}`
      : `${admin(message)} moves ${moved} from ${from} to ${to}`;
  },
  async MsgIbcTransferRequest(message, { coins }) {
    const transfer = message.part('transfer');
    const moved = await coins([coinIn(transfer.part('token'))]);
    return `${admin(message)} moves ${moved} from ${transfer.text('sender')} to ${transfer.text('receiver')} on another chain, by ${transfer.text('sourceChannel')}`;
  },
  MsgSetDenomMetadataRequest: (message) => `${admin(message)} ${shown(message)}`,
  MsgSetDenomMetadataProposalRequest: (message) => `${message.text('authority')} ${shown(message)}`,
  MsgGrantAllowanceRequest: async (message, teller) =>
    `${admin(message)} lets ${marker(message)} pay fees of ${message.text('grantee')}, ${await allowanceWords(message.part('allowance'), teller)}`,
  MsgRevokeGrantAllowanceRequest: (message) =>
    `${admin(message)} lets ${marker(message)} no longer pay fees of ${message.text('grantee')}`,
  async MsgSupplyIncreaseProposalRequest(message, { coins }) {
    const target = message.maybe('targetAddress');
    const more = await coins([coinIn(message.part('amount'))]);
    return `${message.text('authority')} increases the supply by ${more}${target === undefined ? '' : `, for ${target}`}`;
  },
  MsgSupplyDecreaseProposalRequest: async (message, { coins }) =>
    `${message.text('authority')} decreases the supply by ${await coins([coinIn(message.part('amount'))])}`,
  MsgUpdateRequiredAttributesRequest(message) {
    const added = message.texts('addRequiredAttributes').map((name) => `asks for the attribute ${name}`);
    const removed = message.texts('removeRequiredAttributes').map((name) => `no longer asks for the attribute ${name}`);
    return `${message.text('transferAuthority')} sets that ${marker(message)} ${join([...added, ...removed])}`;
  },
  MsgUpdateForcedTransferRequest: (message) =>
    `${message.text('authority')} ${message.flag('allowForcedTransfer') ? 'allows' : 'forbids'} forced transfers of ${message.text('denom')}`,
  MsgSetAccountDataRequest(message) {
    const value = message.free('value');
    const what = `the account data of ${marker(message)}`;
    return `${message.text('signer')} ${value === '' ? `clears ${what}` : `sets ${what} to ${quote(value)}`}`;
  },
  MsgUpdateSendDenyListRequest(message) {
    const denied = message.texts('addDeniedAddresses').map((address) => `forbids ${address}`);
    const freed = message.texts('removeDeniedAddresses').map((address) => `allows ${address}`);
    return `${message.text('authority')} ${join([...denied, ...freed])} to send ${message.text('denom')}`;
  },
  MsgAddNetAssetValuesRequest: async (message, teller) =>
    `${admin(message)} values ${await valueWords(message.parts('netAssetValues'), (amount) => ({ denom: message.text('denom'), amount }), teller)}`,
  MsgSetAdministratorProposalRequest: (message) =>
    `${message.text('authority')} gives ${grants(message, 'access')} to ${marker(message)}`,
  MsgRemoveAdministratorProposalRequest: (message) =>
    `${message.text('authority')} takes all access to ${marker(message)} from ${join(message.texts('removedAddress'))}`,
  MsgChangeStatusProposalRequest: (message) =>
    `${message.text('authority')} makes ${marker(message)} ${enumWords(message.text('newStatus'), 'MARKER_STATUS_')}`,
  async MsgWithdrawEscrowProposalRequest(message, { coins }) {
    const withdrawn = await coins(message.parts('amount').map(coinIn));
    return `${message.text('authority')} withdraws ${withdrawn} from ${marker(message)} to ${message.text('targetAddress')}`;
  },
  MsgUpdateParamsRequest: (message) => `${message.text('authority')} changes the parameters of the marker module`,
};

/** How a denom is to be shown to people. */
function shown(message: Message): string {
  const metadata = message.part('metadata');
  return `sets that ${metadata.text('base')} is shown as ${metadata.text('display')}`;
}
