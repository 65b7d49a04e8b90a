import type { JsonValue } from '../../chain/wire/json.ts';
import type { MessageReader } from './message.ts';
import { coinFrom, count, join, quote } from './phrases.ts';
import type { Summarizers, SummaryContext } from './summarizer.ts';

const code = (message: MessageReader): string => `code ${message.word('codeId')}`;

/** Members of the arguments of a call that are listed one by one. */
const argumentsMax = 6;

/** The arguments of a call, as the end of a sentence: `: recipient “tp1…” and amount “5”`. Empty if it has none. */
function argumentsText(value: JsonValue): string {
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) return '';
  if (typeof value !== 'object' || Array.isArray(value)) return `: ${quote(JSON.stringify(value))}`;
  const each = Object.entries(value).map(([name, inner]) => {
    const text = typeof inner === 'string' ? inner : JSON.stringify(inner ?? null);
    return `${/^\w{1,40}$/.test(name) ? name : quote(name)} ${quote(text)}`;
  });
  return `: ${join(each, argumentsMax)}`;
}

/**
 * The call in the message of a contract: its name and its arguments. By convention, the message is an object with one member, whose name is
 * that of the call. undefined for a message of any other form.
 */
function callIn(value: JsonValue): { readonly name: string; readonly input: string } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) return undefined;
  return { name: entry[0], input: argumentsText(entry[1] ?? null) };
}

/** `the contract X`, with the call that the message makes, and its arguments: `“transfer” of the contract X`, `: amount “5”`. */
function call(message: MessageReader): readonly [what: string, input: string] {
  const contract = `the contract ${message.word('contract')}`;
  const found = callIn(message.json('msg'));
  return found === undefined ? [contract, ''] : [`${quote(found.name)} of ${contract}`, found.input];
}

/** The message that a new or migrated contract receives, as the end of a sentence. */
function input(message: MessageReader): string {
  const value = message.json('msg');
  return typeof value === 'object' ? argumentsText(value) : '';
}

/** The coins that a message sends with it, as a part of a sentence. */
async function funds(message: MessageReader, { coins }: SummaryContext): Promise<string> {
  const sent = message.parts('funds');
  return sent.length === 0 ? '' : `, with ${await coins(sent.map(coinFrom))}`;
}

const instantiates = async (message: MessageReader, context: SummaryContext): Promise<string> =>
  `${message.word('sender')} creates the contract ${quote(message.freeText('label'))} from ${code(message)}${await funds(message, context)}${input(message)}`;

const size = (message: MessageReader): string => count(message.bytes('wasmByteCode').length, 'byte');

/** Summaries of the messages of `cosmwasm.wasm.v1`. */
export const wasmSummaries: Summarizers = {
  MsgStoreCode: (message) => `${message.word('sender')} stores the code of a contract, ${size(message)}`,
  MsgInstantiateContract: instantiates,
  MsgInstantiateContract2: instantiates,
  async MsgExecuteContract(message, context) {
    const [what, given] = call(message);
    return `${message.word('sender')} executes ${what}${await funds(message, context)}${given}`;
  },
  MsgMigrateContract: (message) =>
    `${message.word('sender')} migrates the contract ${message.word('contract')} to ${code(message)}${input(message)}`,
  MsgUpdateAdmin: (message) =>
    `${message.word('sender')} makes ${message.word('newAdmin')} the administrator of the contract ${message.word('contract')}`,
  MsgClearAdmin: (message) => `${message.word('sender')} removes the administrator of the contract ${message.word('contract')}`,
  MsgUpdateInstantiateConfig: (message) => `${message.word('sender')} changes who can create contracts from ${code(message)}`,
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the wasm module`,
  MsgSudoContract(message) {
    const [what, given] = call(message);
    return `${message.word('authority')} executes ${what} with the rights of the chain${given}`;
  },
  MsgPinCodes: (message) => `${message.word('authority')} pins the codes ${join(message.wordList('codeIds'))}`,
  MsgUnpinCodes: (message) => `${message.word('authority')} unpins the codes ${join(message.wordList('codeIds'))}`,
  MsgStoreAndInstantiateContract: async (message, context) =>
    `${message.word('authority')} stores the code of a contract, ${size(message)}, and creates the contract ${quote(message.freeText('label'))} from it${await funds(message, context)}${input(message)}`,
  MsgRemoveCodeUploadParamsAddresses: (message) =>
    `${message.word('authority')} forbids ${join(message.wordList('addresses'))} to store code`,
  MsgAddCodeUploadParamsAddresses: (message) =>
    `${message.word('authority')} allows ${join(message.wordList('addresses'))} to store code`,
  MsgStoreAndMigrateContract: (message) =>
    `${message.word('authority')} stores the code of a contract, ${size(message)}, and migrates the contract ${message.word('contract')} to it${input(message)}`,
  MsgUpdateContractLabel: (message) =>
    `${message.word('sender')} changes the label of the contract ${message.word('contract')} to ${quote(message.freeText('newLabel'))}`,
};
