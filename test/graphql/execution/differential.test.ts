import { readdirSync, readFileSync } from 'node:fs';
import { type DocumentNode, parse } from 'graphql';
import { expect, it } from 'vitest';
import { createExecute } from '../../../src/graphql/execution/execute.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { compare, type Outcome } from '../../support/execution/compare.ts';
import { documentsIn } from '../../support/execution/documentsIn.ts';
import { createFaultySchema } from '../../support/execution/faultySchema.ts';
import { createRandom, hash } from '../../support/execution/random.ts';
import { randomOperation } from '../../support/execution/randomDocuments.ts';
import { randomVariables } from '../../support/execution/randomValues.ts';

const faulty = createFaultySchema();
const { schema } = faulty;
const executeCompiled = createExecute();

/** Resolvers that never fail or wait, and such that do both. */
const behaviours = [
  { faults: 0, waits: 0 },
  { faults: 0.02, waits: 0.1 },
  { faults: 0.2, waits: 0 },
  { faults: 0.2, waits: 0.5 },
];

/** Executes every operation of a document: in CI with each behaviour, otherwise with one of them. */
async function compareAll(document: DocumentNode, name: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const operations = document.definitions.filter((definition) => definition.kind === 'OperationDefinition');
  for (const operation of operations) {
    const first = hash(name, operation.name?.value ?? '') % behaviours.length;
    for (const index of runsAll ? behaviours.keys() : [first]) {
      const behaviour = behaviours[index]!;
      const seed = hash(name, index);
      const variables = randomVariables(schema, operation, createRandom(seed));
      const operationName = operation.name?.value;
      const trial = { document, operationName, variables, context: { seed, ...behaviour } };
      outcomes.push(await compare(faulty, executeCompiled, trial, `${name} ${operationName} ${JSON.stringify(trial.context)}`));
    }
  }
  return outcomes;
}

/** Fails unless a part of the outcomes is of each kind, so that the comparison reaches what it is for. */
function expectAllKinds(outcomes: readonly Outcome[]): void {
  const hasData = ({ data }: Outcome): boolean => data !== undefined && data !== 'null';
  const kinds: Record<string, (outcome: Outcome) => boolean> = {
    'whole results': (outcome) => hasData(outcome) && outcome.errors.length === 0,
    'partial results': (outcome) => hasData(outcome) && outcome.errors.length > 0,
    'results of null': ({ data }) => data === 'null',
    'refused variables': ({ data }) => data === undefined,
    'results at once': ({ isPromise }) => !isPromise,
    'promises of results': ({ isPromise }) => isPromise,
  };
  for (const [kind, is] of Object.entries(kinds))
    expect(outcomes.filter(is).length / outcomes.length, kind).toBeGreaterThan(0.005);
}

it('executes the documented operations as graphql-js does', async () => {
  const text = readFileSync('schema/operations.graphql', 'utf8');
  const outcomes = await compareAll(parse(text), 'schema/operations.graphql');
  expectAllKinds(outcomes);
});

it('executes the operations of the tests as graphql-js does', async () => {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const outcomes: Outcome[] = [];
  let documents = 0;
  for (const file of some(files, 6)) {
    for (const [index, document] of documentsIn(schema, readFileSync(`test/${file}`, 'utf8')).entries()) {
      documents += 1;
      outcomes.push(...(await compareAll(document, `${file} ${index}`)));
    }
  }
  expect(documents).toBeGreaterThan(runsAll ? 400 : 60);
  expectAllKinds(outcomes);
});

it.runIf(runsAll)('executes random documents as graphql-js does', { timeout: 180_000 }, async () => {
  const outcomes: Outcome[] = [];
  for (let seed = 0; seed < 2_000; seed += 1) {
    const { document, text, variables } = randomOperation(schema, seed);
    const [operation] = document.definitions.filter((definition) => definition.kind === 'OperationDefinition');
    const context = { seed, ...behaviours[seed % behaviours.length]! };
    // The same compiled operation is executed with several variables.
    const others = [1, 2].map((again) => randomVariables(schema, operation!, createRandom(hash(seed, again))));
    for (const given of [variables, ...others]) {
      const name = `${seed}: ${text}\n${JSON.stringify({ variables: given, context })}`;
      outcomes.push(await compare(faulty, executeCompiled, { document, variables: given, context }, name));
    }
  }
  expectAllKinds(outcomes);
});
