import { useState } from 'preact/hooks';
import { type Actor, actorsOf } from '../../actions/actors.ts';
import { sendMessage } from '../../actions/messages.ts';
import { useSend } from '../../actions/useSend.ts';
import { hasWallet } from '../../actions/wallet.ts';
import { ForWallet } from '../../components/acting/ForWallet.tsx';
import { type Balance, PaymentFields, paymentOf } from '../../components/acting/PaymentFields.tsx';
import { ProgressLine } from '../../components/acting/ProgressLine.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { shownHead } from '../../data/shown.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { at } from '../../routing/router.ts';

interface SendProps {
  readonly address: string;
  readonly balances: readonly Balance[];
}

/** A form that sends coins of the account, if the visitor can act as it. Nothing for other accounts. */
export function Send({ address, balances }: SendProps) {
  const chainId = shownHead.value?.chainId;
  const actors = actorsOf(chainId);
  const actor = actors.find((each) => each.address === address);
  const isConnectable = actors.length === 0 && hasWallet();
  if (at.value !== undefined || (actor === undefined && !isConnectable)) return null;
  const [first, ...others] = balances;
  return (
    <Card title={actingTexts.value.payment.send}>
      {actor === undefined ? (
        <ForWallet chainId={chainId} messages={[]} />
      ) : first === undefined ? (
        <Empty>{actingTexts.value.payment.nothingToSend}</Empty>
      ) : (
        <SendForm actor={actor} address={address} balances={[first, ...others]} />
      )}
    </Card>
  );
}

interface SendFormProps {
  readonly actor: Actor;
  readonly address: string;
  readonly balances: readonly [Balance, ...Balance[]];
}

function SendForm({ actor, address, balances }: SendFormProps) {
  const { progress, send } = useSend();
  const [form, setForm] = useState({ recipient: '', amount: '', denom: '' });
  const payer = { address, name: actingTexts.value.payment.theAccount, balances };
  const payment = paymentOf(form, payer);
  const isBusy = progress.kind === 'signing' || progress.kind === 'sending';
  return (
    <form
      class="act-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (payment !== undefined && !isBusy) void send(actor, sendMessage(address, payment));
      }}
    >
      <PaymentFields id="send" form={form} payer={payer} onChange={(change) => setForm({ ...form, ...change })} />
      <div class="row">
        <button type="submit" class="button primary" disabled={payment === undefined || isBusy}>
          {actingTexts.value.payment.send}
        </button>
      </div>
      <ProgressLine of={progress} />
    </form>
  );
}
