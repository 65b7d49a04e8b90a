// What stays on the server of the team: it receives the webhooks, keeps the notices, and hands out the CSV without a login.
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { clientCredentials, createClient } from '@stele/client';
import { Webhook } from 'standardwebhooks';
import * as documents from './src/gen/graphql.ts';

const { STELE_URL: stele = 'http://localhost:4000', GROUP: group = '1', DATA: folder = 'data', PORT = '4802' } = process.env;
const { CLIENT_ID: clientId = 'devnet', CLIENT_SECRET: clientSecret = 'devnet' } = process.env;
/** Where Stele reaches this program. */
const ownUrl = process.env.OWN_URL ?? `http://127.0.0.1:${PORT}`;

/** What somebody has to know. `id` is that of the event, the same each time that it is delivered. */
export interface Notice {
  readonly id: string;
  readonly height: string;
  readonly time: string;
  readonly text: string;
  readonly members: readonly string[];
}

type Delivery = Pick<Notice, 'id' | 'height' | 'time'> & { readonly data?: Events | null };
type Events = Partial<documents.ChangesSubscription & documents.RemindersSubscription>;

const token = clientCredentials({ url: `${stele}/oauth/token`, clientId, clientSecret });
const client = createClient({ url: `${stele}/graphql`, token });
const [noticesFile, hooksFile] = [`${folder}/notices.ndjson`, `${folder}/webhooks.json`];
mkdirSync(folder, { recursive: true });
const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []);
const notices: Notice[] = linesOf(noticesFile).map((line) => JSON.parse(line));
const readers = new Set<ServerResponse>();
const eventOf = (notice: Notice) => `data: ${JSON.stringify(notice)}\n\n`;

/** What an event says, or undefined if nobody has to know. */
function textOf({ proposalUpdated: change, reminders: reminder }: Events): string | undefined {
  if (reminder?.before) return `closes within ${Number.parseInt(reminder.before, 10) / 60} min`;
  if (reminder) return 'can be executed';
  const reason = change?.reasons.find((each) => !['CURRENT', 'VOTED', 'GROUP_UPDATED', 'PRUNED'].includes(each));
  return reason?.toLowerCase().replaceAll('_', ' ');
}

/** Keeps a notice, and shows it in open pages. A team sends its mail here. */
async function notify({ id, height, time, data }: Delivery): Promise<void> {
  const what = data && textOf(data);
  const event = data?.reminders ?? data?.proposalUpdated;
  if (!what || !event || notices.some((each) => each.id === id)) return;
  // The chain deletes an executed proposal. The records have its title.
  const { title } =
    event.proposal ?? (await client.query(documents.TitleDocument, { id: event.proposalId })).data.proposalRecord ?? {};
  const text = `#${event.proposalId} ${title ?? ''}: ${what}`;
  const members = event.proposal?.pendingVoters?.nodes.map(({ account }) => account.address) ?? [];
  const notice = { id, height, time, text, members };
  appendFileSync(noticesFile, `${JSON.stringify(notice)}\n`);
  notices.push(notice);
  for (const reader of readers) reader.write(eventOf(notice));
}

/** The webhook of an earlier start, or a new one, which begins where the notices end. Its secret is shown once, so it is kept. */
async function openWebhook(path: string, document: string): Promise<Webhook> {
  const kept: Record<string, { id: string; secret: string }> = JSON.parse(linesOf(hooksFile).join('\n') || '{}');
  const { id, secret } = kept[path] ?? {};
  if (id && secret && (await client.query(documents.WebhookDocument, { id })).data.webhook) return new Webhook(secret);
  const after = notices.at(-1)?.height ?? null;
  const input = { url: ownUrl + path, signing: 'HMAC' as const, document, variables: { group }, after };
  const { data } = await client.query(documents.NewWebhookDocument, { input });
  const webhook = data.createWebhook?.webhook;
  if (!webhook?.secret) throw new Error('The server made no webhook.');
  writeFileSync(hooksFile, JSON.stringify({ ...kept, [path]: { id: webhook.id, secret: webhook.secret } }), { mode: 0o600 });
  return new Webhook(webhook.secret);
}

/** Answers one request: the page reads notices and the CSV, Stele delivers events. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const hook = hooks.get(pathname);
  if (hook !== undefined) {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    await notify((await hook).verify(text, request.headers as Record<string, string>) as Delivery);
    response.writeHead(204).end();
  } else if (pathname === '/notices') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(notices.slice(-20).map(eventOf).join(''));
    readers.add(response);
    response.on('close', () => readers.delete(response));
  } else if (pathname === '/proposals.csv') {
    const query = new URLSearchParams({ groupId: searchParams.get('group') ?? group });
    const headers = { authorization: `Bearer ${await token()}`, accept: 'text/csv' };
    const { status, body } = await fetch(`${stele}/v1/proposals?${query}`, { headers });
    response.writeHead(status, { 'content-type': 'text/csv; charset=utf-8' });
    await pipeline(body ?? [], response);
  } else response.writeHead(404).end();
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => (response.headersSent ? response.destroy() : response.writeHead(400).end()));
});
await once(server.listen(Number(PORT), '127.0.0.1'), 'listening');
const changes = openWebhook('/changes', String(documents.ChangesDocument));
const reminders = changes.then(() => openWebhook('/reminders', String(documents.RemindersDocument)));
const hooks = new Map(Object.entries({ '/changes': changes, '/reminders': reminders }));
await Promise.all(hooks.values());
console.log(`Notices and CSV: ${ownUrl}`);
