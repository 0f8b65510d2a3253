/**
 * What a user can say about a world, with every default filled in. The same words are used by the
 * scene file, the API, the command line and the documentation. SI units, y is up, right-handed.
 */

import type { ForceOptions } from '../forces/index.js';
import type { Vec3 } from '../math/matrix3.js';
import type { TriangleMesh } from '../mesh/types.js';
import type { FieldNumber, FieldVector } from './field.js';
import type { CurvedNumber, MaterialNumber, MaterialNumbers, RegionalNumber } from './material-parameters.js';

export type { Vec3 } from '../math/matrix3.js';
export type { CornerValues, MeshFinish, MeshMaterial, MeshTexture, TextureWrap, TriangleMesh } from '../mesh/types.js';
export type { FieldNumber, FieldVector } from './field.js';

/** Two coordinates [m]. */
export type Vec2 = readonly [number, number];

/** A closed shape, centred on its own origin (a mesh keeps the origin of its file). */
export type Shape =
  | { readonly box: { readonly size: Vec3 } }
  | { readonly sphere: { readonly radius: number } }
  /** Along y. */
  | { readonly cylinder: { readonly radius: number; readonly length: number } }
  /** Along y; `length` is that of the straight part. */
  | { readonly capsule: { readonly radius: number; readonly length: number } }
  /** Around y; `radius` of the ring, `tube` of its section. */
  | { readonly torus: { readonly radius: number; readonly tube: number } }
  | { readonly mesh: MeshShape };

/** `file` in scenes, `data` from programs; scaled so that the longest side is `size` [m] when given. */
export interface MeshShape {
  readonly file?: string | undefined;
  readonly data?: TriangleMesh | undefined;
  readonly size?: number | undefined;
}

/** A plane polygon drawn out along z, or what lies between heights and a flat bottom. */
export type DrawnShape =
  | {
      readonly extrusion: {
        readonly polygon: readonly Vec2[];
        readonly holes: readonly (readonly Vec2[])[];
        readonly length: number;
      };
    }
  | {
      readonly heightfield: {
        readonly size: Vec2;
        /** Of x and z, or rows along z of heights along x. */
        readonly heights: FieldNumber | readonly (readonly number[])[];
        readonly base: number;
        readonly cells: number;
      };
    };

/** A shape put somewhere in a whole; degrees, XYZ. */
export interface ShapePart {
  readonly shape: CompositeShape;
  readonly position: Vec3;
  readonly rotation: Vec3;
}

/** A shape that may be made of others. Bodies and obstacles get the mesh of what is not basic. */
export type CompositeShape =
  | Shape
  | DrawnShape
  | { readonly union: readonly ShapePart[] }
  | { readonly difference: readonly ShapePart[] }
  | { readonly intersection: readonly ShapePart[] };

/** What a vessel holds: obstacles or bodies by their names, and a height in the world [m]. */
export interface FillOptions {
  readonly vessel: string | readonly string[];
  readonly level: number;
}

type PlaneShape = { readonly plane: { readonly normal: Vec3; readonly offset: number } };
export type ObstacleShape = Shape | PlaneShape;

export type Lattice = 'cubic' | 'bcc' | 'hcp' | 'octree';

/** Pose at a time; between keyframes positions go straight and rotations along the shortest arc. */
export interface Keyframe {
  readonly time: number;
  readonly position: Vec3;
  /** Degrees, XYZ. */
  readonly rotation: Vec3;
}

/** Pose as a function of time. */
export interface MotionOptions {
  readonly position: FieldVector;
  /** Degrees, XYZ. */
  readonly rotation: FieldVector;
}

/**
 * Law of the stored energy. `stVenantKirchhoff` is that of the papers; `neoHookean`, in its stable form,
 * survives inversion and strong compression; `corotational` is linear in the rotated frame.
 */
export type MaterialModel = 'stVenantKirchhoff' | 'neoHookean' | 'corotational';

/** Stiffness that differs along three perpendicular axes of the material. */
export interface Orthotropic {
  /** Young's moduli along the material's x, y and z [Pa]. */
  readonly youngsModuli: Vec3;
  /** Shear moduli in the planes yz, xz and xy [Pa]. */
  readonly shearModuli: Vec3;
  /** Poisson's ratios yz, xz and xy [1]: ij is the contraction along j under tension along i. */
  readonly poissonsRatios: Vec3;
  /** Turn of the material's axes relative to the body's; degrees, XYZ. */
  readonly rotation: Vec3;
}

/** Straight lines between points of a temperature [degrees C] and a factor [1]; level beyond the ends. */
export type TemperatureCurve = readonly (readonly [temperature: number, factor: number])[];

/** What parameters of a material are multiplied by, as functions of temperature. */
export type TemperatureCurves = { readonly [K in CurvedNumber]?: TemperatureCurve | undefined };

export interface Material extends MaterialNumbers {
  readonly model: MaterialModel;
  /** Is a liquid of it elastic as far as it is not molten? What cannot melt always is. */
  readonly elastic: boolean;
  /** Does what freezes grow together with other bodies? */
  readonly welds: boolean;
  /** Replaces `youngsModulus` and `poissonsRatio`; only with `stVenantKirchhoff`. */
  readonly orthotropic?: Orthotropic | undefined;
  readonly byTemperature?: TemperatureCurves | undefined;
}

/** New values of some parameters of a body's material. */
export type MaterialChange = Partial<Pick<Material, MaterialNumber | 'model'>>;

/** What may differ from particle to particle in one body. */
export type RegionalChange = { readonly [K in RegionalNumber]?: FieldNumber };

/** Another material in a part of a body. */
export interface MaterialRegion {
  readonly region: Region;
  readonly set: RegionalChange;
}

export type Discretisation = 'linear' | 'quadratic';

/** Of a body: `renewed` is for what flows, with neighbours that change ([J14]); `embedded` means the same. */
export type BodyDiscretisation = Discretisation | 'renewed' | 'embedded';

/** What ties a rigid body to the world, where it is at time 0; axes may have any length but zero. */
export type Joint =
  /** It turns about the axis through the point [m]. */
  | {
      readonly hinge: {
        readonly point: Vec3;
        readonly axis: Vec3;
        /** From where it begins [degrees]. */
        readonly limits?: Vec2 | undefined;
        /** [rad/s] and [N m] */
        readonly motor?: { readonly speed: number; readonly torque: number } | undefined;
      };
    }
  /** It moves along the axis and does not turn. */
  | {
      readonly slider: {
        readonly axis: Vec3;
        /** [m] */
        readonly limits?: Vec2 | undefined;
        /** [m/s] and [N] */
        readonly motor?: { readonly speed: number; readonly force: number } | undefined;
      };
    };

/** How something is shown in pictures; nothing of it changes what happens. */
export interface Appearance {
  /** `#rrggbb`, sRGB. */
  readonly color?: string | undefined;
  readonly look?: 'matte' | 'glossy' | 'glass' | undefined;
}

export interface BodyOptions extends Appearance {
  readonly name: string;
  /** Of faces where the body breaks: `#rrggbb`, sRGB, and how far they are off smooth ones [spacings]. */
  readonly insideColor?: string | undefined;
  readonly crackRoughness?: number | undefined;
  /** `solid` deforms, `fluid` is a liquid; `rigid` bodies keep their shape, their Young's modulus is that of contact. */
  readonly kind: 'solid' | 'fluid' | 'rigid';
  readonly shape: Shape;
  readonly position: Vec3;
  /** Degrees, XYZ. */
  readonly rotation: Vec3;
  readonly velocity: FieldVector;
  /** Of a solid at the start [m]. */
  readonly displacement: FieldVector;
  /** [rad/s] about the centre of mass. */
  readonly angularVelocity: Vec3;
  /**
   * Angular velocity on top at the start [rad/s], which grows along its own direction as
   * sin(pi/2 s/L); s goes from 0 at the body's lowest point in that direction to L at its highest.
   */
  readonly twist: Vec3;
  readonly material: Material;
  /** Parts with another material; where they overlap the last one counts. */
  readonly regions: readonly MaterialRegion[];
  /** Patterns that it breaks along. */
  readonly scores: readonly ScoreOptions[];
  /** Distance of neighbouring particles [m]; exactly one of `spacing` and `particles` is given. */
  readonly spacing?: number | undefined;
  readonly particles?: number | undefined;
  readonly lattice: Lattice;
  /** Largest random displacement of a particle along each axis, as a share of its spacing [1]. */
  readonly jitter: number;
  /** What a rigid body is held by; nothing when left out. */
  readonly joint?: Joint | undefined;
  /** That of `solver.solid` when left out. */
  readonly discretisation?: BodyDiscretisation | undefined;
  /** At the start [degrees C]; that of the world when left out. */
  readonly temperature?: FieldNumber | undefined;
}

/** A pattern that a body breaks along; positions are in the world at time 0. */
export interface ScoreOptions {
  readonly pattern:
    | { readonly voronoi: { readonly count: number; readonly seed: number } }
    | { readonly brick: { readonly size: Vec3; readonly origin: Vec3 } }
    | { readonly grain: { readonly axis: Vec3 } }
    | { readonly noise: { readonly size: number; readonly seed: number } }
    | { readonly crack: CrackPattern };
  /** Share of strength and fracture energy that is left [1]. */
  readonly strength: number;
}

/** A line on the surface that goes into a body [m]. */
export interface CrackPattern {
  readonly points: readonly Vec3[];
  readonly depth: number;
  /** Towards the middle of the body when left out. */
  readonly direction?: Vec3 | undefined;
}

/** A sharp edge that moves. */
export interface BladeOptions {
  /** All solids that bend when left out. */
  readonly body?: string | undefined;
  readonly edge: readonly Vec3[];
  readonly keyframes: readonly Keyframe[];
  /** [s] */
  readonly start: number;
}

/** What pushes solids away from a point. */
export interface ExplosionOptions {
  /** [s] */
  readonly time: number;
  readonly at: Vec3;
  /** [m] */
  readonly radius: number;
  /** [J] */
  readonly energy: number;
  readonly body?: string | undefined;
}

/** A round opening that liquid comes out of, along its y axis. */
export interface EmitterOptions extends Appearance {
  readonly name: string;
  readonly position: Vec3;
  /** Degrees, XYZ. */
  readonly rotation: Vec3;
  /** Of the opening [m]. */
  readonly radius: number;
  /** Of the liquid that comes out [m/s], or its volume per second [m3/s]; exactly one is given. */
  readonly speed?: number | undefined;
  readonly rate?: number | undefined;
  /** Runs from `start` up to `stop` [s]. */
  readonly start: number;
  readonly stop: number;
  /** Particles that may be in the world at a time. */
  readonly maxParticles: number;
  readonly spacing: number;
  readonly material: Material;
  /** Of the liquid that comes out [degrees C]; that of the world when left out. */
  readonly temperature?: number | undefined;
}

/** A body as a scene says it: its shape may yet have to be made. */
export type DescribedBody = Omit<BodyOptions, 'shape'> & {
  readonly shape: CompositeShape | { readonly fill: FillOptions };
};

export interface ObstacleOptions extends Appearance {
  readonly name: string;
  readonly shape: ObstacleShape;
  readonly position: Vec3;
  readonly rotation: Vec3;
  readonly friction: number;
  readonly restitution: number;
  /** How freely liquids move along it [1]: 0 sticks, 1 slips. */
  readonly slip: number;
  /** Share of a liquid's attraction to itself that it has [1]: the contact angle has about the cosine 2 adhesion - 1. */
  readonly adhesion: number;
  /** Poses relative to `position` and `rotation`; empty for an obstacle that stands still. */
  readonly keyframes: readonly Keyframe[];
  /** In place of keyframes. */
  readonly motion?: MotionOptions | undefined;
  /** Held [degrees C]; without one it takes no heat. */
  readonly temperature?: number | undefined;
  /** Conductance of the contact with it [W/(m2 K)]; Infinity for none that matters. */
  readonly contactConductance: number;
}

/** An obstacle as a scene says it. */
export type DescribedObstacle = Omit<ObstacleOptions, 'shape'> & { readonly shape: CompositeShape | PlaneShape };

/** Selects particles by their positions in the world at time 0. */
export type Region =
  | { readonly all: true }
  | { readonly box: { readonly min: Vec3; readonly max: Vec3 } }
  | { readonly sphere: { readonly center: Vec3; readonly radius: number } };

export type Axis = 'x' | 'y' | 'z';

export interface ConstraintOptions {
  /** What probes know it by. */
  readonly name?: string | undefined;
  readonly body: string;
  readonly region: Region;
  /** Whether particles are chosen by their positions at time 0, or by those when the constraint begins. */
  readonly regionTime: 'rest' | 'start';
  /** World axes held; all three for `true` in the scene file. */
  readonly fix: readonly Axis[];
  /** Poses relative to the start, rotating about the region's centre of mass. */
  readonly move: readonly Keyframe[];
  /** Prescribed along the axes that it names, by the positions at time 0 [m]; 0 along others that are fixed. */
  readonly displacement?: { readonly [K in Axis]?: FieldNumber | undefined } | undefined;
  /** Total force [N], spread over the region in proportion to mass. */
  readonly force: Vec3;
  /** Acts from `start` up to `end` [s]. */
  readonly start: number;
  readonly end: number;
}

/** What acts on the surface of a solid or a rigid body. */
export interface LoadOptions {
  readonly body: string;
  readonly region: Region;
  /** [Pa] */
  readonly pressure?: FieldNumber | undefined;
  readonly following: boolean;
  /** [Pa] */
  readonly traction?: FieldVector | undefined;
  /** [N] */
  readonly force?: FieldVector | undefined;
  /** Acts from `start` up to `end` [s]. */
  readonly start: number;
  readonly end: number;
}

/** Heat that comes into a region of a body; exactly one of `power` and `temperature` is given. */
export interface HeatOptions {
  readonly body: string;
  readonly region: Region;
  /** Heat per second [W], spread over the region in proportion to mass. */
  readonly power?: number | undefined;
  /** Held [degrees C]. */
  readonly temperature?: number | undefined;
  /** Acts from `start` up to `end` [s]. */
  readonly start: number;
  readonly end: number;
}

export interface EventOptions {
  readonly time: number;
  readonly body: string;
  readonly set: MaterialChange;
}

export type ProbeQuantity =
  | 'position'
  | 'displacement'
  | 'velocity'
  | 'energy'
  | 'kineticEnergy'
  | 'elasticEnergy'
  | 'gravitationalEnergy'
  | 'momentum'
  | 'angularMomentum'
  | 'orientation'
  | 'angularVelocity'
  | 'volume'
  | 'density'
  | 'stress'
  | 'stressTensor'
  | 'principalStress'
  | 'strainTensor'
  | 'principalStrain'
  | 'velocityGradient'
  | 'plasticStrain'
  | 'damage'
  | 'pieces'
  | 'pressure'
  | 'maximumSpeed'
  | 'temperature'
  | 'heat'
  | 'liquidFraction'
  | 'height'
  | 'contactForce'
  | 'reaction'
  | 'massFlow'
  | 'volumeFlow';

export interface ProbeOptions {
  readonly name: string;
  /** All bodies when left out. */
  readonly body?: string | undefined;
  readonly region: Region;
  /** A point of space that it reads instead of particles [m]. */
  readonly at?: Vec3 | undefined;
  /** A line or a disc in space that it reads the mean over, or the flow through. */
  readonly along?: { readonly from: Vec3; readonly to: Vec3 } | undefined;
  readonly through?: { readonly center: Vec3; readonly normal: Vec3; readonly radius: number } | undefined;
  /** Whether particles of the region are those that were in it at time 0, or those that are in it now. */
  readonly regionTime?: 'rest' | 'now' | undefined;
  /** The obstacle that forces act on, or the body or obstacle that they come from; all when left out. */
  readonly obstacle?: string | undefined;
  readonly from?: string | undefined;
  /** The constraint whose reaction is measured; all of the body, or of the world, when left out. */
  readonly constraint?: string | undefined;
  readonly quantity: ProbeQuantity;
}

export interface SolidSolverOptions {
  /** `linear` as in the papers; `quadratic` is accurate with few particles across. */
  readonly discretisation: Discretisation;
  /**
   * `explicit` is leapfrog [K06] 7.2.1; `verlet` is the position form of [S08] eq. 3.44; `implicit` is
   * backward Euler, stable at any step; `midpoint` is implicit too, of second order.
   */
  readonly integrator: 'explicit' | 'verlet' | 'implicit' | 'midpoint';
  /** Support radius in units of the particle spacing; what suits the discretisation when left out. */
  readonly support?: number;
  /** Weight of the penalty on displacements that the fit cannot see [1]; what suits the discretisation when left out. */
  readonly stabilisation?: number;
  /** Largest residual force of an implicit or static solution, relative to the forces that act [1]. */
  readonly tolerance: number;
  /** Conjugate gradient iterations in one solve before the step is tried again with half the length. */
  readonly maxIterations: number;
}

export interface FluidSolverOptions {
  /** `dfsph` is divergence-free SPH, which hardly compresses; `wcsph` the weakly compressible SPH of [K06] 4.3. */
  readonly pressure: 'dfsph' | 'wcsph';
  /** Mean compression that is put up with [1]. */
  readonly densityError: number;
  /** Compression by the velocities that pressure may leave, relative to what it undoes [1]. */
  readonly tolerance: number;
  /** Iterations of a pressure solution at the most. */
  readonly maxIterations: number;
  /** Share of its spacing that a particle may go in a step [1]. */
  readonly cfl: number;
  /** Upper bound of the liquid's time step [s]. */
  readonly maxTimeStep: number;
  /** Of the equation of state of `wcsph`: pressure per compression over the exponent [Pa], and the exponent. */
  readonly stiffness: number;
  readonly exponent: number;
  /** Viscosity of eddies smaller than the spacing, over spacing times the difference of neighbours' velocities [1]. */
  readonly eddyViscosity: number;
  readonly isotropy: number;
  /** Share of the neighbours' velocities that a particle takes on per step [1]. */
  readonly xsph: number;
  /** Lengths after which space repeats, along x, y and z; 0 where it does not [m]. */
  readonly period: Vec3;
}

/** Bodies with `discretisation: renewed`. */
export interface EmbeddingSolverOptions {
  /** Plastic strain after which sampling and neighbours follow [1]. */
  readonly updateStrain: number;
  /** Do neighbours change, and do particles split and merge? */
  readonly neighborUpdates: boolean;
  readonly resampling: boolean;
  /** `implicit` is stable at any step. */
  readonly viscosity: 'implicit' | 'explicit';
}

export interface ContactOptions {
  /** Contact between different bodies. */
  readonly bodies: boolean;
  /** Contact between far parts of one body. */
  readonly self: boolean;
  /** Elastic solids touch each other by their surfaces instead of by balls around their particles. */
  readonly surfaces: boolean;
}

export interface SolverOptions {
  readonly solid: SolidSolverOptions;
  readonly fluid: FluidSolverOptions;
  readonly embedding: EmbeddingSolverOptions;
  readonly contact: ContactOptions;
  /** Contact of rigid bodies among themselves and with obstacles. */
  readonly rigid: 'hertz' | 'rapier';
  /** Upper bound of the time step [s]; Infinity leaves it to stability. */
  readonly maxTimeStep: number;
  /** Share of the stable step that is used [1]. */
  readonly safety: number;
}

export interface WorldOptions extends ForceOptions {
  readonly gravity: Vec3;
  /** Solve for the equilibrium instead of the motion. */
  readonly static: boolean;
  readonly solver: SolverOptions;
  readonly seed: number;
  readonly threads: 'auto' | number;
  /** Of the surroundings [degrees C], and what free surfaces exchange with them [W/(m2 K)]. */
  readonly temperature?: number | undefined;
  readonly heatTransfer: number;
}

/** When a run ends before its duration. */
export interface UntilOptions {
  readonly atRest?: { readonly speed: number; readonly seconds: number } | undefined;
  readonly probes: readonly {
    readonly probe: string;
    readonly above?: number | undefined;
    readonly below?: number | undefined;
  }[];
}

/** Tensors of every particle that frames of a run may hold. */
export type TensorArray = 'stressTensor' | 'strainTensor' | 'velocityGradient';

/** A whole scene, resolved: materials are in place and every default is written out. */
export interface Scene extends ForceOptions {
  readonly phyxel: 1;
  readonly name: string;
  readonly gravity: Vec3;
  readonly static: boolean;
  readonly duration: number;
  readonly frameRate: number;
  readonly until?: UntilOptions | undefined;
  readonly arrays: readonly TensorArray[];
  readonly seed: number;
  readonly materials: Readonly<Record<string, Material>>;
  readonly bodies: readonly DescribedBody[];
  readonly emitters: readonly EmitterOptions[];
  readonly sinks: readonly Region[];
  readonly obstacles: readonly DescribedObstacle[];
  readonly constraints: readonly ConstraintOptions[];
  readonly loads: readonly LoadOptions[];
  readonly events: readonly EventOptions[];
  readonly probes: readonly ProbeOptions[];
  readonly solver: SolverOptions;
  readonly temperature?: number | undefined;
  readonly heatTransfer: number;
  readonly heat: readonly HeatOptions[];
  readonly blades: readonly BladeOptions[];
  readonly explosions: readonly ExplosionOptions[];
}

/** A scene whose shapes are basic ones or meshes. */
export type Prepared<S = Scene> = Omit<S, 'bodies' | 'obstacles'> & {
  readonly bodies: readonly BodyOptions[];
  readonly obstacles: readonly ObstacleOptions[];
};
