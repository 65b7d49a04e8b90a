import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/reads/viewer.ts';
import { createAuth } from '../../../src/start/authSetup.ts';
import type { Card } from '../../../src/surfaces/cards/card.ts';
import { createDrawings } from '../../../src/surfaces/cards/drawings.ts';
import { drawableText, linesOf, pictureOf } from '../../../src/surfaces/cards/picture.ts';
import { runsAll } from '../../support/atRandom.ts';
import { builtDashboard } from '../../support/builds.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describeGroup, submitProposal, type TestGroup, vote, withdraw } from '../../support/groups.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';

const config = {
  kind: 'embedded',
  audience: undefined,
  clientsFile: undefined,
  keysFile: undefined,
  lifetime: 3600,
} as const;

/** A title that breaks what does not escape: markup, quotes, the end of a CDATA section, emoji, Chinese, Hebrew, and a character that turns the direction. */
const hostile = '"><script>alert(1)</script> ]]> & \u202e🎉 提案 שלום <img src=x onerror=alert(1)>';

let directory: string;
let chain: TestChain;
let group: TestGroup;
let open: Stack;
let [roof, hidden, long]: bigint[] = [];

async function start(isPublic: boolean, limits: Record<string, number> = {}, archive: StackOptions['archive'] = {}) {
  const created = await createAuth(config, {
    ...{ address: () => '', report: console.error },
    ...(isPublic && { anonymousScopes: ['read'] as const }),
  });
  const server = { auth: created.auth, issuer: created.issuer, dashboard: directory, limits };
  const started = await startStack([chain.node.url], { server, archive });
  const tokenWith = (scope: Scope): Promise<string> =>
    created.issuer!.sign({ clientId: 'devnet', scopes: [scope], isPublic: false });
  return { started, tokenWith };
}

beforeAll(async () => {
  [directory, chain] = await Promise.all([builtDashboard(), startChain()]);
  const [ada, ben, cyd] = chain.accounts;
  // Ada has 40 % of the weight, and 50 % are needed.
  group = await createGroup(
    chain,
    [
      [ada!, '4'],
      [ben!, '5'],
      [cyd!, '1'],
    ],
    { threshold: '5', votingSeconds: 86_400 },
  );
  await chain.run(ada!, describeGroup(ada!, group, 'Harbor & sons'));
  roof = await submitProposal(chain, group, ada!, { title: 'Repair the roof', summary: 'Before\nwinter.' });
  hidden = await submitProposal(chain, group, ada!, { title: hostile });
  long = await submitProposal(chain, group, ada!, { title: 'W'.repeat(255) });
  await chain.run(ada!, vote(ada!, roof));
  ({ started: open } = await start(true));
});

afterAll(async () => {
  expect(open.masked).toEqual([]);
  await open.close();
  await chain.devnet.close();
});

const get = (path: string, from = open, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${from.server.url}${path}`, { headers: { accept: 'text/html,*/*', ...headers } });

/** The pixels of a PNG of 8 bits for each channel, without interlace: how all cards are encoded. */
function decodePng(bytes: Buffer) {
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      chunks.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  expect([bytes[24], bytes[25], bytes[28]]).toEqual([8, 6, 0]);
  const packed = inflateSync(Buffer.concat(chunks));
  const line = 4 * width;
  const pixels = Buffer.alloc(line * height);
  for (let y = 0; y < height; y += 1) {
    const filter = packed[y * (line + 1)];
    for (let x = 0; x < line; x += 1) {
      const left = x < 4 ? 0 : pixels[y * line + x - 4]!;
      const up = y === 0 ? 0 : pixels[(y - 1) * line + x]!;
      const corner = x < 4 || y === 0 ? 0 : pixels[(y - 1) * line + x - 4]!;
      const guess = left + up - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      const predicted = [0, left, up, (left + up) >> 1, paeth][filter!]!;
      pixels[y * line + x] = (packed[y * (line + 1) + 1 + x]! + predicted) & 0xff;
    }
  }
  const at = (x: number, y: number): string => `#${pixels.toString('hex', y * line + 4 * x, y * line + 4 * x + 3)}`;
  return { width, height, at };
}

const cardOf = async (id: bigint | undefined) => {
  const response = await get(`/cards/proposals/${id}.png`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  return decodePng(Buffer.from(await response.arrayBuffer()));
};

/** The elements `meta` of a page, by name. */
const tagsOf = (html: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...html.matchAll(/<meta (?:property|name)="([^"]*)" content="([^"]*)">/g)].map(([, name, text]) => [name, text]),
  );

describe('the picture', () => {
  it.runIf(runsAll)('has the tally as a bar, with a mark at the weight that is needed', async () => {
    const { width, height, at } = await cardOf(roof);
    expect([width, height]).toEqual([1200, 630]);
    // The bar is 1,072 pixels wide from 64: 40 % are yes.
    const [yes, rest, mark] = ['#1a8f4f', '#e6e9ee', '#14181f'];
    expect([66, 250, 64 + 428 - 3].map((x) => at(x, 458))).toEqual([yes, yes, yes]);
    expect([64 + 429 + 2, 900, 1134].map((x) => at(x, 458))).toEqual([rest, rest, rest]);
    expect([at(600, 458), at(600, 430)]).toEqual([mark, mark]);
    expect(at(1138, 458)).toBe('#ffffff');
  });

  it.runIf(runsAll)('is drawn of every title', async () => {
    for (const id of [hidden, long]) expect((await cardOf(id)).width).toBe(1200);
  });

  it('is not sent again while it is the same', async () => {
    const { headers } = await get(`/cards/proposals/${roof}.png`);
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    const again = await get(`/cards/proposals/${roof}.png`, open, { 'if-none-match': headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  it('is 404 of what does not exist, and of every other path', async () => {
    for (const path of ['proposals/999', 'gov/999', 'proposals/0', 'proposals/1.5', 'groups/1', `proposals/${'9'.repeat(20)}`])
      expect([path, (await get(`/cards/${path}.png`)).status]).toEqual([path, 404]);
    expect((await fetch(`${open.server.url}/cards/proposals/${roof}.png`, { method: 'POST' })).status).toBe(405);
  });

  it.runIf(runsAll)('is drawn of proposals of the governance module, and 404 of an id that no archive can hold', async () => {
    const { started } = await start(true, {}, { records: true });
    const card = await get('/cards/gov/6.png', started);
    expect([card.status, card.headers.get('content-type')]).toEqual([200, 'image/png']);
    for (const kind of ['proposals', 'gov'])
      expect((await get(`/cards/${kind}/${'9'.repeat(19)}.png`, started)).status).toBe(404);
    await started.close();
  });

  it('is refused while too many wait to be drawn', async () => {
    const { started } = await start(true, { 'card.waiting': 0 });
    const refused = await get(`/cards/proposals/${roof}.png`, started);
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { errors: [{ extensions: { code: 'RATE_LIMITED', limit: 'card.waiting' } }] },
    ]);
    await started.close();
  });

  it.runIf(runsAll)('changes with the proposal', async () => {
    const first = (await get(`/cards/proposals/${hidden}.png`)).headers.get('etag');
    await chain.run(chain.accounts[0]!, withdraw(chain.accounts[0]!, hidden!));
    await expect.poll(async () => (await get(`/cards/proposals/${hidden}.png`)).headers.get('etag')).not.toBe(first);
    await expect.poll(async () => (await get(`/dashboard/proposals/${hidden}`)).text()).toContain('content="Withdrawn. ');
  });
});

describe('the page of a proposal', () => {
  it('has the tags of its card', async () => {
    const response = await get(`/dashboard/proposals/${roof}`);
    const { url } = open.server;
    expect(tagsOf(await response.text())).toMatchObject({
      'og:title': 'Repair the roof',
      'og:description': expect.stringMatching(
        /^Open: needs 1 more yes\. Yes 40%, Not voted 60%\. Voting ends \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Before winter\.$/,
      ),
      'og:image': `${url}/cards/proposals/${roof}.png`,
      'og:url': `${url}/dashboard/proposals/${roof}`,
      'og:image:width': '1200',
      'og:site_name': 'Stele',
      'twitter:card': 'summary_large_image',
    });
  });

  it('escapes the title', async () => {
    const html = await (await get(`/dashboard/proposals/${hidden}`)).text();
    expect(html).toContain('content="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; ]]&gt; &amp; ');
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('<img');
  });

  it.runIf(runsAll)('is the plain page elsewhere, of what does not exist, and for a caller without points', async () => {
    const plain = await (await get('/dashboard')).text();
    expect(plain).not.toContain('og:');
    for (const path of [`groups/${group.id}`, 'proposals/999', 'gov/999', 'proposals/x', 'proposals'])
      expect(await (await get(`/dashboard/${path}`)).text()).toBe(plain);
    const { started } = await start(true, { 'anonymous.points': 5 });
    // The first request takes more points than there are.
    expect(await (await get(`/dashboard/proposals/${roof}`, started)).text()).toContain('og:image');
    expect(await (await get(`/dashboard/proposals/${roof}`, started)).text()).toBe(plain);
    expect((await get(`/cards/proposals/${roof}.png`, started)).status).toBe(429);
    await started.close();
  });

  it.runIf(runsAll)('has no tags where a token is needed, and the picture needs one', async () => {
    const { started, tokenWith } = await start(false);
    const picture = async (scope: Scope): Promise<Response> =>
      get(`/cards/proposals/${roof}.png`, started, { authorization: `Bearer ${await tokenWith(scope)}` });
    expect(await (await get(`/dashboard/proposals/${roof}`, started)).text()).not.toContain('og:');
    expect((await get(`/cards/proposals/${roof}.png`, started)).status).toBe(401);
    expect((await picture('broadcast')).status).toBe(403);
    const own = await picture('read');
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'private, max-age=60']);
    await started.close();
  });
});

const card: Card = {
  ...{ name: 'Proposal 1', board: 'A & B', title: hostile, summary: '', state: 'Open', tone: 'open', parts: [], mark: null },
  deadline: '',
};

describe('the thread that draws', () => {
  it.runIf(runsAll)('counts what waits, and draws the next card after one that cannot be drawn', async () => {
    const { draw, waiting, close } = createDrawings();
    // XML cannot contain this character.
    const failed = expect(draw({ ...card, state: '\u0000' })).rejects.toThrow('A card was not drawn');
    const next = draw(card);
    expect(waiting()).toBe(2);
    await failed;
    expect(decodePng(await next).width).toBe(1200);
    expect(waiting()).toBe(0);
    close();
  });

  it.runIf(runsAll)('leaves no card waiting when it ends, and another one begins', async () => {
    const { draw, waiting, close } = createDrawings();
    const failed = expect(draw(card)).rejects.toThrow('The server is closed.');
    close();
    await failed;
    expect(waiting()).toBe(0);
    expect(decodePng(await draw(card)).width).toBe(1200);
    close();
  });
});

describe('what is drawn', () => {
  const face = { has: (point: number) => point < 0x700, width: (text: string, size: number) => text.length * size * 0.6 };

  it('leaves out what the face cannot show', () => {
    expect(drawableText(' a🎉\u202e\u0000\n\n提b\ud800 ', face)).toBe('a b');
  });

  it('escapes texts, and loads nothing', () => {
    const svg = pictureOf(card, face);
    expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt; ]]&gt; &amp;');
    expect(svg).not.toMatch(/<(script|img|image|use|style|a)\b|href|url\(/);
  });

  it('shows the name of a proposal whose title cannot be shown', () => {
    expect(pictureOf({ ...card, title: '提案：修理港口的屋顶 2' }, face)).toContain('>Proposal 1<');
    expect(pictureOf({ ...card, title: '' }, face)).toContain('>Proposal 1<');
  });

  it('breaks lines between words, and words that are too long', () => {
    const fits = (text: string): boolean => text.length <= 10;
    expect(linesOf('one two three four', 3, fits)).toEqual(['one two', 'three four']);
    expect(linesOf('x'.repeat(25), 3, fits)).toEqual(['xxxxxxxxxx', 'xxxxxxxxxx', 'xxxxx']);
    expect(linesOf('one two three four five', 2, fits)).toEqual(['one two', 'three fou…']);
    expect(linesOf('', 2, fits)).toEqual([]);
    expect(linesOf('abc', 2, () => false)).toEqual([]);
  });
});
