/** A format in which a subscription is sent over HTTP. */
export type StreamFormat = 'events' | 'multipart';

/** Boundary between the parts of a multipart answer. */
export const boundary = 'graphql';

/** Content type of an answer in each format. */
export const streamTypes = {
  events: 'text/event-stream',
  multipart: `multipart/mixed;boundary="${boundary}";subscriptionSpec=1.0`,
} as const satisfies Record<StreamFormat, string>;

/** Whether this part of an `Accept` header names Apollo's multipart protocol for subscriptions. */
function isMultipart(part: string): boolean {
  const [type, ...parameters] = part.toLowerCase().replace(/[\s"]/g, '').split(';');
  return type === 'multipart/mixed' && parameters.includes('subscriptionspec=1.0');
}

/**
 * The format that an `Accept` header asks for: server-sent events, or Apollo's multipart protocol where it accepts no server-sent events. undefined if it
 * accepts no stream.
 */
export function streamFormatOf(accept: string | null | undefined): StreamFormat | undefined {
  if (accept === null || accept === undefined) return undefined;
  if (accept.includes(streamTypes.events)) return 'events';
  return accept.split(',').some(isMultipart) ? 'multipart' : undefined;
}
