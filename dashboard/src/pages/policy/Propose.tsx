import { useState } from 'preact/hooks';
import { actorOf } from '../../actions/actors.ts';
import { proposeMessage } from '../../actions/messages.ts';
import { useSend } from '../../actions/useSend.ts';
import { type Money, unitOf } from '../../components/Amount.tsx';
import { ActorChoice } from '../../components/acting/ActorChoice.tsx';
import { ForWallet } from '../../components/acting/ForWallet.tsx';
import { ProgressLine } from '../../components/acting/ProgressLine.tsx';
import { shown } from '../../data/shown.ts';
import { baseUnits } from '../../format/units.ts';
import { at } from '../../routing/router.ts';

interface ProposeProps {
  readonly policy: string;
  readonly balances: readonly Money[];
}

/** A form for a proposal that the policy makes a payment. */
export function Propose({ policy, balances }: ProposeProps) {
  const { progress, send } = useSend();
  const [form, setForm] = useState({ title: '', summary: '', recipient: '', amount: '', denom: '' });
  const chainId = shown.value?.chainId;
  const actor = actorOf(chainId);
  const coin = balances.find(({ denom }) => denom === form.denom) ?? balances[0];
  if (at.value !== undefined) return <p class="muted">The page shows the past. Go back to now to propose something.</p>;
  if (coin === undefined) return <p class="muted">The policy holds nothing that it could pay.</p>;

  const amount = baseUnits(form.amount, coin);
  const payment = { recipient: form.recipient.trim(), denom: coin.denom, amount: amount ?? '0' };
  const message = proposeMessage(actor?.address ?? '', policy, { title: form.title, summary: form.summary, payment });
  const isComplete = form.title.trim() !== '' && payment.recipient !== '' && amount !== undefined;
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
        if (actor !== undefined && isComplete) void send(actor, message);
      }}
    >
      <label for="propose-title">Title</label>
      <input type="text" {...field('title')} required />
      <label for="propose-summary">Summary</label>
      <input type="text" {...field('summary')} />
      <label for="propose-recipient">Pay to</label>
      <input type="text" spellcheck={false} {...field('recipient')} required />
      <label for="propose-amount">Amount</label>
      <div class="row">
        <input type="text" inputMode="decimal" {...field('amount')} required />
        <select aria-label="Unit" {...field('denom')} value={coin.denom}>
          {balances.map((balance) => (
            <option key={balance.denom} value={balance.denom}>
              {unitOf(balance)}
            </option>
          ))}
        </select>
      </div>
      {actor?.address === undefined ? (
        <ForWallet chainId={chainId} messages={[{ text: 'Message for your wallet', message }]} />
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
