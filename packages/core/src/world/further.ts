/** What worlds of elastic and rigid bodies alone do without: on-demand.ts fetches it. */
export { SurfaceContact } from '../solvers/contact/surfaces.js';
export { CoarseSpace } from '../solvers/elastic/coarse.js';
export { Fracture } from '../solvers/elastic/fracture.js';
export { ImplicitSolver } from '../solvers/elastic/implicit.js';
export { Renewal, withoutRenewed } from '../solvers/elastic/renewal.js';
export { scoreOf } from '../solvers/elastic/scores.js';
export { SolidViscosity } from '../solvers/elastic/viscosity.js';
export { FluidModel } from '../solvers/fluid/model.js';
export { FlowForces, LiquidForces, SolidForces } from '../solvers/forces/apply.js';
export { SurfaceLoads } from '../solvers/forces/loads.js';
export { HeatModel } from '../solvers/heat/model.js';
export { RigidSystem } from '../solvers/rigid/implicit.js';
export { liquidSurface } from '../surface/liquid.js';
