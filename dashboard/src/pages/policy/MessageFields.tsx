import Big from 'big.js';
import { useEffect, useState } from 'preact/hooks';
import { type MessageJson, type Payment, sendMessage } from '../../actions/messages.ts';
import { unitOf } from '../../components/Amount.tsx';
import { type Balance, PaymentFields, paymentOf } from '../../components/acting/PaymentFields.tsx';
import { shorten } from '../../format/addresses.ts';
import { count } from '../../format/numbers.ts';
import { displayUnits } from '../../format/units.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { texts } from '../../language/language.ts';
import { type Entry, newMessage } from './draft.ts';
import { TypedFields } from './TypedFields.tsx';

/** What was read of an entered message. */
export interface ReadMessage {
  /** undefined if it is incomplete or wrong. */
  readonly message?: MessageJson;
  /** What it does. */
  readonly sentence: string;
  readonly problem?: string;
  /** What the policy has for a payment, after the messages before it. undefined if it has nothing. */
  readonly payer?: { readonly address: string; readonly name: string; readonly balances: readonly [Balance, ...Balance[]] };
}

/** The messages that are often proposed, by what they do. */
const catalogue = [
  ['/cosmos.bank.v1beta1.MsgMultiSend', 'multiSend'],
  ['/cosmos.group.v1.MsgUpdateGroupMembers', 'members'],
  ['/cosmos.group.v1.MsgUpdateGroupMetadata', 'groupMetadata'],
  ['/cosmos.group.v1.MsgUpdateGroupPolicyDecisionPolicy', 'rule'],
  ['/cosmos.group.v1.MsgUpdateGroupPolicyMetadata', 'policyMetadata'],
  ['/provenance.attribute.v1.MsgAddAttributeRequest', 'attribute'],
  ['/provenance.marker.v1.MsgMintRequest', 'mint'],
  ['/provenance.marker.v1.MsgBurnRequest', 'burn'],
  ['/provenance.marker.v1.MsgWithdrawRequest', 'withdraw'],
  ['/provenance.marker.v1.MsgAddAccessRequest', 'access'],
  ['/cosmwasm.wasm.v1.MsgExecuteContract', 'execute'],
] as const;

function isMessage(value: unknown): value is MessageJson {
  return typeof Object(value)['@type'] === 'string';
}

function readJson(text: string): Pick<ReadMessage, 'message' | 'problem'> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isMessage(value) ? { message: value } : { problem: actingTexts.value.propose.notMessage };
  } catch (error) {
    return { problem: actingTexts.value.propose.notJson(error instanceof Error ? error.message : '') };
  }
}

/** The balances after payments. */
function after(balances: readonly Balance[], payments: readonly Payment[]): readonly Balance[] {
  return balances.map((balance) => {
    const paid = payments.filter(({ denom }) => denom === balance.denom);
    const rest = paid.reduce((sum, { amount }) => sum.minus(amount), new Big(balance.amount));
    return { ...balance, amount: rest.toFixed() };
  });
}

/** Reads the entered messages. Each payment can spend what those before it have left. */
export function messagesOf(entries: readonly Entry[], policy: string, balances: readonly Balance[]): readonly ReadMessage[] {
  const payments: Payment[] = [];
  return entries.map((entry): ReadMessage => {
    if (entry.kind !== 'send') {
      const read = readJson(entry.json);
      return { ...read, sentence: read.message?.['@type'] ?? '' };
    }
    const [first, ...others] = after(balances, payments);
    if (first === undefined) return { sentence: '', problem: actingTexts.value.propose.nothingToPay };
    const name = payments.length === 0 ? actingTexts.value.propose.policy : actingTexts.value.propose.policyAfter;
    const payer = { address: policy, name, balances: [first, ...others] } as const;
    const payment = paymentOf(entry, payer);
    if (payment === undefined) return { sentence: '', payer };
    payments.push(payment);
    const coin = payer.balances.find(({ denom }) => denom === payment.denom) ?? first;
    const sentence = actingTexts.value.propose.sends(
      count(displayUnits(payment.amount, coin)),
      unitOf(coin),
      shorten(payment.recipient),
    );
    return { message: sendMessage(policy, payment), sentence, payer };
  });
}

/** Why the chain could not decode a message. undefined if it could. */
function useEncoding(message: MessageJson | undefined): string | undefined {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const text = JSON.stringify(message);
  useEffect(() => {
    let isLeft = false;
    setProblem(undefined);
    if (message !== undefined)
      import('../../actions/signing.ts')
        .then(({ encodeAny }) => encodeAny(message))
        .catch((error: unknown) => isLeft || setProblem(error instanceof Error ? error.message : String(error)));
    return () => {
      isLeft = true;
    };
  }, [text]);
  return problem;
}

/** The types of messages that have descriptors, once they are loaded. */
function useTypes(isNeeded: boolean): readonly string[] {
  const [types, setTypes] = useState<readonly string[]>([]);
  useEffect(() => {
    if (isNeeded)
      import('../../actions/descriptors.ts').then(
        ({ messageTypes }) => setTypes(messageTypes),
        () => undefined,
      );
  }, [isNeeded]);
  return types;
}

interface MessageFieldsProps {
  readonly index: number;
  readonly policy: string;
  readonly entry: Entry;
  readonly read: ReadMessage;
  readonly isOnly: boolean;
  onChange(entry: Entry): void;
  onRemove(): void;
}

/** The fields of a message of a proposal: its type, then a form for a payment, or JSON. */
export function MessageFields({ index, policy, entry, read, isOnly, onChange, onRemove }: MessageFieldsProps) {
  const id = `propose-${index}`;
  const [isOpened, setOpened] = useState(false);
  // A message that is no JSON yet was being written as such.
  const [isJson, setJson] = useState(() => entry.form === '' && readJson(entry.json).problem !== undefined);
  const types = useTypes(isOpened);
  const hasForm = entry.kind.startsWith('/') && !isJson;
  const encoding = useEncoding(entry.kind === 'send' ? undefined : read.message);
  const problem = read.problem ?? encoding;
  async function choose(kind: string): Promise<void> {
    if (kind === 'send' || kind === 'json') return onChange({ ...newMessage, kind });
    setJson(false);
    const { templateOf } = await import('../../actions/descriptors.ts');
    onChange({ ...newMessage, kind, json: templateOf(kind, policy) ?? '' });
  }
  const others = types.filter((type) => !catalogue.some(([each]) => each === type));
  const options =
    entry.kind.startsWith('/') && ![...others, ...catalogue.map(([type]): string => type)].includes(entry.kind)
      ? [entry.kind, ...others]
      : others;
  return (
    <fieldset class="message-fields">
      <legend>
        {texts.value.words.message} {index + 1}
      </legend>
      <div class="row">
        <select
          id={`${id}-kind`}
          class="message-type"
          aria-label={actingTexts.value.propose.typeOf(String(index + 1))}
          value={entry.kind}
          onFocus={() => setOpened(true)}
          onChange={({ currentTarget }) => void choose(currentTarget.value)}
        >
          <option value="send">{actingTexts.value.propose.pay}</option>
          {catalogue.map(([type, name]) => (
            <option key={type} value={type}>
              {actingTexts.value.catalogue[name]}
            </option>
          ))}
          <option value="json">{actingTexts.value.propose.anyJson}</option>
          {options.length === 0 ? null : (
            <optgroup label={actingTexts.value.propose.byType}>
              {options.map((type) => (
                <option key={type} value={type}>
                  {type.slice(1)}
                </option>
              ))}
            </optgroup>
          )}
        </select>
        {isOnly ? null : (
          <button
            type="button"
            class="button small"
            aria-label={actingTexts.value.propose.removeMessage(String(index + 1))}
            onClick={onRemove}
          >
            {actingTexts.value.propose.remove}
          </button>
        )}
      </div>
      {entry.kind !== 'send' ? (
        <>
          {hasForm ? (
            <TypedFields entry={entry} policy={policy} onChange={onChange} />
          ) : (
            <>
              <label for={`${id}-json`}>{actingTexts.value.propose.json}</label>
              <textarea
                id={`${id}-json`}
                class="mono"
                rows={8}
                spellcheck={false}
                value={entry.json}
                aria-describedby={`${id}-json-reading`}
                aria-invalid={problem !== undefined}
                onInput={({ currentTarget }) => onChange({ ...entry, json: currentTarget.value, form: '' })}
              />
            </>
          )}
          {entry.kind.startsWith('/') ? (
            <div class="row">
              <button type="button" class="button small" id={`${id}-as`} onClick={() => setJson(!isJson)}>
                {isJson ? actingTexts.value.propose.asForm : actingTexts.value.propose.asJson}
              </button>
            </div>
          ) : null}
          <p id={`${id}-json-reading`} class={problem === undefined ? 'note' : 'note failed'} role="status">
            {problem ?? read.sentence}
          </p>
        </>
      ) : read.payer === undefined ? (
        <p class="muted">{read.problem}</p>
      ) : (
        <PaymentFields id={id} form={entry} payer={read.payer} onChange={(change) => onChange({ ...entry, ...change })} />
      )}
    </fieldset>
  );
}
