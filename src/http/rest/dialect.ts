import type { IncomingMessage } from 'node:http';
import { goQuote } from '../../chain/wire/goText.ts';
import { heightHeader } from '../../graphql/operation/pickHeight.ts';
import type { ErrorShape } from '../messages/errors.ts';
import { headerOf, requestedHeight, varyByHeight } from '../messages/headers.ts';
import { documentedFailure } from './failures/documentedFailure.ts';
import { documentedBody, documentedShape, grpc, nodeBody, nodeShape, type RestFailure } from './failures/grpcStatus.ts';
import { nodeFailure } from './failures/nodeFailure.ts';
import { ParameterError } from './failures/parameterError.ts';
import { documentedPrinting, nodePrinting, type Printing } from './printing/printing.ts';
import type { ParameterRules } from './requests/requestJson.ts';

/** A way to speak of the application over REST. */
export interface Dialect {
  readonly surface: 'rest' | 'rest-node';
  /** What stands before the paths of the routes. */
  readonly base: '' | '/rest';
  readonly printing: Printing;
  readonly parameters: ParameterRules;
  /** Whether lists are those of the seed: a page has a size though none was asked for, and `reverse` and page keys hold also where the chain ignores them. */
  readonly keepsPageRules: boolean;
  /** Body of a failure, and of one before the handler. */
  readonly body: (failure: RestFailure) => string;
  readonly shape: ErrorShape;
  failure(error: unknown, service: string, latest: bigint | undefined): RestFailure | undefined;
  /** The height that a request names; undefined for the newest. Throws a {@link ParameterError} in the words of the dialect. */
  requestedHeight(request: IncomingMessage): string | undefined;
  /** Name of the header that tells the height of an answer. */
  readonly heightHeader: string;
  /** Names of the headers that tell it of an answer that went well. */
  readonly heightHeaders: readonly string[];
  /** Whether what tells of the node, and so is of no height, comes with the newest one all the same, as the node's REST has it. */
  readonly tellsLiveHeight: boolean;
  /** The failure where there is no route. */
  readonly noRoute: { readonly status: 404 | 501; readonly message: string };
}

/** The height header as grpc-gateway has it (seen). */
const gatewayHeader = 'Grpc-Metadata-X-Cosmos-Block-Height';

/** What every answer varies by: a request names its height by either header. */
export const varyOfRest = `${varyByHeight}, ${gatewayHeader.toLowerCase()}`;

function named(request: IncomingMessage): string | undefined {
  return requestedHeight(request, headerOf(request, heightHeader) === undefined ? gatewayHeader.toLowerCase() : heightHeader);
}

/** The names of the seed, at the paths of the routes. */
export const documentedDialect: Dialect = {
  surface: 'rest',
  base: '',
  printing: documentedPrinting,
  parameters: { refusesRepeated: true, emptyIsAbsent: true, asGo: false },
  keepsPageRules: true,
  body: documentedBody,
  shape: documentedShape,
  failure: documentedFailure,
  requestedHeight: named,
  heightHeader,
  heightHeaders: [heightHeader],
  tellsLiveHeight: false,
  noRoute: { status: 404, message: 'Not found.' },
};

/** The node's own: a height of 0 is the newest, another text is refused as the node does (a negative one by analogy, a guess). */
export const nodeDialect: Dialect = {
  surface: 'rest-node',
  base: '/rest',
  printing: nodePrinting,
  parameters: { refusesRepeated: false, emptyIsAbsent: false, asGo: true },
  keepsPageRules: false,
  body: nodeBody,
  shape: nodeShape,
  failure: nodeFailure,
  requestedHeight(request) {
    const text = named(request);
    if (text === undefined) return undefined;
    if (/^\d{1,19}$/.test(text)) return text;
    const isNegative = /^-\d{1,19}$/.test(text);
    const problem = isNegative
      ? 'cannot query with height < 0; please provide a valid height'
      : `Baseapp.RegisterGRPCServer: invalid height header "${heightHeader}": strconv.ParseInt: parsing ${goQuote(text.slice(0, 64))}: invalid syntax`;
    const nodeText = `codespace sdk code 18: invalid request: ${problem}`;
    const facts = { parameter: heightHeader, value: text, where: 'header', bound: 'a height in decimal', nodeText } as const;
    throw new ParameterError({ ...facts, nodeCode: grpc.UNKNOWN });
  },
  heightHeader: gatewayHeader,
  // The gateway forwards the application's header with its prefix; the SDK adds the plain name to answers that went well. Guess: the recording
  // holds the first alone.
  heightHeaders: [gatewayHeader, 'X-Cosmos-Block-Height'],
  tellsLiveHeight: true,
  noRoute: { status: 501, message: 'Not Implemented' },
};
