import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { wrongOutput } from '../scripts/readme/output.ts';
import { readLog, unannouncedFailure } from '../scripts/readme/requests.ts';
import { PageError, readSteps, type Step } from '../scripts/readme/steps.ts';
import { schema } from '../src/graphql/schema.ts';

/** A page with these parts. */
const page = (...parts: readonly string[]): readonly Step[] => readSteps('page.md', parts.join('\n\n'));
const block = (text: string, language = 'sh'): string => `\`\`\`${language}\n${text}\n\`\`\``;
const untilStopped = '<!-- runs until Ctrl-C -->';

describe('the pages', () => {
  const docs = readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []));
  const pages = ['README.md', 'packages/client/README.md', ...docs];

  it.each(pages)('%s: each block that starts a server or a stream is marked as such and stopped', (name) => {
    const steps = readSteps(name, readFileSync(name, 'utf8')).map((step) => (step.kind === 'install' ? step.step : step));
    const starts = /npm (start(?! --workspace)|run (dev|devnet)\b)/;
    expect(steps.flatMap((step) => (step.kind === 'run' && starts.test(step.text) ? [step.at] : []))).toEqual([]);
  });

  it('run at least thirty blocks, two of them in the README, and give the reason for each block that is not run', () => {
    const steps = pages.flatMap((name) => readSteps(name, readFileSync(name, 'utf8')));
    const run = steps.filter(({ kind }) => kind === 'run');
    expect(run.length).toBeGreaterThanOrEqual(30);
    expect(run.filter(({ at }) => at.startsWith('README.md')).length).toBeGreaterThanOrEqual(2);
    const reasons = steps.flatMap((step) => (step.kind === 'skip' ? [`${step.at.replace(/:.*/, '')}: ${step.reason}`] : []));
    expect(reasons).toEqual([
      'README.md: the build runs it by itself',
      'README.md: it needs the network',
      'docs/agents.md: a test runs it',
      'docs/authentication.md: it needs an issuer',
      'docs/dashboard.md: it needs a provider',
      'docs/operating.md: it needs the network',
      'docs/operating.md: it needs the network',
      'docs/operating.md: it needs Docker and pulls images',
      'docs/operating.md: it needs Docker and pulls images',
      'docs/operating.md: it needs a Kubernetes cluster',
      'docs/operating.md: it needs promtool; a test runs it where it is installed',
      'docs/operating.md: it needs PostgreSQL; a test runs it where it is installed',
      'docs/operating.md: it needs PostgreSQL; a test runs it where it is installed',
      'docs/packages.md: it takes a minute, and the build runs it by itself',
      'docs/packages.md: the paths are those of your machine',
      'docs/packages.md: it installs packages',
      'docs/plugins.md: the files are your own',
      'docs/public.md: it needs a browser',
      'docs/stores.md: it needs a node of another chain',
      'docs/trusted-documents.md: it needs a cache',
      'docs/web-pages.md: it needs a browser',
      'docs/web-pages.md: it needs a provider',
      'docs/web-pages.md: it needs a browser',
    ]);
  });
});

describe('the steps of a page', () => {
  it('are its shell commands, programs and operations', () => {
    const steps = page(
      block('echo a'),
      block('print()', 'js'),
      block('{ head { height } }', 'graphql'),
      block('type A { b: Int }', 'graphql'),
    );
    const more = page(block('a: 1', 'yaml'), block('flowchart', 'mermaid'), 'text');
    expect([...steps, ...more].map((step) => [step.kind, 'text' in step && step.text])).toEqual([
      ['run', 'echo a'],
      ['run', 'print()'],
      ['run', '{ head { height } }'],
    ]);
  });

  it('expect the output in a json block directly below a block, and ignore other json blocks', () => {
    expect(page(block('a'), block('{"b": 1}', 'json'))).toMatchObject([{ kind: 'run', expected: '{"b": 1}' }]);
    expect(page(block('a'), 'Some text.', block('{"b": 1}', 'json'))).toMatchObject([{ kind: 'run', expected: undefined }]);
  });

  it('write a block with a file name to that file, and do not run it', () => {
    const written = page(`<!-- file: app/a.graphql -->\n${block('query A { b }', 'graphql')}`, block('{"b": 1}', 'json'));
    expect(written).toEqual([{ kind: 'write', at: 'page.md:2', path: 'app/a.graphql', text: 'query A { b }\n' }]);
  });

  it('stop the last started block where a comment says so', () => {
    const steps = page(
      `${untilStopped}\n${block('npm start')}`,
      `${untilStopped}\n${block('curl -N')}`,
      '<!-- stop -->',
      block('echo'),
      '<!-- stop -->',
    );
    expect(steps.map(({ kind }) => kind)).toEqual(['start', 'start', 'stop', 'run', 'stop']);
  });

  it('omit the stop of a block that is not run, and keep the stop of a block that installs packages', () => {
    const stopped = '<!-- stop -->';
    expect(page(`${untilStopped}\n<!-- not run: it needs the network -->\n${block('npm start')}`, stopped)).toEqual([
      { kind: 'skip', at: 'page.md:3', reason: 'it needs the network' },
    ]);
    expect(
      page(
        `<!-- runs until Ctrl-C, ready at "It is" -->\n<!-- installs packages -->\n${block('npm ci && npm start')}`,
        stopped,
      ),
    ).toMatchObject([
      { kind: 'install', step: { kind: 'start', ready: 'It is' } },
      { kind: 'install', step: { kind: 'stop' } },
    ]);
  });

  it('reject a block that is never stopped, and a stop without a running block', () => {
    expect(() => page(`${untilStopped}\n${block('npm start')}`)).toThrow(
      new PageError('page.md: the commands of page.md:2 are never stopped'),
    );
    expect(() => page('<!-- stop -->')).toThrow(new PageError('page.md:1: there is no running block to stop'));
  });
});

describe('the output of a block', () => {
  const expected = '{"data": {"height": "1", "list": [{"a": null}], "on": true}}';

  it.each([
    ['{"data":{"height":"77","list":[{"a":"x"},{"a":null}],"on":false}}', undefined],
    ['{"data":{"height":"77","list":[{"a":1}],"on":"no"}}', 'the output.data.on is "no", not as true'],
    ['{"data":{"height":"high","list":[{"a":1}],"on":true}}', 'the output.data.height is "high", not a number as "1"'],
    ['{"data":{"height":"7","list":[{"b":1}],"on":true}}', 'the output.data.list[0] has the keys b, not a'],
    ['{"data":{"height":"7","list":[],"on":true}}', 'the output.data.list has 0 entries, not 1'],
    ['{"data":{"list":[{"a":1}],"on":true}}', 'the output.data has the keys list, on, not height, list, on'],
    ['curl: (7)', 'it did not print JSON: curl: (7)'],
    ['{"errors":[{}]}', 'it printed an error: {"errors":[{}]}'],
  ])('%s compared with its json block', (output, wrong) => {
    expect(wrongOutput('curl localhost', output, expected)).toBe(wrong);
  });

  it('must be equal if the block names a height', () => {
    const pinned = "curl -H 'x-cosmos-block-height: 1'";
    const two = '{"tally":{"yes":"5"}}\n{"tally":{"no":"3.5"}}';
    expect(wrongOutput(pinned, `${two}\n`, two)).toBeUndefined();
    expect(wrongOutput(pinned, two.replace('3.5', '3.6'), two)).toBe('line 2.tally.no is "3.6", not "3.5"');
    expect(wrongOutput('curl', two.replace('3.5', '3.6'), two)).toBeUndefined();
  });

  it('may have errors if the page shows errors', () => {
    const shown = '{"errors": [{"message": "a"}], "data": null}';
    expect(wrongOutput('curl', '{"errors":[{"message":"b"}],"data":null}', shown)).toBeUndefined();
    expect(wrongOutput('curl', '{"data":{}}', shown)).toBe('the output has the keys data, not data, errors');
  });

  it('may be anything but an error if the page shows no output', () => {
    expect(wrongOutput('npm run client', 'client_id x', undefined)).toBeUndefined();
    expect(wrongOutput('curl', '{"errors": [{"message": ""}]}', undefined)).toMatch(/^it printed an error/);
  });
});

describe('what the server logs while a block runs', () => {
  const line = (more: object): string =>
    JSON.stringify({
      level: 'info',
      time: '2026-11-23T10:00:00Z',
      requestId: 'r',
      surface: 'graphql',
      code: 'OK',
      status: 200,
      msg: 'request',
      ...more,
    });
  const failing = line({ code: 'GRAPHQL_VALIDATION_FAILED', operation: 'A' });

  it.each([
    ['a request that succeeds', line({}), '', undefined],
    ['a stream that the reader ends', line({ code: 'CANCELLED' }), '', undefined],
    [
      'a GraphQL error within status 200',
      failing,
      'It prints the height.',
      'a request (A) at graphql had the status 200 and the code GRAPHQL_VALIDATION_FAILED, which the text does not announce',
    ],
    ['a GraphQL error that the text names', failing, 'It prints `GRAPHQL_VALIDATION_FAILED`.', undefined],
    [
      'a status that the text does not name',
      line({ code: 'NOT_FOUND', status: 404, surface: 'rest' }),
      'There are 4040 of 1.404.',
      'a request at rest had the status 404 and the code NOT_FOUND, which the text does not announce',
    ],
    ['a status that the text names', line({ code: 'NOT_FOUND', status: 404 }), 'prints the status 404.', undefined],
  ])("reads the server's line %s", (_, log, text, wrong) => {
    const { requests } = readLog(`Stele is up\n${log}\n`);
    expect(requests).toHaveLength(1);
    expect(unannouncedFailure(requests, text)).toBe(wrong);
  });

  it('failures and the output of others are told apart', () => {
    const failure = '{"level":"error","time":"t","requestId":"r","error":"Error: no","msg":"failure"}';
    expect(readLog(`${failure}\ndata: {"errors":[{}]}`)).toEqual({
      requests: [],
      failures: ['Error: no'],
      others: 'data: {"errors":[{}]}',
    });
  });

  it('is compared with the text around the block, to the next block or heading', () => {
    const [, step] = page(
      '# A',
      block('a'),
      'Before it.',
      block('b'),
      block('{"code":"X"}', 'json'),
      'After it.',
      '## B',
      'Far.',
    );
    expect(step).toMatchObject({ announced: expect.stringMatching(/^\nBefore it\..*"code":"X".*After it\.\n$/s) });
  });
});

describe('links and operations of the pages', () => {
  const pages = ['README.md', 'packages/client/README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].filter((name) =>
    existsSync(name),
  );
  pages.push(...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])));

  /** The anchors of the headings of a page, in GitHub's form. */
  const anchorsOf = (markdown: string): readonly string[] =>
    [...markdown.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );

  it.each(pages)('%s links to files and sections that exist', (page) => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links.flatMap(([link, path, anchor]) => {
      const file = path === '' ? page : join(dirname(page), path!);
      if (!existsSync(file)) return [link];
      return anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor) ? [] : [link];
    });
    expect(broken).toEqual([]);
  });

  it.each(pages)('the GraphQL operations of %s are valid', (page) => {
    const blocks = [...readFileSync(page, 'utf8').matchAll(/^```graphql\n(.*?)^```/gms)].map(([, text]) => text!);
    // Type definitions belong to another subgraph.
    const operations = blocks.filter((text) => !/^(extend )?type /.test(text));
    expect(operations.flatMap((text) => validate(schema, parse(text)).map(({ message }) => message))).toEqual([]);
  });
});
