import { type ExecutionResult, execute, type GraphQLSchema, parse } from 'graphql';
import type { Client } from '../../src/chain/client.ts';
import { createLimits } from '../../src/config/limits/limits.ts';
import { createPin, pinned } from '../../src/reads/pin.ts';
import { openSession } from '../../src/reads/viewer.ts';

/** Executes a query with graphql-js at a height. The session may do everything. */
export async function executeAt(
  schema: GraphQLSchema,
  client: Client,
  height: bigint,
  query: string,
  variableValues: Readonly<Record<string, unknown>> = {},
): Promise<ExecutionResult> {
  const contextValue = {
    viewer: openSession.viewer,
    broadcastCommit: false,
    limits: createLimits({}),
    warnings: new Set<string>(),
    outcome: { immutable: true },
  };
  return execute({
    schema,
    document: parse(query),
    rootValue: pinned(createPin(client, height), {}),
    contextValue,
    variableValues,
  });
}
