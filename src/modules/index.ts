import { account } from './account/module.ts';
import { anyMessage } from './any/module.ts';
import { attribute } from './attribute/module.ts';
import { bank } from './bank/module.ts';
import { node } from './blocks/module.ts';
import { feegrant } from './feegrant/module.ts';
import { flatfees } from './flatfees/module.ts';
import { group } from './group/module.ts';
import { history } from './history/module.ts';
import { hold } from './hold/module.ts';
import { marker } from './marker/module.ts';
import { metadata } from './metadata/module.ts';
import { name } from './name/module.ts';
import { netAssetValue } from './netAssetValue/module.ts';
import { staking } from './staking/module.ts';
import { words } from './summaries/module.ts';
import { transfers } from './transfers/module.ts';

/** Every module. A new one is two lines here: its import, and its name. */
export const modules = {
  account,
  anyMessage,
  attribute,
  bank,
  feegrant,
  flatfees,
  group,
  history,
  hold,
  marker,
  metadata,
  name,
  netAssetValue,
  node,
  staking,
  transfers,
  words,
};
