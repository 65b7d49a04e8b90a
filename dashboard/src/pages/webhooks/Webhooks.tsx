import { useEffect, useState } from 'preact/hooks';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { access } from '../../data/session.ts';
import { usePage } from '../../data/usePage.ts';
import { countOf } from '../../format/numbers.ts';
import { HeadDocument, HeadLiveDocument } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';
import { serverTexts } from '../../language/server/texts.ts';
import { NewWebhook } from './NewWebhook.tsx';
import { ask, failureOf, type Webhook, type WebhookFailure } from './requests.ts';
import { WebhookCard } from './WebhookCard.tsx';

/** The deliveries of so many webhooks are shown at first. */
const mostOpen = 3;

/** The webhooks of the visitor. */
export function Webhooks() {
  const state = usePage({ past: HeadDocument, live: HeadLiveDocument }, {});
  return (
    <Page title={texts.value.shell.webhooks} state={state}>
      {({ head }) => <List height={head?.height ?? ''} />}
    </Page>
  );
}

/** Why there is no list, and what the visitor can do. */
function Refused({ failure: { status, code, message } }: { readonly failure: WebhookFailure }) {
  if (status === 403)
    return (
      <Notice
        title={access.value === 'public' ? serverTexts.value.webhooks.needToken : serverTexts.value.webhooks.noneForToken}
      >
        <p>
          {serverTexts.value.webhooks.askOperator} <code>{'webhooks'}</code>
        </p>
      </Notice>
    );
  if (status === 404)
    return (
      <Notice title={serverTexts.value.webhooks.none}>
        <p>{serverTexts.value.webhooks.noneWhy}</p>
      </Notice>
    );
  return (
    <Notice title={serverTexts.value.webhooks.unread}>
      <p>{message}</p>
      <p class="muted">
        <code>{code}</code> {serverTexts.value.webhooks.triesAgain}
      </p>
    </Notice>
  );
}

/** The webhooks, read again at each block and after each change. */
function List({ height }: { readonly height: string }) {
  const [hooks, setHooks] = useState<readonly Webhook[] | undefined>(undefined);
  const [failure, setFailure] = useState<WebhookFailure | undefined>(undefined);
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    let isLeft = false;
    ask<{ readonly items: readonly Webhook[] }>('GET').then(
      ({ items }) => {
        if (isLeft) return;
        setHooks(items);
        setFailure(undefined);
      },
      (error: unknown) => {
        if (!isLeft) setFailure(failureOf(error));
      },
    );
    return () => {
      isLeft = true;
    };
  }, [height, changes]);
  const change = (): void => setChanges((before) => before + 1);

  if (failure !== undefined && hooks === undefined) return <Refused failure={failure} />;
  return (
    <>
      <PageHead kind={serverTexts.value.webhooks.yours} title={texts.value.shell.webhooks}>
        {hooks === undefined ? null : countOf(hooks.length, texts.value.counts.webhooks)}
      </PageHead>
      {hooks === undefined ? (
        <Skeleton lines={4} />
      ) : hooks.length === 0 ? (
        <Empty>{serverTexts.value.webhooks.empty}</Empty>
      ) : (
        hooks.map((hook) => (
          <WebhookCard key={hook.id} of={hook} height={height} isOpenAtFirst={hooks.length <= mostOpen} onChange={change} />
        ))
      )}
      <Card title={serverTexts.value.webhooks.newWebhook}>
        <NewWebhook onChange={change} />
      </Card>
    </>
  );
}
