/** A block of a page that is run: `sh` in a shell, `js` by Node.js, `graphql` by the server. */
interface Block {
  /** Where it stands, such as `README.md:25`. */
  readonly at: string;
  readonly language: 'sh' | 'js' | 'graphql';
  readonly text: string;
}

/** What a reader of a page does, in order. */
export type Step =
  | (Block & { readonly kind: 'run'; readonly expected: string | undefined })
  /** A block that runs until it is stopped: a server or a stream. `ready`: what it prints when it is up, where the first line that says so is not the one. */
  | (Block & { readonly kind: 'start'; readonly ready: string | undefined })
  /** A file that the reader creates: its path in the checkout, and its content. */
  | { readonly kind: 'write'; readonly at: string; readonly path: string; readonly text: string }
  /** Ctrl-C for the block that was started last. */
  | { readonly kind: 'stop'; readonly at: string }
  /** A block that installs packages: run only where that is wanted. */
  | { readonly kind: 'install'; readonly at: string; readonly step: Step }
  | { readonly kind: 'skip'; readonly at: string; readonly reason: string };

/** A page that cannot be run: a mistake in its marks. */
export class PageError extends Error {
  override readonly name = 'PageError';
}

const fence = /^```(\w*)$/;
const stop = /\bStop (?:it|the server|the chain|all three) with Ctrl-C\b/;
const untilStopped = /^<!-- runs until Ctrl-C(?:, ready at "(.+)")? -->$/;
const notRun = /^<!-- not run: (.+) -->$/;
const installs = '<!-- installs packages -->';
const file = /^<!-- file: (\S+) -->$/;

/** Whether a block is something to run: commands, a program, or a GraphQL operation; a type definition is none. */
function isRun(language: string, text: string): language is Block['language'] {
  return language === 'sh' || language === 'js' || (language === 'graphql' && /^(\{|query|mutation)/.test(text));
}

/**
 * Reads the steps of a page of Markdown. Comments right above a block say how it is run: `runs until Ctrl-C`, `not run: why`, `installs
 * packages`. With the comment `file: path` the block is the content of a file. The words "Stop it with Ctrl-C" in the text stop what was
 * started last. A `json` block right below a block is what it prints.
 * Throws {@link PageError} where something is started and never stopped, or stopped and never started.
 */
export function readSteps(page: string, markdown: string): readonly Step[] {
  const steps: Step[] = [];
  const lines = markdown.split('\n');
  let marks: string[] = [];
  /** The block right above, with nothing but empty lines between. */
  let above: number | undefined;
  /** What has been started, and how. */
  const running: { readonly at: string; readonly how: Step['kind'] }[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const language = fence.exec(line)?.[1];
    const at = `${page}:${index + 1}`;
    if (language === undefined) {
      if (line.startsWith('<!--')) marks.push(line);
      else if (line !== '') marks = [];
      if (line !== '') above = undefined;
      if (stop.test(line)) steps.push(...stopOf(running.pop()?.how, at));
      continue;
    }
    const end = lines.indexOf('```', index + 1);
    const text = lines.slice(index + 1, end).join('\n');
    index = end;
    if (language === 'json' && above !== undefined) steps[above] = expecting(steps[above], text);
    above = undefined;
    const path = marks.map((mark) => file.exec(mark)?.[1]).find((each) => each !== undefined);
    if (path !== undefined) steps.push({ kind: 'write', at, path, text: `${text}\n` });
    else if (isRun(language, text)) {
      const step = stepOf({ at, language, text }, marks);
      above = steps.push(step) - 1;
      if (marks.some((mark) => untilStopped.test(mark))) running.push({ at, how: step.kind });
    }
    marks = [];
  }
  if (running.length > 0)
    throw new PageError(`${page}: what ${running.map(({ at }) => at).join(' and ')} starts is never stopped`);
  return steps;
}

/** How a block is run, by the marks above it. */
function stepOf(block: Block, marks: readonly string[]): Step {
  const reason = marks.map((mark) => notRun.exec(mark)?.[1]).find((each) => each !== undefined);
  if (reason !== undefined) return { kind: 'skip', at: block.at, reason };
  const until = marks.map((mark) => untilStopped.exec(mark)).find((each) => each !== null);
  const step: Step = until ? { kind: 'start', ...block, ready: until[1] } : { kind: 'run', ...block, expected: undefined };
  return marks.includes(installs) ? { kind: 'install', at: block.at, step } : step;
}

/** The stop of what was started in this way; none of what is not run. */
function stopOf(how: Step['kind'] | undefined, at: string): readonly Step[] {
  if (how === undefined) throw new PageError(`${at}: nothing runs that could be stopped`);
  if (how === 'skip') return [];
  const step: Step = { kind: 'stop', at };
  return [how === 'install' ? { kind: 'install', at, step } : step];
}

/** The same step, which prints this. */
function expecting(step: Step | undefined, expected: string): Step {
  if (step?.kind === 'skip') return step;
  if (step?.kind === 'install') return { ...step, step: expecting(step.step, expected) };
  if (step?.kind === 'run') return { ...step, expected };
  throw new PageError('only a block that ends prints what a json block says');
}
