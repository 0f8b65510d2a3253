/** What worlds of elastic and rigid bodies alone do without: on-demand.ts fetches it. */
export { Fracture } from '../solvers/elastic/fracture.js';
export { Renewal, withoutRenewed } from '../solvers/elastic/renewal.js';
export { scoreOf } from '../solvers/elastic/scores.js';
export { SolidViscosity } from '../solvers/elastic/viscosity.js';
export { FluidModel } from '../solvers/fluid/model.js';
export { FlowForces, LiquidForces, SolidForces } from '../solvers/forces/apply.js';
export { SurfaceLoads } from '../solvers/forces/loads.js';
export { HeatModel } from '../solvers/heat/model.js';
export { liquidSurface } from '../surface/liquid.js';
