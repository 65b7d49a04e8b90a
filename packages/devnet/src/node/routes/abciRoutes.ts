import { base64 } from '../ledger/encode.ts';
import { readNode } from '../state/nodeReader.ts';
import { blockAt } from '../state/view.ts';
import type { RouteTable } from './route.ts';

/** The routes of the application. */
export const abciRoutes: RouteTable = {
  abci_info(view) {
    const { data, version, appVersion } = view.application.info();
    const { appHash } = blockAt(view, undefined).result;
    return {
      response: {
        ...(data !== '' && { data }),
        ...(version !== '' && { version }),
        ...(appVersion !== 0n && { app_version: String(appVersion) }),
        last_block_height: String(view.height),
        ...(appHash.length > 0 && { last_block_app_hash: base64(appHash) }),
      },
    };
  },
  abci_query(view, args) {
    const answer = view.application.query({
      path: args.text('path'),
      data: args.bytes('data'),
      height: args.integer('height'),
      prove: args.flag('prove'),
      latestHeight: view.height,
      earliestHeight: view.earliestState,
      node: readNode(view),
      lie: view.lie,
    });
    return {
      response: {
        code: answer.code,
        log: answer.log,
        info: answer.info,
        index: String(answer.index),
        key: base64(answer.key),
        value: base64(answer.value),
        proofOps:
          answer.proofOps === null
            ? null
            : { ops: answer.proofOps.map(({ type, key, data }) => ({ type, key: base64(key), data: base64(data) })) },
        height: String(answer.height),
        codespace: answer.codespace,
      },
    };
  },
};
