/** Which tables make up which file of constants; scripts/build-layout.mjs writes them. */
import * as binding from './binding.js';
import * as carry from './carry.js';
import * as elastic from './elastic.js';
import * as fluid from './fluid.js';
import * as grid from './grid.js';
import * as heat from './heat.js';
import * as liquidSurface from './liquid-surface.js';
import { parameterOffsets } from './parameters.js';
import * as points from './points.js';
import * as prescription from './prescription.js';
import * as renewal from './renewal.js';
import * as solid from './solid.js';
import * as surfel from './surfel.js';
import type { Block, Constants } from './table.js';

export { arraysOf, stateOf } from './table.js';

/** Parameters of materials in the rows of bodies and liquids. */
export const PARAMETERS = {
  BODY_PARAMETERS: parameterOffsets('BODY', solid.BODY),
  LIQUID_PARAMETERS: parameterOffsets('LIQUID', fluid.LIQUID),
};

export const LAYOUTS: Readonly<Record<string, readonly (Block | Constants)[]>> = {
  'layout.ts': [...Object.values(grid), ...Object.values(solid)],
  'fluid-layout.ts': Object.values(fluid),
  'elastic-layout.ts': Object.values(elastic),
  'heat-layout.ts': Object.values(heat),
  'prescription-layout.ts': Object.values(prescription),
  'renewal-layout.ts': Object.values(renewal),
  'liquid-surface-layout.ts': Object.values(liquidSurface),
  'points-layout.ts': Object.values(points),
  'surfel-layout.ts': Object.values(surfel),
  'carry-layout.ts': Object.values(carry),
  'binding-layout.ts': Object.values(binding),
};

/** The blocks that stores allocate by. */
export const STORES: Readonly<Record<string, Block>> = {
  SOLID: solid.CONTEXT,
  FLUID: fluid.CONTEXT,
  ELASTIC: elastic.CONTEXT,
  HEAT: heat.CONTEXT,
  RENEWAL: renewal.CONTEXT,
};
