import { readFileSync } from 'node:fs';
import { isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { printOperations, serviceOperations } from '../../../scripts/operations.ts';
import { createDescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import { isRpcMethod, socketMethods } from '../../../src/chain/rpc/methods.ts';
import { boundsOf, createLimits } from '../../../src/config/limits/limits.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { createRouteTable as createAggregateTable } from '../../../src/surfaces/aggregates/routeTable.ts';
import { applicationDescription } from '../../../src/surfaces/openapi/descriptionHandler.ts';
import { nodeDescription } from '../../../src/surfaces/openapi/nodeRpcDescription.ts';
import { createRouteTable } from '../../../src/surfaces/rest/routes.ts';
import { readDescriptors } from '../../recordings/recordings.ts';

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

it('docs/operations.md is up to date', () => {
  expect(page).toBe(printOperations());
});

it('contains only described paths and existing methods', async () => {
  const { routes } = await createRouteTable(createDescriptorPool(readDescriptors()));
  const aggregates = createAggregateTable(boundsOf(createLimits()));
  const descriptions = [
    nodeDescription({}, undefined),
    applicationDescription({ rest: routes, aggregates, examples: {} }, undefined),
  ];
  const described = new Set(descriptions.flatMap(({ paths }) => Object.keys(paths as object)));
  const named = serviceOperations.flatMap(({ paths }) => paths);
  expect(named.filter((path) => !described.has(path))).toEqual([]);
  const methods = serviceOperations.flatMap(({ method }) => (method === undefined ? [] : [method]));
  expect(methods.filter((method) => !isRpcMethod(method) && socketMethods[method] === undefined)).toEqual([]);
});

it('contains only existing GraphQL fields', () => {
  const missing = serviceOperations
    .flatMap(({ fields }) => fields)
    .filter((name) => {
      const [type = '', field = ''] = name.split('.');
      const owner = schema.getType(type);
      return !isObjectType(owner) || owner.getFields()[field] === undefined;
    });
  expect(missing).toEqual([]);
});

/** The operations of the service. */
const names = [
  ...['Broadcast, wait for check', 'Broadcast, no wait', 'Broadcast, wait for commit', 'Check only'],
  ...['Application info', 'Application query', 'Block', 'Subscribe', 'Unsubscribe'],
  ...['Proposal', 'TallyResult', 'ProposalsByGroupPolicy', 'VoteByProposalVoter', 'VotesByProposal', 'VotesByVoter'],
  ...['Scan', 'Attribute', 'Balances', 'Metadata', 'Transfers', 'Net asset value', 'Holders'],
];

it('has every operation', () => {
  expect(serviceOperations.map(({ name }) => name)).toEqual(names);
  for (const name of names) expect(page).toContain(`| ${name} |`);
});
