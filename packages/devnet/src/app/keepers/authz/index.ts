import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { GrantSchema } from '../../../../../../src/proto/cosmos/authz/v1beta1/authz_pb.js';
import { Query } from '../../../../../../src/proto/cosmos/authz/v1beta1/query_pb.js';
import {
  type MsgExec,
  MsgExecResponseSchema,
  MsgExecSchema,
  MsgGrantResponseSchema,
  MsgGrantSchema,
  MsgRevokeResponseSchema,
  MsgRevokeSchema,
} from '../../../../../../src/proto/cosmos/authz/v1beta1/tx_pb.js';
import { abciError, wrapping } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { tagEvents } from '../../runtime/events.ts';
import { type DecodedMessage, type Keeper, type MessageHandler, onMessage, onQuery } from '../../runtime/keeper.ts';
import { pageUnder, paginateHits, walk } from '../base/page.ts';
import { authzStore, dropExpiredGrants, grantAt, grantsPrefix, requireGrant, revokeGrant, saveGrant } from './grants.ts';

/** Decodes the messages in an authorized execution: the router's `decode`. */
export type DecodeMessage = (message: Any) => DecodedMessage;

function requireParties(granter: string, grantee: string): void {
  if (granter.toLowerCase() === grantee.toLowerCase()) throw abciError('granteeIsGranter');
  for (const [role, address] of [
    ['grantee', grantee],
    ['granter', granter],
  ] as const) {
    wrapping(`invalid ${role} address`, () => decodeAddress(address));
  }
}

/** Executes messages for their signers. Each event gets the index of its message. */
function dispatch(context: Context, { grantee, msgs }: MsgExec, decode: DecodeMessage): Uint8Array[] {
  if (msgs.length === 0) throw abciError('invalidRequest', 'messages cannot be empty');
  return msgs.map((message, index) => {
    const { signers, typeUrl } = decode(message);
    const [granter = ''] = signers;
    if (signers.length !== 1) throw abciError('authorizationOfOneSigner');
    if (granter !== grantee) requireGrant(context, { granter, grantee, msgTypeUrl: typeUrl });
    const attempt = context.fork();
    const response = wrapping(`failed to execute message; message ${typeUrl}`, () => attempt.runAuthorized(message));
    context.merge(attempt, (events) => tagEvents(events, 'authz_msg_index', String(index)));
    return response.value;
  });
}

/** The handler of authorized executions. Their fee is that of all messages in them. */
function execHandler(decode: DecodeMessage): MessageHandler {
  return onMessage(
    MsgExecSchema,
    MsgExecResponseSchema,
    ({ grantee }) => [grantee],
    (context, message) => ({ results: dispatch(context, message, decode) }),
    ({ msgs }) => msgs.reduce((sum, message) => sum + decode(message).size, 1),
  );
}

/**
 * The authz module, with generic authorizations. `decode` finds the signers of the messages in an execution.
 */
export function createAuthzKeeper(decode: DecodeMessage): Keeper {
  return {
    messages: [
      onMessage(
        MsgGrantSchema,
        MsgGrantResponseSchema,
        ({ granter }) => [granter],
        (context, { granter, grantee, grant = create(GrantSchema) }) => {
          requireParties(granter, grantee);
          saveGrant(context, granter, grantee, grant);
          return {};
        },
      ),
      onMessage(
        MsgRevokeSchema,
        MsgRevokeResponseSchema,
        ({ granter }) => [granter],
        (context, granted) => {
          requireParties(granted.granter, granted.grantee);
          if (granted.msgTypeUrl === '') throw abciError('invalidRequest', 'missing msg method name');
          revokeGrant(context, granted);
          return {};
        },
      ),
      execHandler(decode),
    ],
    queries: [
      onQuery(Query.method.granterGrants, (state, { granter, pagination: request }) => {
        const { entries, pagination } = pageUnder(state, authzStore, grantsPrefix(granter), request);
        return { grants: entries.map(grantAt), pagination };
      }),
      // The module has no index by grantee, and iterates over all grants.
      onQuery(Query.method.granteeGrants, (state, { grantee, pagination: request }) => {
        decodeAddress(grantee);
        const all = walk(state, authzStore, grantsPrefix(), request);
        const { entries, pagination } = paginateHits(request, all, (entry) => grantAt(entry).grantee === grantee);
        return { grants: entries.map(grantAt), pagination };
      }),
    ],
    beginBlock: dropExpiredGrants,
  };
}
