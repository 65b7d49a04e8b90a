import { grpc } from './grpcStatus.ts';

/** A parameter that is not what its field takes: 400 in both dialects, each in its own words. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
  /** As it was sent. */
  readonly parameter: string;
  /** What was given, cut to 64 characters. */
  readonly value: string;
  /** What would have been right, as the end of a sentence. */
  readonly bound: string;
  /** What the node's REST says, without where the parameter stood. */
  readonly nodeText: string;
  readonly where: 'path' | 'query' | 'header' | 'body';
  /** gRPC's code of it on the node: INVALID_ARGUMENT where the gateway refuses it, UNKNOWN where the application does. */
  readonly nodeCode: number;

  constructor(
    facts: Pick<ParameterError, 'parameter' | 'value' | 'bound' | 'nodeText' | 'where'> & { readonly nodeCode?: number },
  ) {
    super(`\`${facts.parameter}\` must be ${facts.bound}.`);
    this.parameter = facts.parameter;
    this.value = facts.value.length > 64 ? `${facts.value.slice(0, 64)}…` : facts.value;
    this.bound = facts.bound;
    this.nodeText = facts.nodeText;
    this.where = facts.where;
    this.nodeCode = facts.nodeCode ?? grpc.INVALID_ARGUMENT;
  }
}
