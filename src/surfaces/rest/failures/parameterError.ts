import { grpc } from './grpcStatus.ts';

/** An invalid parameter: status 400 in both dialects, each with its own text. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
  /** Name of the parameter, as sent. */
  readonly parameter: string;
  /** The value, cut to 64 characters. */
  readonly value: string;
  /** What the value must be, as the end of a sentence. */
  readonly bound: string;
  /** The text of the node's REST API, without the position of the parameter. */
  readonly nodeText: string;
  readonly where: 'path' | 'query' | 'header' | 'body';
  /** The gRPC code on a node: INVALID_ARGUMENT if the gateway rejects the parameter, UNKNOWN if the application does. */
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
