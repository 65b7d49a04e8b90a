import { useState } from 'preact/hooks';
import { actorOf } from '../../actions/actors.ts';
import { proposeMessage, sendMessage } from '../../actions/messages.ts';
import { useSend } from '../../actions/useSend.ts';
import { ActorChoice } from '../../components/acting/ActorChoice.tsx';
import { ForWallet } from '../../components/acting/ForWallet.tsx';
import { type Balance, PaymentFields, paymentOf } from '../../components/acting/PaymentFields.tsx';
import { ProgressLine } from '../../components/acting/ProgressLine.tsx';
import { lazyPart } from '../../components/page/lazyPart.tsx';
import { shownHead } from '../../data/shown.ts';
import { at } from '../../routing/router.ts';

interface ProposeProps {
  readonly policy: string;
  readonly balances: readonly Balance[];
}

const Rehearsal = lazyPart(async () => (await import('../../components/rehearsal/parts.ts')).Rehearsal);

/** A form for a proposal that the policy makes a payment. */
export function Propose({ policy, balances }: ProposeProps) {
  const { progress, send } = useSend();
  const [form, setForm] = useState({ title: '', summary: '', recipient: '', amount: '', denom: '' });
  const chainId = shownHead.value?.chainId;
  const actor = actorOf(chainId);
  const [first, ...others] = balances;
  if (at.value !== undefined) return <p class="muted">The page shows the past. Go back to now to propose something.</p>;
  if (first === undefined) return <p class="muted">The policy holds nothing that it could pay.</p>;

  const payer = { address: policy, name: 'The policy', balances: [first, ...others] } as const;
  const payment = paymentOf(form, payer);
  const message =
    payment &&
    proposeMessage(actor?.address ?? '', policy, { title: form.title.trim(), summary: form.summary.trim(), payment });
  const isComplete = message !== undefined && form.title.trim() !== '';
  const isBusy = progress.kind === 'signing' || progress.kind === 'sending';
  const field = (name: 'title' | 'summary') => ({
    id: `propose-${name}`,
    value: form[name],
    autocomplete: 'off',
    onInput: ({ target }: Event) => {
      if (target instanceof HTMLInputElement) setForm({ ...form, [name]: target.value });
    },
  });

  return (
    <form
      class="act-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (actor !== undefined && isComplete && !isBusy) void send(actor, message);
      }}
    >
      <label for="propose-title">Title</label>
      <input type="text" {...field('title')} required />
      <label for="propose-summary">Summary</label>
      <input type="text" {...field('summary')} />
      <PaymentFields id="propose" form={form} payer={payer} onChange={(change) => setForm({ ...form, ...change })} />
      <Rehearsal policy={policy} messages={payment && [sendMessage(policy, payment)]} />
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
