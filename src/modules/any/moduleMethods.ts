import type { DescMethodUnary } from '@bufbuild/protobuf';
import type { DescriptorPool } from '../../chain/descriptors/descriptorPool.ts';
import { badInput } from '../../reads/errors.ts';

/** Services that answer reads and are not called `Query`. Which of all methods are of no height, {@link isOfNoHeight} tells. */
const otherServices: readonly string[] = [
  'cosmos.base.node.v1beta1.Service',
  'cosmos.base.reflection.v1beta1.ReflectionService',
  'cosmos.base.reflection.v2alpha1.ReflectionService',
  'cosmos.base.tendermint.v1beta1.Service',
  'cosmos.reflection.v1.ReflectionService',
];

/** Whether a service answers reads: it sends and changes nothing. */
export function isQueryService(name: string): boolean {
  return name.endsWith('.Query') || otherServices.includes(name);
}

/** Methods of `Query` services that simulate a transaction: on the newest state, whatever height is named. The second is the first's older name. */
const simulations: readonly string[] = [
  'provenance.flatfees.v1.Query/CalculateTxFees',
  'provenance.msgfees.v1.Query/CalculateTxFees',
];

/**
 * Whether a method of a query service tells of the node that is asked, or simulates, rather than reads the chain's state: its answers are of no
 * height, and never kept.
 */
export function isOfNoHeight(service: string, method: string): boolean {
  const isOfNode = service.startsWith('cosmos.base.tendermint.') || service.startsWith('cosmos.base.node.');
  return isOfNode || simulations.includes(`${service}/${method}`);
}

/** The methods of a query service that have one request and one answer; none when the chain does not describe it. */
export function methodsOf(pool: Pick<DescriptorPool, 'service'>, service: string): readonly DescMethodUnary[] {
  const methods = pool.service(service)?.methods ?? [];
  return methods.filter((method): method is DescMethodUnary => method.methodKind === 'unary');
}

/** A Query method by its full name, `provenance.exchange.v1.Query/GetOrder`, a leading slash allowed. Else BAD_USER_INPUT. */
export function methodNamed(pool: DescriptorPool, argument: string, name: string): DescMethodUnary {
  const [, service = '', method] = /^\/?([\w.]{1,200})\/(\w{1,100})$/.exec(name) ?? [];
  const found = isQueryService(service) ? methodsOf(pool, service).find((each) => each.name === method) : undefined;
  if (found === undefined)
    throw badInput(argument, name, 'a Query method that the chain describes, such as `cosmos.bank.v1beta1.Query/Balance`');
  return found;
}
