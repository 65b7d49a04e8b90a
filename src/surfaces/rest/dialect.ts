import type { ServerResponse } from 'node:http';
import registeredErrors from '../../../data/registeredErrors.json' with { type: 'json' };
import { heightHeader } from '../../answers/pickHeight.ts';
import { type ChainError, type ChainErrorFacts, isChainError } from '../../chain/base/errors.ts';
import { isAbsence } from '../../chain/rpc/rpcErrors.ts';
import type { ErrorCode } from '../../config/errorCodes.ts';
import { RequestError } from '../../reads/errors.ts';
import type { ErrorResponse, ErrorShape } from '../../server/messages/errors.ts';
import { varyOfAnswers } from '../../server/messages/requestHeaders.ts';
import type { RequestContext } from '../../server/router.ts';
import { documentedPrinting, nodePrinting, type Printing } from './printer.ts';

/** An error that a module has registered. The node's REST API returns its codespace and number, `abci_query` only its text. */
interface RegisteredError {
  readonly codespace: string;
  readonly code: string;
  readonly text: string;
}

interface ModuleErrors {
  readonly codespace: string;
  readonly errors: Readonly<Record<string, string>>;
}

/**
 * Registered errors by the package of the services whose module registers them, and those of the SDK. `abci_query` says their text alone, so their
 * numbers are known only from the modules. Recorded: `not found` (sdk 38), `invalid request` (sdk 18), `invalid height` (sdk 26), `invalid value`
 * (group 6), `marker not found` (marker 7), `no address bound to name` (name 2), and of gov and wasm the transactions' 3, 7 and 28. The others are from
 * the source of the SDK, of Provenance and of wasmd: a guess.
 */
const { sdk, ...modules }: Readonly<Record<string, ModuleErrors>> & { readonly sdk: ModuleErrors } = registeredErrors;

const errorsOf = ({ codespace, errors }: ModuleErrors): readonly RegisteredError[] =>
  Object.entries(errors).map(([code, text]) => ({ codespace, code, text }));

const byPackage = Object.entries(modules).map(([prefix, each]) => [prefix, errorsOf(each)] as const);
const ofSdk = errorsOf(sdk);
/** The first words of the packages of these modules. Modules of other packages may register the same texts under numbers of their own. */
const organizations = new Set(byPackage.map(([prefix]) => prefix.split('.')[0]));
const all: readonly RegisteredError[] = [...byPackage.flatMap(([, errors]) => errors), ...ofSdk];

/** Returns the error that a log ends with. A longer text counts before a shorter one, and the module of the service before the SDK and other modules. */
function errorIn(service: string, log: string): RegisteredError | undefined {
  const moduleErrors = byPackage.find(([prefix]) => service.startsWith(prefix))?.[1] ?? [];
  const ends = all.filter(({ text }) => log === text || log.endsWith(`: ${text}`));
  const longest = Math.max(...ends.map(({ text }) => text.length));
  const longestEnds = ends.filter(({ text }) => text.length === longest);
  // A module passes errors of others on: assets are read from the module nft. A text that several of them register says nothing.
  const others = longestEnds.length === 1 && organizations.has(service.split('.')[0]) ? longestEnds[0] : undefined;
  return longestEnds.find((each) => moduleErrors.includes(each)) ?? longestEnds.find((each) => ofSdk.includes(each)) ?? others;
}

/**
 * Returns the text of the node's REST API for a log that ends with a registered error: `load proposal: not found` becomes
 * `codespace sdk code 38: not found: load proposal`. undefined if the log ends with no error that is known, or with another one than `response`, the
 * codespace and number in the response.
 */
function registeredText(service: string, log: string, response?: string): string | undefined {
  const error = errorIn(service, log);
  if (error === undefined) return undefined;
  const { codespace, code, text } = error;
  if (response !== undefined && response !== `${codespace} ${code}`) return undefined;
  const rest = log === text ? '' : `: ${log.slice(0, -text.length - 2)}`;
  return `codespace ${codespace} code ${code}: ${text}${rest}`;
}

/** gRPC status codes by name (google.rpc.Code). */
export const grpc = {
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

interface RestFailure {
  readonly status: number;
  readonly grpcCode: number;
  readonly message: string;
  readonly reason: keyof typeof ErrorCode;
  readonly facts: object;
  /** Whether the chain reported the error at a height. */
  readonly isOfHeight?: boolean;
}

/** The HTTP statuses of grpc-gateway by gRPC code; 500 for all others. 400, 404, 500 and 501 were recorded. */
const statuses: Readonly<Record<number, number>> = {
  [grpc.INVALID_ARGUMENT]: 400,
  [grpc.FAILED_PRECONDITION]: 400,
  [grpc.OUT_OF_RANGE]: 400,
  [grpc.UNAUTHENTICATED]: 401,
  [grpc.PERMISSION_DENIED]: 403,
  [grpc.NOT_FOUND]: 404,
  [grpc.ALREADY_EXISTS]: 409,
  [grpc.ABORTED]: 409,
  [grpc.RESOURCE_EXHAUSTED]: 429,
  [grpc.UNIMPLEMENTED]: 501,
  [grpc.UNAVAILABLE]: 503,
  [grpc.DEADLINE_EXCEEDED]: 504,
};

export function statusOf(grpcCode: number): number {
  return statuses[grpcCode] ?? 500;
}

/** The gRPC codes of errors outside the handler, by HTTP status. Other statuses below 500 are INVALID_ARGUMENT, and INTERNAL from 500 on. */
const codes: Readonly<Record<number, number>> = {
  401: grpc.UNAUTHENTICATED,
  403: grpc.PERMISSION_DENIED,
  404: grpc.NOT_FOUND,
  405: grpc.UNIMPLEMENTED,
  408: grpc.DEADLINE_EXCEEDED,
  429: grpc.RESOURCE_EXHAUSTED,
  501: grpc.UNIMPLEMENTED,
  502: grpc.UNAVAILABLE,
  503: grpc.UNAVAILABLE,
  504: grpc.DEADLINE_EXCEEDED,
};

/** Converts facts to strings by name, the format of `ErrorInfo.metadata`. */
function metadataOf(facts: object): Record<string, string> {
  const present = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    present.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  );
}

/** Serializes an error in the documented dialect. `details` contains a `google.rpc.ErrorInfo` with Stele's error code as `reason`, and its facts. */
function documentedBody({ grpcCode, message, reason, facts }: RestFailure): string {
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'stele', metadata: metadataOf(facts) };
  return JSON.stringify({ code: grpcCode, message, details: [info] });
}

function nodeBody({ grpcCode, message }: RestFailure): string {
  return JSON.stringify({ code: grpcCode, message, details: [] });
}

function failureOf({ status, code, message, facts }: ErrorResponse): RestFailure {
  const grpcCode = codes[status] ?? (status < 500 ? grpc.INVALID_ARGUMENT : grpc.INTERNAL);
  return { status, grpcCode, message, reason: code, facts };
}

/** Serialize errors that precede the handler, and masked errors. */
const documentedShape: ErrorShape = (answer) => documentedBody(failureOf(answer));
const nodeShape: ErrorShape = (answer) => nodeBody(failureOf(answer));

interface ParameterFacts {
  readonly parameter: string;
  readonly value: string;
  /** What the value must be, as the end of a sentence. */
  readonly bound: string;
  /** The text of the node's REST API, without the position of the parameter. */
  readonly nodeText: string;
  readonly where: 'path' | 'query' | 'header' | 'body';
  /** The gRPC code on a node: INVALID_ARGUMENT (the default) if the gateway rejects the parameter, UNKNOWN if the application does. */
  readonly nodeCode?: number;
}

/** An invalid parameter: status 400 in both dialects, each with its own text. The value is cut to 64 characters. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
  readonly facts: ParameterFacts;

  constructor(facts: ParameterFacts) {
    super(`\`${facts.parameter}\` must be ${facts.bound}.`);
    const { value } = facts;
    this.facts = { ...facts, value: value.length > 64 ? `${value.slice(0, 64)}…` : value };
  }
}

type RefusedRead = ChainErrorFacts['ABCI_QUERY_FAILED'];

/** Suffixes that `abci_query` appends to the text, by code (docs/chain.md, "Error codes of the application"). */
const tails: Readonly<Record<number, string>> = {
  4: 'unauthorized',
  6: 'unknown request',
  18: 'invalid request',
  22: 'key not found',
};

/** gRPC codes by their names in `rpc error: code = …`: `InvalidArgument` for INVALID_ARGUMENT. */
const codesByName = new Map<string, number>([
  ['Canceled', 1],
  ...Object.entries(grpc).map(([name, code]) => {
    const words = name.split('_').map((word) => `${word.charAt(0)}${word.slice(1).toLowerCase()}`);
    return [words.join(''), code] as const;
  }),
]);

/** Moves the text of a registered error to the front, as in gRPC. `abci_query` has it at the end. */
function textFirst(log: string): string {
  const [, said, text] = /^([\s\S]*): ([^:]+)$/.exec(log) ?? [];
  return said === undefined || text === undefined ? log : `${text}: ${said}`;
}

/**
 * Converts the response of `abci_query` to a rejected read to the gRPC status of the same error. The text contains a gRPC
 * status, or a registered error with code 6 and its text at the end. Code 18 without either is a plain Go error. Guesses: a
 * panic (111222) is Internal, and an unknown service is Unimplemented.
 */
export function toGrpc(
  service: string,
  { abciCode, codespace, log }: RefusedRead,
): { readonly code: number; readonly message: string } {
  const tail = codespace === 'sdk' ? tails[abciCode] : undefined;
  const text = tail !== undefined && log.endsWith(`: ${tail}`) ? log.slice(0, -tail.length - 2) : log;
  const [, name, said] = /^rpc error: code = (\w+) desc = ([\s\S]*)$/.exec(text) ?? [];
  if (name !== undefined && said !== undefined) return { code: codesByName.get(name) ?? grpc.UNKNOWN, message: said };
  if (abciCode === 6 && text === 'unknown query path')
    return { code: grpc.UNIMPLEMENTED, message: `unknown service ${service}` };
  if (codespace === 'undefined') return { code: grpc.INTERNAL, message: text };
  if (codespace === 'sdk' && abciCode === 6) return { code: grpc.UNKNOWN, message: registeredText(service, text) ?? text };
  if (codespace === 'sdk' && abciCode === 18) return { code: grpc.UNKNOWN, message: text };
  return {
    code: grpc.UNKNOWN,
    message:
      registeredText(service, log, `${codespace} ${abciCode}`) ?? `codespace ${codespace} code ${abciCode}: ${textFirst(log)}`,
  };
}

const invalidInput = /^codespace sdk code (7|18): |bech32/i;

/**
 * Maps a rejected read to a gRPC status in the documented dialect: NotFound for absent objects, InvalidArgument for invalid
 * requests, FailedPrecondition for other errors of a module. Statuses that the node itself reports in gRPC are passed on.
 */
function documentedRefusal(service: string, refusedRead: RefusedRead): ReturnType<typeof toGrpc> {
  const { code, message } = toGrpc(service, refusedRead);
  if (isAbsence(refusedRead)) return { code: grpc.NOT_FOUND, message };
  if (code !== grpc.UNKNOWN) return { code, message };
  const isInvalid = refusedRead.abciCode === 18 || invalidInput.test(message);
  return { code: isInvalid ? grpc.INVALID_ARGUMENT : grpc.FAILED_PRECONDITION, message };
}

/** The gRPC codes of errors of the chain client; FAILED_PRECONDITION for all others. */
const chainCodes: Readonly<Partial<Record<ChainError['code'], number>>> = {
  HEIGHT_PRUNED: grpc.OUT_OF_RANGE,
  HEIGHT_NOT_YET_AVAILABLE: grpc.OUT_OF_RANGE,
  NODE_TIMEOUT: grpc.DEADLINE_EXCEEDED,
  NODE_UNREACHABLE: grpc.UNAVAILABLE,
  CHAIN_RESET: grpc.UNAVAILABLE,
  CHAIN_CONFLICT: grpc.UNAVAILABLE,
  NODE_INVALID_RESPONSE: grpc.UNAVAILABLE,
  NODE_INCONSISTENT: grpc.UNAVAILABLE,
  SIMULATION_DISABLED: grpc.PERMISSION_DENIED,
  INDEX_UNAVAILABLE: grpc.UNIMPLEMENTED,
};

function ofChain(error: ChainError, service: string): RestFailure {
  const { code: reason, message, facts } = error;
  const of = (grpcCode: number, status = statusOf(grpcCode)): RestFailure => ({ status, grpcCode, message, reason, facts });
  if (isChainError(error, 'ABCI_QUERY_FAILED')) {
    const refusal = documentedRefusal(service, error.facts);
    const { abciCode, codespace } = error.facts;
    return { ...of(refusal.code), message: refusal.message, facts: { abciCode, codespace }, isOfHeight: true };
  }
  const isWrong = reason === 'NODE_INVALID_RESPONSE' || reason === 'NODE_INCONSISTENT';
  return of(chainCodes[reason] ?? grpc.FAILED_PRECONDITION, isWrong ? 502 : undefined);
}

/** Converts an error of a request to a service to the documented dialect. undefined for unexpected errors, which must be masked. */
function documentedFailure(error: unknown, service: string): RestFailure | undefined {
  if (isChainError(error)) return ofChain(error, service);
  if (error instanceof ParameterError) {
    const { parameter: argument, value, bound } = error.facts;
    const facts = { argument, value, bound };
    return { status: 400, grpcCode: grpc.INVALID_ARGUMENT, message: error.message, reason: 'BAD_USER_INPUT', facts };
  }
  if (error instanceof RequestError) {
    const grpcCode = error.code === 'SERVER_SHUTDOWN' ? grpc.UNAVAILABLE : grpc.INVALID_ARGUMENT;
    const { message, code: reason, facts } = error;
    const status = facts.limit === 'http.body' || facts.limit === 'http.otherBody' ? 413 : statusOf(grpcCode);
    return { status, grpcCode, message, reason, facts };
  }
  return undefined;
}

/**
 * Converts an error to the node's dialect. undefined for unexpected errors. Errors that a node cannot report, such as that it
 * is unreachable, are those of the documented dialect. `latest` is the height of the newest block.
 */
function nodeFailure(error: unknown, service: string, latest: bigint | undefined): RestFailure | undefined {
  const failure = documentedFailure(error, service);
  if (failure === undefined) return undefined;
  const unknown = (message: string): RestFailure => ({ ...failure, status: 500, grpcCode: grpc.UNKNOWN, message });
  if (error instanceof ParameterError) {
    const { where, parameter, nodeText, nodeCode = grpc.INVALID_ARGUMENT } = error.facts;
    // Recorded for an integer in a path, an integer in a query, and a height.
    const message = where === 'path' ? `type mismatch, parameter: ${parameter}, error: ${nodeText}` : nodeText;
    return { ...failure, message, grpcCode: nodeCode, status: statusOf(nodeCode) };
  }
  if (isChainError(error, 'ABCI_QUERY_FAILED')) {
    const { code, message } = toGrpc(service, error.facts);
    // The gateway has no route of a service that the application does not have.
    if (error.facts.log.startsWith('unknown query path'))
      return { ...failure, grpcCode: code, status: 501, message: 'Not Implemented' };
    return { ...failure, grpcCode: code, status: statusOf(code), message };
  }
  if (isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE')) {
    const text = 'cannot query with height in the future; please provide a valid height';
    return unknown(`codespace sdk code 26: invalid height: ${text}`);
  }
  if (isChainError(error, 'HEIGHT_PRUNED')) {
    const gone = `failed to load state at height ${error.facts.height}; version mismatch on immutable IAVL tree; version does not exist`;
    const why = `Version has either been pruned, or is for a future block height (latest height: ${latest ?? error.facts.height})`;
    return unknown(`codespace sdk code 38: not found: ${gone}. ${why}`);
  }
  return failure;
}

/** A dialect of the REST API: how requests are decoded and responses encoded. */
export interface Dialect {
  readonly surface: 'rest' | 'rest-node';
  /** Prefix of the paths of all routes. */
  readonly base: '' | '/rest';
  readonly printing: Printing;
  /** Whether requests are decoded as by the node's gateway. */
  readonly asGo: boolean;
  /** Whether lists follow the documented rules: every page has a size limit, and `reverse` and page keys work even where the chain ignores them. */
  readonly enforcesPageRules: boolean;
  /** Serializes an error. `shape` does so for errors that precede the handler. */
  readonly body: (failure: RestFailure) => string;
  readonly shape: ErrorShape;
  failure(error: unknown, service: string, latest: bigint | undefined): RestFailure | undefined;
  readonly heightHeader: string;
  readonly heightHeaders: readonly string[];
  /** Whether responses of live routes, which are not read at a height, contain the newest height, as on a node. */
  readonly sendsLiveHeight: boolean;
  /** Whether a POST broadcasts transactions. */
  readonly broadcasts: boolean;
  /** Whether the routes of a service are served: those that the gateway of a node has. */
  hasRoutes(service: string): boolean;
  readonly noRoute: { readonly status: 404 | 501; readonly message: string };
}

/** The height header of grpc-gateway (recorded). */
export const gatewayHeader = 'Grpc-Metadata-X-Cosmos-Block-Height';

/** The `Vary` header of every response: either header of a request can specify the height. */
export const varyOfRest = `${varyOfAnswers}, ${gatewayHeader.toLowerCase()}`;

export const documentedDialect: Dialect = {
  surface: 'rest',
  base: '',
  printing: documentedPrinting,
  asGo: false,
  enforcesPageRules: true,
  body: documentedBody,
  shape: documentedShape,
  failure: documentedFailure,
  heightHeader,
  heightHeaders: [heightHeader],
  sendsLiveHeight: false,
  broadcasts: false,
  hasRoutes: () => true,
  noRoute: { status: 404, message: 'Not found.' },
};

export const nodeDialect: Dialect = {
  surface: 'rest-node',
  base: '/rest',
  printing: nodePrinting,
  asGo: true,
  enforcesPageRules: false,
  body: nodeBody,
  shape: nodeShape,
  failure: nodeFailure,
  heightHeader: gatewayHeader,
  // The gateway forwards the application's header with a prefix. The SDK adds the plain name to successful responses: a guess,
  // because recordings contain only the first.
  heightHeaders: [gatewayHeader, 'X-Cosmos-Block-Height'],
  sendsLiveHeight: true,
  broadcasts: true,
  // A node registers the reflection services for gRPC and `abci_query` only. Guess from the source of the SDK; no recording has such a path.
  hasRoutes: (service) => !service.startsWith('cosmos.base.reflection.'),
  noRoute: { status: 501, message: 'Not Implemented' },
};

/**
 * Sends an error response in a dialect. Rethrows unexpected errors, which the router masks. `service` is empty if no route was found, `height` is
 * that of the response if the chain rejected the read, and `latest` is the newest block.
 */
export function sendFailure(
  response: ServerResponse,
  context: RequestContext,
  dialect: Dialect,
  error: unknown,
  { service, height, latest }: { service: string; height: bigint | undefined; latest: bigint | undefined },
): void {
  const { req: request } = response;
  const failure = dialect.failure(error, service, latest);
  if (failure === undefined || response.headersSent) throw error;
  if (failure.isOfHeight === true && height !== undefined) response.setHeader(dialect.heightHeader, height.toString());
  // The rest of an unread body is not read.
  if (!request.complete) response.setHeader('connection', 'close');
  context.record.code = failure.reason;
  const body = dialect.body(failure);
  response.writeHead(failure.status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    vary: varyOfRest,
    'content-length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
