import { type DocumentNode, getOperationAST, Kind, type OperationDefinitionNode, parse, print, visit } from 'graphql';
import { badInput } from '../reads/errors.ts';

/** The variable with which a document resumes. */
export const afterVariable = 'steleWebhookAfter';

/** A document that resumes after a height, as text, which equal documents share. */
export interface ResumableDocument {
  readonly text: string;
  /** A subscription resumes with `after`, a live query begins again at a height. */
  readonly kind: 'subscription' | 'live';
}

function namesUsed(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>();
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void names.add(name.value) });
  return names;
}

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const;
const variableNode = () => ({ kind: Kind.VARIABLE, name: nameNode(afterVariable) }) as const;
const argumentNode = (name: string) => ({ kind: Kind.ARGUMENT, name: nameNode(name), value: variableNode() }) as const;

/** The operation with a place to resume from. Throws BAD_USER_INPUT if it is no stream. */
function resumable(operation: OperationDefinitionNode): { kind: ResumableDocument['kind']; node: OperationDefinitionNode } {
  if (operation.operation === 'subscription') {
    const [field, ...others] = operation.selectionSet.selections;
    if (field?.kind !== Kind.FIELD || others.length > 0)
      throw badInput('document', '', 'a subscription with one field, which is not in a fragment');
    const otherArguments = (field.arguments ?? []).filter(({ name }) => name.value !== 'after');
    const selections = [{ ...field, arguments: [...otherArguments, argumentNode('after')] }];
    return { kind: 'subscription', node: { ...operation, selectionSet: { ...operation.selectionSet, selections } } };
  }
  const live = operation.directives?.find(({ name }) => name.value === 'live');
  if (operation.operation !== 'query' || live === undefined)
    throw badInput('document', operation.operation, 'a subscription, or a query with `@live`');
  if ((live.arguments ?? []).some(({ name }) => name.value !== 'from'))
    throw badInput('document', '@live', 'a live query without `to` and `every`');
  const directives = operation.directives?.map((node) =>
    node === live ? { ...node, arguments: [argumentNode('from')] } : node,
  );
  return { kind: 'live', node: { ...operation, directives: directives ?? [] } };
}

/** The document of a webhook so that it resumes at a height that is a variable. Throws BAD_USER_INPUT. The result is not validated. */
export function resumableDocument(text: string, operationName: string | null, maxTokens: number): ResumableDocument {
  let document: DocumentNode;
  try {
    document = parse(text, { maxTokens, noLocation: true });
  } catch (error) {
    throw badInput('document', '', `a GraphQL document: ${error instanceof Error ? error.message.replace(/\.$/, '') : ''}`);
  }
  const chosen = getOperationAST(document, operationName);
  if (!chosen) throw badInput('operationName', operationName ?? '', 'the name of an operation of the document');
  const before = namesUsed(document);
  const { kind, node } = resumable(chosen);
  const resumed = {
    ...document,
    definitions: document.definitions.map((definition) => (definition === chosen ? node : definition)),
  };
  // Variables that only gave the place to begin at are left out.
  const after = namesUsed(resumed);
  const definitions = (node.variableDefinitions ?? []).filter(
    ({ variable: { name } }) => after.has(name.value) || !before.has(name.value),
  );
  const type = { kind: Kind.NAMED_TYPE, name: nameNode(kind === 'live' ? 'String' : 'Int64') } as const;
  const ownVariable = { kind: Kind.VARIABLE_DEFINITION, variable: variableNode(), type } as const;
  const final: DocumentNode = {
    ...document,
    definitions: document.definitions.map((definition) =>
      definition === chosen ? { ...node, variableDefinitions: [...definitions, ownVariable] } : definition,
    ),
  };
  return { text: print(final), kind };
}
