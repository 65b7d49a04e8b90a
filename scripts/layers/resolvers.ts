/** What the code of a resolver must not use, because its value could differ between two executions (CONTRIBUTING.md, "Write resolvers"). */
const varying: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'reads a clock',
    /\bnew Date\(\)|\bDate(?:\.now)?\(\)|\bDate\.now\b|\bperformance\b|\bhrtime\b|\b(?:setTimeout|setInterval)\(/,
  ],
  ['uses random numbers', /\bMath\.random\b|\brandomUUID\b|\brandomBytes\b|\bgetRandomValues\b/],
  ['has a variable outside of functions', /^(?:export )?(?:let|var) /],
  [
    'has state outside of functions; if it never changes, give it a Readonly type',
    /^(?:export )?const \w+ = (?:new \w*(?:Map|Set|Cache)\b|\[\]|\{\};)/,
  ],
  [
    'has state outside of functions; if it never changes, give it a Readonly type',
    /^(?:export )?const \w+: (?!Readonly)[^=]*\b(?:Map|Set|Cache|Array)\b[^=]* =/,
  ],
];

/** Clocks, random numbers and module-level state in a file of `src/modules`, one line each. Comments are not read. */
export function checkResolvers(file: string, text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ''));
  return code
    .split('\n')
    .flatMap((line, index) =>
      varying.filter(([, pattern]) => pattern.test(line)).map(([what]) => `${file}:${index + 1} ${what}: ${line.trim()}`),
    );
}
