import type { DescMethodUnary } from '@bufbuild/protobuf';
import type { DescriptorPool } from '../../chain/descriptors/descriptorPool.ts';
import { isQueryService, isSimulation } from '../../chain/simulation/execution.ts';
import { badInput } from '../../reads/errors.ts';

/**
 * Whether a method describes the node or simulates a transaction. Such a method has no height, and its results are never
 * cached.
 */
export function isLiveMethod(service: string, method: string): boolean {
  const isOfNode = service.startsWith('cosmos.base.tendermint.') || service.startsWith('cosmos.base.node.');
  return isOfNode || isSimulation(service, method);
}

/** The unary methods of a query service; empty if the chain does not describe the service. */
export function methodsOf(pool: Pick<DescriptorPool, 'service'>, service: string): readonly DescMethodUnary[] {
  const methods = pool.service(service)?.methods ?? [];
  return methods.filter((method): method is DescMethodUnary => method.methodKind === 'unary');
}

/**
 * The Query method with a full name, such as `provenance.exchange.v1.Query/GetOrder`, with or without a leading slash. Other
 * names are BAD_USER_INPUT.
 */
export function methodNamed(pool: DescriptorPool, argument: string, name: string): DescMethodUnary {
  const [, service = '', method] = /^\/?([\w.]{1,200})\/(\w{1,100})$/.exec(name) ?? [];
  const found = isQueryService(service) ? methodsOf(pool, service).find((each) => each.name === method) : undefined;
  if (found === undefined)
    throw badInput(argument, name, 'a Query method that the chain describes, such as `cosmos.bank.v1beta1.Query/Balance`');
  return found;
}
