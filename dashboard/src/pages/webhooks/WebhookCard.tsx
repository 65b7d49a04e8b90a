import { useEffect, useState } from 'preact/hooks';
import { Tag, type Tone } from '../../components/Badge.tsx';
import { Code } from '../../components/Code.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { count, countOf } from '../../format/numbers.ts';
import { texts } from '../../language/language.ts';
import { serverTexts } from '../../language/server/texts.ts';
import { ask, type Delivery, failureOf, type TestOutcome, type Webhook } from './requests.ts';

/** How a webhook is, with a colour. */
function standingOf({ state, tries }: Webhook): readonly [text: string, tone: Tone] {
  if (state === 'DISABLED') return [serverTexts.value.webhooks.disabled, 'bad'];
  if (state === 'PAUSED') return [serverTexts.value.webhooks.paused, 'warn'];
  return tries > 0 ? [serverTexts.value.webhooks.trying, 'warn'] : [serverTexts.value.webhooks.active, 'good'];
}

/** A response in words. */
const responseText = ({ responseStatus, error }: Pick<Delivery, 'responseStatus' | 'error'>): string =>
  responseStatus === null
    ? (error ?? serverTexts.value.webhooks.noResponse)
    : serverTexts.value.webhooks.status(String(responseStatus));

const deliveryTones = (): Readonly<Record<Delivery['state'], readonly [text: string, tone: Tone]>> => ({
  DELIVERED: [serverTexts.value.webhooks.delivered, 'good'],
  RETRYING: [serverTexts.value.webhooks.trying, 'warn'],
  FAILED: [texts.value.words.failed, 'bad'],
});

/** The last deliveries of a webhook, read again when the page has a newer block or the webhook has moved. */
function Deliveries({ of: { id, sequence, tries }, height }: { readonly of: Webhook; readonly height: string }) {
  const [deliveries, setDeliveries] = useState<readonly Delivery[] | undefined>(undefined);
  useEffect(() => {
    let isLeft = false;
    ask<{ readonly items: readonly Delivery[] }>('GET', `/${id}/deliveries?first=5`).then(
      ({ items }) => {
        if (!isLeft) setDeliveries(items);
      },
      (error: unknown) => void failureOf(error),
    );
    return () => {
      isLeft = true;
    };
  }, [id, sequence, tries, height]);
  if (deliveries === undefined) return <p class="empty">…</p>;
  if (deliveries.length === 0) return <Empty>{serverTexts.value.webhooks.nothingYet}</Empty>;
  return (
    <Table
      name={serverTexts.value.webhooks.last}
      rows={deliveries}
      keyOf={(delivery) => delivery.sequence}
      isWhole={false}
      columns={[
        { name: serverTexts.value.webhooks.event, class: 'num', cell: (delivery) => count(delivery.sequence) },
        { name: texts.value.words.block, class: 'num', cell: (delivery) => count(delivery.height) },
        {
          name: serverTexts.value.webhooks.outcome,
          cell: ({ state }) => {
            const [text, tone] = deliveryTones()[state];
            return <Tag tone={tone}>{text}</Tag>;
          },
        },
        {
          name: serverTexts.value.webhooks.response,
          class: 'fill',
          cell: (delivery) => <span class="small">{responseText(delivery)}</span>,
        },
        { name: serverTexts.value.webhooks.tries, class: 'num wide', cell: (delivery) => count(delivery.tries) },
        { name: serverTexts.value.webhooks.when, class: 'wide', cell: ({ time }) => <Time of={time} /> },
      ]}
    />
  );
}

interface WebhookCardProps {
  readonly of: Webhook;
  /** The newest block. */
  readonly height: string;
  /** Whether its deliveries are shown at first. */
  readonly isOpenAtFirst: boolean;
  readonly onChange: () => void;
}

/** A webhook: how it is, its last deliveries, and what its owner can do. */
export function WebhookCard({ of: hook, height, isOpenAtFirst, onChange }: WebhookCardProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [isAsked, setAsked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState('');
  const { id, url, description, document, lag, state, message, deliveredAt, nextTryAt, sequence, signing, tries } = hook;
  const [standing, tone] = standingOf(hook);
  const name = description === '' ? url : description;

  /** Does something once, and says what came of it. */
  async function act(work: () => Promise<string>): Promise<void> {
    setBusy(true);
    setAsked(false);
    setOutcome(await work().catch((error: unknown) => failureOf(error).message));
    setBusy(false);
    onChange();
  }
  const test = async (): Promise<string> => {
    const result = await ask<TestOutcome>('POST', `/${id}/test`);
    return serverTexts.value.webhooks.tested(responseText(result), count(result.milliseconds));
  };
  const pause = async (): Promise<string> => {
    await ask('POST', `/${id}/pause`, { paused: state === 'ACTIVE' });
    return state === 'ACTIVE' ? serverTexts.value.webhooks.pausedNote : serverTexts.value.webhooks.continued;
  };
  const remove = async (): Promise<string> => {
    await ask('DELETE', `/${id}`);
    return serverTexts.value.webhooks.deleted;
  };

  return (
    <Card title={name} class="webhook" aside={<Tag tone={tone}>{standing}</Tag>}>
      <Facts
        of={[
          ['URL', <span class="mono break">{url}</span>],
          [serverTexts.value.webhooks.behind, lag === null ? null : countOf(lag, texts.value.counts.blocks)],
          [serverTexts.value.webhooks.eventsDelivered, count(sequence)],
          [
            serverTexts.value.webhooks.lastDelivery,
            deliveredAt === null ? serverTexts.value.webhooks.noneYet : <Time of={deliveredAt} />,
          ],
          [serverTexts.value.webhooks.nextTry, nextTryAt === null || state !== 'ACTIVE' ? null : <Time of={nextTryAt} />],
          [serverTexts.value.webhooks.failedTries, tries === 0 ? null : count(tries)],
          [serverTexts.value.webhooks.signedWith, signing === 'HMAC' ? 'HMAC' : 'Ed25519'],
        ]}
      />
      {message === null ? null : <p class="note failed">{message}</p>}
      <div class="row wrap">
        <button type="button" class="button small" disabled={isBusy} onClick={() => void act(test)}>
          {serverTexts.value.webhooks.test}
        </button>
        <button type="button" class="button small" disabled={isBusy} onClick={() => void act(pause)}>
          {state === 'ACTIVE' ? serverTexts.value.webhooks.pause : serverTexts.value.webhooks.continue}
        </button>
        {isAsked ? (
          <>
            <button type="button" class="button small primary" disabled={isBusy} onClick={() => void act(remove)}>
              {serverTexts.value.webhooks.deleteForGood}
            </button>
            <button type="button" class="button small" onClick={() => setAsked(false)}>
              {serverTexts.value.webhooks.keep}
            </button>
          </>
        ) : (
          <button type="button" class="button small" disabled={isBusy} onClick={() => setAsked(true)}>
            {serverTexts.value.webhooks.delete}
          </button>
        )}
        <button type="button" class="button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {serverTexts.value.webhooks.deliveries}
        </button>
      </div>
      <p class="note" role="status">
        {outcome}
      </p>
      {isOpen ? (
        <>
          <Deliveries of={hook} height={height} />
          <Code of={document} />
        </>
      ) : null}
    </Card>
  );
}
