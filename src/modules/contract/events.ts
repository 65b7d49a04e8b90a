import type { Event } from '../../chain/base/execution.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, nonNull, nonNullList } from '../../schema/builder.ts';
import { type Account, AccountRef, accountOf } from '../account/schema.ts';
import { msgIndex } from '../events/events.ts';
import { EventAttributeRef } from '../events/schema.ts';
import { join, quote } from '../summaries/phrases.ts';
import { TransactionRef } from '../transactions/schema.ts';

/** An event of a contract. */
interface ContractEvent {
  readonly type: string;
  readonly contract: string;
  readonly action: string | null;
  readonly codeId: string | null;
  /** What the contract itself wrote. */
  readonly attributes: Event['attributes'];
  readonly msgIndex: number | null;
}

const ContractEventRef = createRef<Pinned<ContractEvent>>('ContractEvent');

/** Attributes that the chain adds. A contract cannot write keys that begin with an underscore. */
const ofChain: ReadonlySet<string> = new Set(['_contract_address', 'code_id', 'msg_index']);

/** Most attributes that a sentence lists. */
const attributesMax = 6;

/** The events of contracts among the events of a transaction, in their order. */
export function contractEventsOf(events: readonly Event[]): readonly ContractEvent[] {
  return events.flatMap((event) => {
    const { type, attributes } = event;
    const find = (name: string): string | null => attributes.find(({ key }) => key === name)?.value ?? null;
    const contract = find('_contract_address');
    if (contract === null) return [];
    const written = isWritten(type) ? attributes.filter(({ key }) => key !== '_contract_address' && key !== 'msg_index') : [];
    return {
      ...{ type, contract, codeId: isWritten(type) ? null : find('code_id'), msgIndex: msgIndex(event) },
      action: isWritten(type) ? find('action') : null,
      attributes: isWritten(type) ? written : attributes.filter(({ key }) => !ofChain.has(key)),
    };
  });
}

/** Whether the contract wrote the event: `wasm`, or `wasm-` and a name. The others are of the module. */
function isWritten(type: string): boolean {
  return type === 'wasm' || type.startsWith('wasm-');
}

/** What the module does with a contract, by the type of its event. */
const phrases: Readonly<Record<string, string>> = {
  execute: 'is executed',
  instantiate: 'is created',
  migrate: 'is migrated',
  reply: 'gets a reply',
  sudo: 'is executed with the rights of the chain',
};

/** An event in one sentence; null for an event of the module whose type is not known. */
export function eventInWords({ type, contract, action, codeId, attributes }: ContractEvent): string | null {
  const subject = `the contract ${contract}`;
  if (type === 'update_contract_admin') {
    const admin = attributes.find(({ key }) => key === 'new_admin_address')?.value ?? '';
    return admin === '' ? `${subject} has no administrator any more` : `${subject} gets the administrator ${admin}`;
  }
  if (!isWritten(type)) {
    const phrase = phrases[type];
    return phrase === undefined ? null : `${subject} ${phrase}${codeId === null ? '' : ` with code ${codeId}`}`;
  }
  const what = [type === 'wasm' ? null : type.slice('wasm-'.length), action].filter((text) => text !== null && text !== '');
  const others = attributes.filter(({ key }) => key !== 'action').map(({ key, value }) => `${quote(key)} ${quote(value)}`);
  const name = what.length === 0 ? 'an event' : join(what.map((text) => quote(String(text))));
  return `${subject} reports ${name}${others.length === 0 ? '' : `: ${join(others, attributesMax)}`}`;
}

/** Adds `Transaction.contractEvents`. */
export function addContractEvents(builder: Builder): void {
  builder.objectType(ContractEventRef, {
    description: 'An event of a contract, or of the module about a contract.',
    fields: (t) => ({
      type: t.exposeString('type', {
        nullable: false,
        description:
          '`wasm` or `wasm-…` for what the contract wrote; `execute`, `instantiate`, `migrate`, … for what happened to it.',
      }),
      contract: t.field({
        ...nonNull(AccountRef, 'The account of the contract.'),
        resolve: (event): Pinned<Account> => accountOf(event, event.contract),
      }),
      action: t.exposeString('action', {
        description: 'The attribute `action`, by convention the call that was made; null if the contract wrote none.',
      }),
      attributes: t.field({
        ...nonNullList(EventAttributeRef, 'What the contract wrote, in its order, with `action`.'),
        resolve: ({ attributes }) => [...attributes],
      }),
      msgIndex: t.exposeInt('msgIndex', { description: 'Index of the message that led to the event.' }),
      inWords: t.string({
        description:
          'derived: a one-sentence English summary, without a final period. null for types that this server does not know.',
        resolve: eventInWords,
      }),
    }),
  });
  builder.objectField(TransactionRef, 'contractEvents', (t) =>
    t.field({
      ...nonNullList(ContractEventRef, 'derived: the events of contracts in `result.events`, in their order.'),
      resolve: (transaction) => contractEventsOf(transaction.result.events).map((event) => pinned(pinOf(transaction), event)),
    }),
  );
}
