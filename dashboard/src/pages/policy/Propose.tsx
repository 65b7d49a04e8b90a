import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { actorOf } from '../../actions/actors.ts';
import { proposeMessage } from '../../actions/messages.ts';
import { useSend } from '../../actions/useSend.ts';
import { type Money, unitOf } from '../../components/Amount.tsx';
import { ActorChoice } from '../../components/acting/ActorChoice.tsx';
import { ForWallet } from '../../components/acting/ForWallet.tsx';
import { ProgressLine } from '../../components/acting/ProgressLine.tsx';
import { shownHead } from '../../data/shown.ts';
import { prefixOf, readAddress } from '../../format/addresses.ts';
import { count } from '../../format/numbers.ts';
import { displayUnits, type Holding, readAmount } from '../../format/units.ts';
import { at } from '../../routing/router.ts';

interface ProposeProps {
  readonly policy: string;
  readonly balances: readonly (Money & Holding)[];
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

/** A form for a proposal that the policy makes a payment. */
export function Propose({ policy, balances }: ProposeProps) {
  const { progress, send } = useSend();
  const [form, setForm] = useState({ title: '', summary: '', recipient: '', amount: '', denom: '' });
  const chainId = shownHead.value?.chainId;
  const actor = actorOf(chainId);
  const coin = balances.find(({ denom }) => denom === form.denom) ?? balances[0];
  if (at.value !== undefined) return <p class="muted">The page shows the past. Go back to now to propose something.</p>;
  if (coin === undefined) return <p class="muted">The policy holds nothing that it could pay.</p>;

  const unit = unitOf(coin);
  const amount = readAmount(form.amount, coin, unit);
  const recipient = readAddress(form.recipient, prefixOf(policy));
  const payment =
    amount.value === undefined || recipient.value === undefined
      ? undefined
      : { recipient: recipient.value, denom: coin.denom, amount: amount.value };
  const message =
    payment &&
    proposeMessage(actor?.address ?? '', policy, { title: form.title.trim(), summary: form.summary.trim(), payment });
  const isComplete = message !== undefined && form.title.trim() !== '';
  const rest = displayUnits((BigInt(coin.amount) - BigInt(amount.value ?? 0)).toString(), coin);
  const isBusy = progress.kind === 'signing' || progress.kind === 'sending';
  const field = (name: keyof typeof form) => ({
    id: `propose-${name}`,
    value: form[name],
    autocomplete: 'off',
    onInput: (event: Event) => {
      const { target } = event;
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) setForm({ ...form, [name]: target.value });
    },
  });

  return (
    <form
      class="propose"
      onSubmit={(event) => {
        event.preventDefault();
        if (actor !== undefined && isComplete && !isBusy) void send(actor, message);
      }}
    >
      <label for="propose-title">Title</label>
      <input type="text" {...field('title')} required />
      <label for="propose-summary">Summary</label>
      <input type="text" {...field('summary')} />
      <label for="propose-recipient">Pay to</label>
      <input
        type="text"
        spellcheck={false}
        {...field('recipient')}
        aria-describedby="propose-recipient-reading"
        aria-invalid={recipient.problem !== undefined}
        required
      />
      <Reading of="propose-recipient" problem={recipient.problem} />
      <label for="propose-amount">Amount</label>
      <div class="row">
        <input
          type="text"
          inputMode="decimal"
          {...field('amount')}
          aria-describedby="propose-amount-reading"
          aria-invalid={amount.problem !== undefined}
          required
        />
        <select aria-label="Unit" {...field('denom')} value={coin.denom}>
          {balances.map((balance) => (
            <option key={balance.denom} value={balance.denom}>
              {unitOf(balance)}
            </option>
          ))}
        </select>
      </div>
      <Reading of="propose-amount" problem={amount.problem}>
        {amount.value === undefined ? (
          <>
            The policy holds {count(rest)} {unit}.
          </>
        ) : (
          <>
            {count(displayUnits(amount.value, coin))} {unit}
            {coin.display === null ? null : ` = ${count(amount.value)} ${coin.denom}`}. The policy holds{' '}
            {count(displayUnits(coin.amount, coin))} {unit}; {count(rest)} {unit} remain.
          </>
        )}
      </Reading>
      {actor?.address === undefined ? (
        <ForWallet chainId={chainId} messages={isComplete ? [{ text: 'Message for your wallet', message }] : []} />
      ) : (
        <>
          <ActorChoice chainId={chainId} />
          <div class="row">
            <button type="submit" class="button primary" disabled={!isComplete || isBusy}>
              Propose
            </button>
          </div>
        </>
      )}
      <ProgressLine of={progress} />
    </form>
  );
}
