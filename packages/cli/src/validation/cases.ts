import type { ValidationCase } from './case.js';
import { basicCases } from './cases/basics.js';
import { beamCases } from './cases/beam.js';
import { columnCases } from './cases/column.js';
import { contactCases } from './cases/contact.js';
import { elasticaCases } from './cases/elastica.js';
import { flowCases } from './cases/flow.js';
import { fluidChannelCases } from './cases/fluid-channel.js';
import { fluidDamCases } from './cases/fluid-dam.js';
import { fluidDropCases } from './cases/fluid-drop.js';
import { fluidPlateCases } from './cases/fluid-plate.js';
import { fluidRestCases } from './cases/fluid-rest.js';
import { fluidWaveCases } from './cases/fluid-waves.js';
import { fractureCases } from './cases/fracture.js';
import { heatCases } from './cases/heat.js';
import { pressureCases, stretchCases, torsionCases } from './cases/laws.js';
import { meltingCases } from './cases/melting.js';
import { motionCases } from './cases/motions.js';
import { plasticityCases } from './cases/plasticity.js';
import { plateCases } from './cases/plate.js';
import { rigidCases } from './cases/rigid.js';
import { stiffCases } from './cases/stiff.js';
import { stressCases } from './cases/stresses.js';
import { stripCases } from './cases/strip.js';
import { turekHronCases } from './cases/turek-hron.js';
import { waveCases } from './cases/waves.js';

export const VALIDATION_CASES: readonly ValidationCase[] = [
  ...basicCases,
  ...rigidCases,
  ...contactCases,
  ...waveCases,
  ...pressureCases,
  ...torsionCases,
  ...stretchCases,
  ...plateCases,
  ...stressCases,
  ...beamCases,
  ...stripCases,
  ...turekHronCases,
  ...stiffCases,
  ...elasticaCases,
  ...columnCases,
  ...plasticityCases,
  ...fractureCases,
  ...flowCases,
  ...fluidRestCases,
  ...fluidDamCases,
  ...fluidWaveCases,
  ...fluidChannelCases,
  ...fluidDropCases,
  ...fluidPlateCases,
  ...heatCases,
  ...meltingCases,
  ...motionCases,
];
