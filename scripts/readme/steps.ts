/** A block of a page that is executed: `sh` in a shell, `js` by Node.js, `graphql` by the server. */
interface Block {
  /** Its position, such as `README.md:25`. */
  readonly at: string;
  readonly language: 'sh' | 'js' | 'graphql';
  readonly text: string;
  /** The text around it: from the block or heading above to the block or heading below, with the output that the page shows. */
  readonly announced: string;
}

/** The steps of a reader of a page, in order. */
export type Step =
  | (Block & { readonly kind: 'run'; readonly expected: string | undefined })
  /**
   * A block that runs until it is stopped: a server or a stream. `ready` is its output when it is up, if the default output
   * does not apply.
   */
  | (Block & { readonly kind: 'start'; readonly ready: string | undefined })
  /** A file that the reader creates: its path in the checkout and its content. */
  | { readonly kind: 'write'; readonly at: string; readonly path: string; readonly text: string }
  /** Ctrl-C for the last started block. */
  | { readonly kind: 'stop'; readonly at: string }
  /** A block that installs packages. It is executed only on request. */
  | { readonly kind: 'install'; readonly at: string; readonly step: Step }
  | { readonly kind: 'skip'; readonly at: string; readonly reason: string };

/** An error in the marks of a page. */
export class PageError extends Error {
  override readonly name = 'PageError';
}

const fence = /^```(\w*)$/;
const stop = '<!-- stop -->';
const untilStopped = /^<!-- runs until Ctrl-C(?:, ready at "(.+)")? -->$/;
const notRun = /^<!-- not run: (.+) -->$/;
const installs = '<!-- installs packages -->';
const file = /^<!-- file: (\S+) -->$/;

/** The text between the block or heading above a block and the block or heading below it. A json block directly below belongs to it. */
function textAround(lines: readonly string[], begin: number, end: number): string {
  const isBorder = (line: string): boolean => line.startsWith('```') || /^#+ /.test(line);
  const after = lines.findIndex((line, index) => index > end && line !== '');
  const last = lines[after] === '```json' ? lines.indexOf('```', after + 1) : end;
  const from = lines.findLastIndex((line, index) => index < begin && isBorder(line));
  const to = lines.findIndex((line, index) => index > last && isBorder(line));
  return [...lines.slice(from + 1, begin), ...lines.slice(end + 1, to === -1 ? undefined : to)].join('\n');
}

/** Whether a block can be executed: commands, a program, or a GraphQL operation, but not a type definition. */
function isRun(language: string, text: string): language is Block['language'] {
  return language === 'sh' || language === 'js' || (language === 'graphql' && /^(\{|query|mutation)/.test(text));
}

/**
 * Parses the steps of a Markdown page. Comments directly above a block control its execution: `runs until Ctrl-C`, `not run:
 * why`, `installs packages`. With the comment `file: path`, the block is the content of a file. The comment `stop`
 * stops the last started block. A `json` block directly below a block is its expected output. Throws a {@link PageError} if a
 * block is started and never stopped, or stopped and never started.
 */
export function readSteps(page: string, markdown: string): readonly Step[] {
  const steps: Step[] = [];
  const lines = markdown.split('\n');
  let marks: string[] = [];
  /** The block directly above, separated by empty lines only. */
  let above: number | undefined;
  /** The running blocks, and how each is executed. */
  const running: { readonly at: string; readonly how: Step['kind'] }[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const language = fence.exec(line)?.[1];
    const at = `${page}:${index + 1}`;
    if (language === undefined) {
      if (line.startsWith('<!--')) marks.push(line);
      else if (line !== '') marks = [];
      if (line !== '') above = undefined;
      if (line === stop) steps.push(...stopOf(running.pop()?.how, at));
      continue;
    }
    const end = lines.indexOf('```', index + 1);
    const text = lines.slice(index + 1, end).join('\n');
    const announced = textAround(lines, index, end);
    index = end;
    if (language === 'json' && above !== undefined) steps[above] = expecting(steps[above], text);
    above = undefined;
    const path = marks.map((mark) => file.exec(mark)?.[1]).find((each) => each !== undefined);
    if (path !== undefined) steps.push({ kind: 'write', at, path, text: `${text}\n` });
    else if (isRun(language, text)) {
      const step = stepOf({ at, language, text, announced }, marks);
      above = steps.push(step) - 1;
      if (marks.some((mark) => untilStopped.test(mark))) running.push({ at, how: step.kind });
    }
    marks = [];
  }
  if (running.length > 0)
    throw new PageError(`${page}: the commands of ${running.map(({ at }) => at).join(' and ')} are never stopped`);
  return steps;
}

/** Returns how a block is executed, from the marks above it. */
function stepOf(block: Block, marks: readonly string[]): Step {
  const reason = marks.map((mark) => notRun.exec(mark)?.[1]).find((each) => each !== undefined);
  if (reason !== undefined) return { kind: 'skip', at: block.at, reason };
  const until = marks.map((mark) => untilStopped.exec(mark)).find((each) => each !== null);
  const step: Step = until ? { kind: 'start', ...block, ready: until[1] } : { kind: 'run', ...block, expected: undefined };
  return marks.includes(installs) ? { kind: 'install', at: block.at, step } : step;
}

/** Returns the stop of a block. None if the block is not executed. */
function stopOf(how: Step['kind'] | undefined, at: string): readonly Step[] {
  if (how === undefined) throw new PageError(`${at}: there is no running block to stop`);
  if (how === 'skip') return [];
  const step: Step = { kind: 'stop', at };
  return [how === 'install' ? { kind: 'install', at, step } : step];
}

/** Returns the step with this expected output. */
function expecting(step: Step | undefined, expected: string): Step {
  if (step?.kind === 'skip') return step;
  if (step?.kind === 'install') return { ...step, step: expecting(step.step, expected) };
  if (step?.kind === 'run') return { ...step, expected };
  throw new PageError('only a block that ends prints what a json block says');
}
