import type { ConsensusParamUpdates } from '../../chain/wire/block.ts';
import type { Pinned } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type { Validator } from './validators.ts';

/** The types that the files of this module share and other modules use. */
export const ValidatorRef = createRef<Pinned<Validator>>('Validator');
export const ValidatorConnectionRef = createRef<Connection<Pinned<Validator>>>('ValidatorConnection');
export const ConsensusParamsRef = createRef<ConsensusParamUpdates>('ConsensusParams');
