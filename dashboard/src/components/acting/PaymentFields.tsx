import type { ComponentChildren } from 'preact';
import type { Payment } from '../../actions/messages.ts';
import { prefixOf, readAddress } from '../../format/addresses.ts';
import { count } from '../../format/numbers.ts';
import { displayUnits, type Holding, readAmount } from '../../format/units.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { texts } from '../../language/language.ts';
import { type Money, unitOf } from '../Amount.tsx';
import { RecipientName } from './RecipientName.tsx';

/** A balance to pay from. */
export type Balance = Money & Holding;

/** What the visitor has entered. */
export interface PaymentForm {
  readonly recipient: string;
  readonly amount: string;
  readonly denom: string;
}

/** Who pays. */
interface Payer {
  readonly address: string;
  /** What it is called at the start of a sentence. */
  readonly name: string;
  readonly balances: readonly [Balance, ...Balance[]];
}

function readForm({ recipient, amount, denom }: PaymentForm, { address, name, balances }: Payer) {
  const coin = balances.find((balance) => balance.denom === denom) ?? balances[0];
  const unit = unitOf(coin);
  return {
    ...{ coin, unit },
    amount: readAmount(amount, coin, unit, name),
    recipient: readAddress(recipient, prefixOf(address)),
  };
}

/** The payment that the form asks for. undefined while it is incomplete or wrong. */
export function paymentOf(form: PaymentForm, payer: Payer): Payment | undefined {
  const { coin, amount, recipient } = readForm(form, payer);
  if (amount.value === undefined || recipient.value === undefined) return undefined;
  return { recipient: recipient.value, denom: coin.denom, amount: amount.value };
}

/** Why a field is refused, or what it was read as. */
function Reading({
  of,
  problem,
  children,
}: {
  readonly of: string;
  readonly problem: string | undefined;
  readonly children?: ComponentChildren;
}) {
  return (
    <p id={`${of}-reading`} class={problem === undefined ? 'note' : 'note failed'} role="status">
      {problem ?? children}
    </p>
  );
}

interface PaymentFieldsProps {
  /** The start of the ids of the fields. */
  readonly id: string;
  readonly form: PaymentForm;
  readonly payer: Payer;
  /** Called with what changed. */
  onChange(change: Partial<PaymentForm>): void;
}

/** The fields of a payment: to whom, and how much. */
export function PaymentFields({ id, form, payer, onChange }: PaymentFieldsProps) {
  const { coin, unit, amount, recipient } = readForm(form, payer);
  const rest = displayUnits((BigInt(coin.amount) - BigInt(amount.value ?? 0)).toString(), coin);
  const field = (name: keyof PaymentForm) => ({
    id: `${id}-${name}`,
    value: form[name],
    autocomplete: 'off',
    onInput: ({ target }: Event) => {
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) onChange({ [name]: target.value });
    },
  });
  return (
    <>
      <label for={`${id}-recipient`}>{actingTexts.value.payment.payTo}</label>
      <input
        type="text"
        spellcheck={false}
        {...field('recipient')}
        aria-describedby={`${id}-recipient-reading`}
        aria-invalid={recipient.problem !== undefined}
        required
      />
      <Reading of={`${id}-recipient`} problem={recipient.problem}>
        {recipient.value === undefined ? null : <RecipientName address={recipient.value} payer={payer.address} />}
      </Reading>
      <label for={`${id}-amount`}>{texts.value.words.amount}</label>
      <div class="row">
        <input
          type="text"
          inputMode="decimal"
          {...field('amount')}
          aria-describedby={`${id}-amount-reading`}
          aria-invalid={amount.problem !== undefined}
          required
        />
        <select aria-label={actingTexts.value.payment.unit} {...field('denom')} value={coin.denom}>
          {payer.balances.map((balance) => (
            <option key={balance.denom} value={balance.denom}>
              {unitOf(balance)}
            </option>
          ))}
        </select>
      </div>
      <Reading of={`${id}-amount`} problem={amount.problem}>
        {amount.value === undefined
          ? actingTexts.value.payment.holds(payer.name, `${count(rest)} ${unit}`)
          : `${count(displayUnits(amount.value, coin))} ${unit}${
              coin.display === null ? '' : ` = ${count(amount.value)} ${coin.denom}`
            }. ${actingTexts.value.payment.holdsAndRest(
              payer.name,
              `${count(displayUnits(coin.amount, coin))} ${unit}`,
              `${count(rest)} ${unit}`,
            )}`}
      </Reading>
    </>
  );
}
