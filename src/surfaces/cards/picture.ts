import { escapedText } from '../pages/escapedText.ts';
import type { Card } from './card.ts';
import { optionNames } from './card.ts';

/** The size of a card, in pixels: what sites expect of a large picture. */
export const width = 1200;
export const height = 630;

/** What the picture is drawn with. */
export interface Face {
  /** Whether the face has a glyph for each code point. */
  has(codePoint: number): boolean;
  /** Width of a text in pixels. */
  width(text: string, size: number, isBold: boolean): number;
}

const colours = {
  ...{ page: '#ffffff', text: '#14181f', muted: '#4d5766', line: '#d8dde5' },
  tone: { good: '#11703c', bad: '#b3261e', open: '#1f5fbf' },
  option: { yes: '#1a8f4f', abstain: '#8a94a3', no: '#d0342c', veto: '#7d1d17', open: '#e6e9ee' },
} as const;

const margin = 64;
const inner = width - 2 * margin;

/** Letters that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

const firstLetter = /\p{L}/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest text that is laid out, in code units. The chain allows 255 bytes by default. */
const longestText = 300;

/** The text without characters that have no glyph, such as emoji and Chinese letters, and without those that control the direction. */
export function drawableText(text: string, { has }: Pick<Face, 'has'>): string {
  const drawn = [...text.slice(0, longestText).toWellFormed().replaceAll(/\s+/g, ' ')].filter(
    (letter) => letter === ' ' || (!/[\p{C}\p{Variation_Selector}]/u.test(letter) && has(letter.codePointAt(0) ?? 0)),
  );
  return drawn.join('').replaceAll(/ +/g, ' ').trim();
}

/** The title as it is drawn: the name of the proposal if it has none, or if most of its letters have no glyph. */
function titleOf({ title, name }: Card, face: Face): string {
  const drawn = drawableText(title, face);
  const letters = (text: string): number => [...text].filter((letter) => /[\p{L}\p{N}]/u.test(letter)).length;
  return letters(drawn) === 0 || 2 * letters(drawn) < letters(title.slice(0, longestText)) ? name : drawn;
}

/** The longest start of a text that fits, at the border of a grapheme. */
function startThatFits(text: string, fits: (text: string) => boolean): string {
  const ends = [...graphemes.segment(text)].map(({ index, segment }) => index + segment.length);
  let [least, most] = [0, ends.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(text.slice(0, ends[middle - 1]))) least = middle;
    else most = middle - 1;
  }
  return text.slice(0, least === 0 ? 0 : ends[least - 1]);
}

/** Breaks a text into lines, between words where it can. The last line ends with an ellipsis if there is more. */
export function linesOf(text: string, most: number, fits: (text: string) => boolean): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '') {
    if (fits(rest)) return [...lines, rest];
    if (lines.length === most - 1) return [...lines, `${startThatFits(rest, (start) => fits(`${start}…`)).trimEnd()}…`];
    const start = startThatFits(rest, fits);
    const space = rest[start.length] === ' ' ? start.length : start.lastIndexOf(' ');
    const line = space > 0 ? start.slice(0, space) : start;
    if (line === '') return lines;
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

/** A line of text. One that begins with a letter that is written from right to left ends at the right margin. */
function lineOf(
  text: string,
  y: number,
  { size, fill, isBold = false }: { size: number; fill: string; isBold?: boolean },
): string {
  const isRight = rightToLeft.test(firstLetter.exec(text)?.[0] ?? '');
  const place = isRight ? `x="${width - margin}" text-anchor="end"` : `x="${margin}"`;
  return `<text ${place} y="${y}" font-size="${size}" font-weight="${isBold ? 700 : 400}" fill="${fill}">${escapedText(text)}</text>`;
}

/** The bar of the tally, with a mark and a legend. */
function tallyOf({ parts, mark }: Card, y: number, face: Face): string {
  if (parts.length === 0) return '';
  let x = margin;
  let legend = margin;
  const drawn = parts.map(({ option, share }) => {
    const part = (inner * share) / 100;
    const bar = `<rect x="${x.toFixed(2)}" y="${y}" width="${part.toFixed(2)}" height="44" fill="${colours.option[option]}"/>`;
    x += part;
    const text = `${optionNames[option]} ${share > 0 && share < 1 ? '<1' : Math.round(share)}%`;
    const key =
      share === 0
        ? ''
        : `<rect x="${legend}" y="${y + 66}" width="20" height="20" rx="4" fill="${colours.option[option]}" stroke="${colours.line}"/>` +
          `<text x="${legend + 30}" y="${y + 84}" font-size="24" fill="${colours.muted}">${escapedText(text)}</text>`;
    if (share !== 0) legend += 30 + Math.ceil(face.width(text, 24, false)) + 36;
    return bar + key;
  });
  const at = mark === null ? undefined : (margin + (inner * mark) / 100 - 2).toFixed(2);
  return `${drawn.join('')}${at === undefined ? '' : `<rect x="${at}" y="${y - 8}" width="4" height="60" fill="${colours.text}"/>`}`;
}

/** The picture of a card as SVG. It contains no link and no script, and all texts of users are escaped. */
export function pictureOf(card: Card, face: Face): string {
  const fits = (size: number, isBold: boolean) => (text: string) => face.width(text, size, isBold) <= inner;
  const title = titleOf(card, face);
  const large = linesOf(title, 2, fits(64, true));
  const isLarge = !large.at(-1)?.endsWith('…') || title.endsWith('…');
  const lines = isLarge ? large : linesOf(title, 3, fits(48, true));
  const board = drawableText(card.board, face);
  const head = linesOf(
    [title === card.name ? '' : card.name, board].filter((part) => part !== '').join(' · '),
    1,
    fits(30, false),
  );
  const tone = colours.tone[card.tone];
  const [size, step] = isLarge ? [64, 82] : [48, 62];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="DejaVu Sans">`,
    `<rect width="${width}" height="${height}" fill="${colours.page}"/><rect width="16" height="${height}" fill="${tone}"/>`,
    ...head.map((line) => lineOf(line, 94, { size: 30, fill: colours.muted })),
    ...lines.map((line, index) => lineOf(line, 190 + index * step, { size, fill: colours.text, isBold: true })),
    ...linesOf(card.state, 1, fits(40, true)).map((line) => lineOf(line, 400, { size: 40, fill: tone, isBold: true })),
    tallyOf(card, 436, face),
    lineOf(card.deadline, 588, { size: 26, fill: colours.muted }),
    '</svg>',
  ].join('');
}
