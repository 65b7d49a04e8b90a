import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { initWasm, Resvg, type ResvgRenderOptions } from '@resvg/resvg-wasm';
import { escapedText } from '../pages/escapedText.ts';
import type { Card } from './card.ts';
import { type Face, pictureOf } from './picture.ts';

// The thread that draws cards. It reads its library and its faces once, and nothing else: no file, no network, no font of the system.

const { resolve } = createRequire(import.meta.url);

const faces = ['DejaVuSans', 'DejaVuSans-Bold'].map((name) => readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)));

const options: ResvgRenderOptions = {
  font: { fontBuffers: faces, defaultFontFamily: 'DejaVu Sans', sansSerifFamily: 'DejaVu Sans' },
};

/** The ranges of code points that a face has glyphs for: the groups of its table `cmap` in format 12 (OpenType, "cmap"). */
function rangesOf(face: Buffer): readonly (readonly [first: number, last: number])[] {
  const tables = Array.from({ length: face.readUInt16BE(4) }, (_, index) => 12 + 16 * index);
  const table = tables.find((at) => face.toString('latin1', at, at + 4) === 'cmap');
  if (table === undefined) return [];
  const start = face.readUInt32BE(table + 8);
  const maps = Array.from(
    { length: face.readUInt16BE(start + 2) },
    (_, index) => start + face.readUInt32BE(start + 8 + 8 * index),
  );
  const map = maps.find((at) => face.readUInt16BE(at) === 12);
  if (map === undefined) return [];
  return Array.from({ length: face.readUInt32BE(map + 12) }, (_, index) => {
    const group = map + 16 + 12 * index;
    return [face.readUInt32BE(group), face.readUInt32BE(group + 4)] as const;
  });
}

const coverage = faces.map(rangesOf);

/** Runs `use` with a drawing, whose memory is outside of JavaScript. */
function draw<T>(svg: string, use: (drawing: InstanceType<typeof Resvg>) => T): T {
  const drawing = new Resvg(svg, options);
  try {
    return use(drawing);
  } finally {
    drawing.free();
  }
}

const face: Face = {
  has: (codePoint) => coverage.every((ranges) => ranges.some(([first, last]) => codePoint >= first && codePoint <= last)),
  width(text, size, isBold) {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><text font-family="DejaVu Sans" font-size="${size}" font-weight="${isBold ? 700 : 400}">${escapedText(text)}</text></svg>`;
    return draw(svg, (drawing) => drawing.getBBox()?.width ?? 0);
  },
};

const ready = initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')));

/** Draws a card as PNG. */
async function pngOf(card: Card): Promise<Uint8Array> {
  await ready;
  return draw(pictureOf(card, face), (drawing) => {
    const image = drawing.render();
    try {
      return image.asPng();
    } finally {
      image.free();
    }
  });
}

parentPort?.on('message', async (card: Card) => {
  try {
    parentPort?.postMessage({ png: await pngOf(card) });
  } catch (error) {
    parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
});
