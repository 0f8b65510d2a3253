/**
 * What a program may give, and scene files say: every option with its text, unit, range and default.
 *
 * Written by scripts/build-types.mjs from the declarations in this folder. Change those, then run `npm run docs`.
 */
import type { FieldNumber, FieldVector, TemperatureCurve, TriangleMesh, Vec2, Vec3 } from './types.js';

/** Keys that are not given beside another one. */
export type Without<K extends string> = { readonly [Key in K]?: never };

/** What a world is made with. */
export interface WorldInput {
  /**
   * Gravitational acceleration [m/s2].
   * @defaultValue `[0, -9.81, 0]`
   */
  readonly gravity?: Vec3 | undefined;
  /**
   * Solve for the equilibrium instead of the motion.
   * @defaultValue `false`
   */
  readonly static?: boolean | undefined;
  /** How the motion is computed. */
  readonly solver?: SolverInput | undefined;
  /**
   * Start of the random numbers that jitter draws; >= 0, <= 4294967295.
   * @defaultValue `1`
   */
  readonly seed?: number | undefined;
  /**
   * Threads that share the work: all cores up to 8, or so many. Results do not depend on it.
   * @defaultValue `"auto"`
   */
  readonly threads?: 'auto' | number | undefined;
  /**
   * Temperature of the surroundings, and of bodies and sources that name none; 20 when left out. Naming one anywhere
   * makes heat count [degrees C]; >= -273.15, <= 1e+6.
   */
  readonly temperature?: number | undefined;
  /**
   * Heat that free surfaces exchange with the surroundings, for each kelvin; still air takes 5 to 25 [W/(m2 K)]; >= 0.
   * @defaultValue `0`
   */
  readonly heatTransfer?: number | undefined;
  /** Air that drags everything that moves: 1/2 density drag v^2 for each area across it. */
  readonly wind?: WindInput | undefined;
  /** A body force that differs from place to place and in time: mass times a field. */
  readonly acceleration?: AccelerationInput | undefined;
}

/** A deformable or rigid body. */
export interface BodyInput {
  /** Name, unique among bodies; body1, body2, ... when left out. */
  readonly name?: string | undefined;
  /**
   * What the body is made as: a solid deforms, a fluid is a liquid, a rigid body keeps its shape; its youngsModulus is
   * that of its contacts, and 1e7 to 1e8 Pa are hard enough for most.
   * @defaultValue `"solid"`
   */
  readonly kind?: 'solid' | 'fluid' | 'rigid' | undefined;
  /** The shape of a body. */
  readonly shape: ShapeInput;
  /**
   * Where the origin of the shape is put [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly position?: Vec3 | undefined;
  /**
   * Turn about the x, then y, then z axis [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: Vec3 | undefined;
  /**
   * Velocity at the start; formulas of the positions at time 0 on all but rigid bodies [m/s].
   * @defaultValue `[0, 0, 0]`
   */
  readonly velocity?: FieldVector | undefined;
  /**
   * Displacement of a solid from its shape at rest at the start, by the positions at rest [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly displacement?: FieldVector | undefined;
  /**
   * Angular velocity at the start, about the centre of mass [rad/s].
   * @defaultValue `[0, 0, 0]`
   */
  readonly angularVelocity?: Vec3 | undefined;
  /**
   * Angular velocity on top at the start, which grows along its own direction as a quarter of a sine, from 0 at the
   * lowest point of the body to all of it at the highest [rad/s].
   * @defaultValue `[0, 0, 0]`
   */
  readonly twist?: Vec3 | undefined;
  /** How a body answers to deformation, contact and heat. */
  readonly material?: MaterialInput | undefined;
  /** Parts with another material; where they overlap the last one counts. */
  readonly regions?: readonly MaterialRegionInput[] | undefined;
  /** Patterns that it breaks along, where its material has a tensileStrength. */
  readonly scores?: readonly ScoreInput[] | undefined;
  /** Distance of neighbouring particles; give this or particles [m]; > 0. */
  readonly spacing?: number | undefined;
  /** About how many particles; 2000 when neither this nor spacing is given; >= 1, <= 1e+9. */
  readonly particles?: number | undefined;
  /**
   * How particles are laid out at the start.
   * @defaultValue `"cubic"`
   */
  readonly lattice?: 'cubic' | 'bcc' | 'hcp' | 'octree' | undefined;
  /**
   * Random displacement of the particles at the start: up to this share of the spacing along each axis, within their
   * cells and the shape; >= 0, <= 0.45.
   * @defaultValue `0`
   */
  readonly jitter?: number | undefined;
  /**
   * Order of the moving least squares fit of this body, that of solver.solid when left out; renewed is for bodies that
   * flow far: a linear fit whose neighbours change, of particles that split and merge, see docs/flow.md; embedded means
   * the same.
   */
  readonly discretisation?: 'linear' | 'quadratic' | 'renewed' | 'embedded' | undefined;
  /** What ties a rigid body to the world. */
  readonly joint?: JointInput | undefined;
  /** Temperature at the start, by the positions at time 0; that of the scene when left out [degrees C]. */
  readonly temperature?: FieldNumber | undefined;
  /** Colour in pictures, like "#3b82f6"; chosen when left out. */
  readonly color?: string | undefined;
  /** Surface in pictures: matte, glossy, or glass, which is clear and tinted by color; chosen when left out. */
  readonly look?: 'matte' | 'glossy' | 'glass' | undefined;
  /** Colour in pictures of faces where the body breaks; a lighter one when left out. */
  readonly insideColor?: string | undefined;
  /** How far these faces are off smooth ones, as a share of the spacing; 0.12 when left out; >= 0, <= 0.4. */
  readonly crackRoughness?: number | undefined;
}

/** Something solid that bodies bump into and that is not moved by them. */
export interface ObstacleInput {
  /** Name, unique among obstacles; obstacle1, obstacle2, ... when left out. */
  readonly name?: string | undefined;
  /** The shape of an obstacle. */
  readonly shape: ObstacleShapeInput;
  /**
   * Where the origin of the shape is put [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly position?: Vec3 | undefined;
  /**
   * Turn about the x, then y, then z axis [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: Vec3 | undefined;
  /**
   * Coulomb friction coefficient; >= 0.
   * @defaultValue `0.5`
   */
  readonly friction?: number | undefined;
  /**
   * Coefficient of restitution: the share of the approach speed that a bounce gives back. The larger one of body and
   * obstacle counts; that of solids when they have one; >= 0, <= 1.
   * @defaultValue `0`
   */
  readonly restitution?: number | undefined;
  /**
   * How freely liquids move along it: 0 sticks, 1 slips; >= 0, <= 1.
   * @defaultValue `0`
   */
  readonly slip?: number | undefined;
  /**
   * Share of a liquid's attraction to itself that it has; with surface tension the contact angle has about the cosine 2
   * adhesion - 1; >= 0, <= 1.
   * @defaultValue `0.5`
   */
  readonly adhesion?: number | undefined;
  /** Poses relative to position and rotation; it stands still without. */
  readonly keyframes?: readonly KeyframeInput[] | undefined;
  /** Pose as a function of time, relative to position and rotation: in place of keyframes. */
  readonly motion?: MotionInput | undefined;
  /**
   * Temperature that it is held at: a hot plate, or a cold one; it takes no heat when left out [degrees C]; >= -273.15,
   * <= 1e+6.
   */
  readonly temperature?: number | undefined;
  /**
   * Heat that passes through the contact with an obstacle that has a temperature, for each kelvin; without resistance
   * when left out [W/(m2 K)]; > 0, >= 0.
   */
  readonly contactConductance?: number | undefined;
  /** Colour in pictures, like "#3b82f6"; chosen when left out. */
  readonly color?: string | undefined;
  /** Surface in pictures: matte, glossy, or glass, which is clear and tinted by color; chosen when left out. */
  readonly look?: 'matte' | 'glossy' | 'glass' | undefined;
}

/** A round opening that liquid comes out of. */
export interface EmitterInput {
  /** Name of the liquid, unique among bodies; emitter1, emitter2, ... when left out. */
  readonly name?: string | undefined;
  /**
   * Where the origin of the shape is put [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly position?: Vec3 | undefined;
  /**
   * Turn about the x, then y, then z axis; the liquid comes out along the y axis [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: Vec3 | undefined;
  /** Radius of the opening [m]; > 0. */
  readonly radius: number;
  /** Speed of the liquid that comes out; give this or rate [m/s]; > 0. */
  readonly speed?: number | undefined;
  /** Volume that comes out per second; give this or speed [m3/s]; > 0. */
  readonly rate?: number | undefined;
  /**
   * When it begins [s]; >= 0.
   * @defaultValue `0`
   */
  readonly start?: number | undefined;
  /** When it ends; never when left out [s]; > 0. */
  readonly stop?: number | undefined;
  /**
   * Particles of it that may be in the world at a time; a report says when they are all in use; >= 1, <= 8388607.
   * @defaultValue `20000`
   */
  readonly maxParticles?: number | undefined;
  /** Distance of neighbouring particles, the same for all liquids [m]; > 0. */
  readonly spacing: number;
  /** How a body answers to deformation, contact and heat. */
  readonly material?: MaterialInput | undefined;
  /** Temperature of the liquid that comes out; that of the scene when left out [degrees C]; >= -273.15, <= 1e+6. */
  readonly temperature?: number | undefined;
  /** Colour in pictures, like "#3b82f6"; chosen when left out. */
  readonly color?: string | undefined;
  /** Surface in pictures: matte, glossy, or glass, which is clear and tinted by color; chosen when left out. */
  readonly look?: 'matte' | 'glossy' | 'glass' | undefined;
}

/** A Phyxel scene. */
export interface SceneInput {
  /** Version of the scene format. */
  readonly phyxel: 1;
  /** Name of the scene; that of its file when left out. */
  readonly name?: string | undefined;
  /**
   * Gravitational acceleration [m/s2].
   * @defaultValue `[0, -9.81, 0]`
   */
  readonly gravity?: Vec3 | undefined;
  /**
   * Solve for the equilibrium instead of the motion.
   * @defaultValue `false`
   */
  readonly static?: boolean | undefined;
  /**
   * How long to simulate: to the first frame at or after it [s]; > 0, <= 1e+9.
   * @defaultValue `2`
   */
  readonly duration?: number | undefined;
  /**
   * Frames for each second of simulated time. A frame is at most as long as the duration [1/s]; > 0, <= 1e+6.
   * @defaultValue `30`
   */
  readonly frameRate?: number | undefined;
  /** Ends the run at the first frame at which one of these holds, at the latest after the duration. */
  readonly until?: UntilInput | undefined;
  /** Tensors of every particle that frames of a run hold as well, for exports and colours: see docs/measuring.md. */
  readonly arrays?: readonly ('stressTensor' | 'strainTensor' | 'velocityGradient')[] | undefined;
  /**
   * Start of the random numbers that jitter draws; >= 0, <= 4294967295.
   * @defaultValue `1`
   */
  readonly seed?: number | undefined;
  /** Materials by name. */
  readonly materials?: Readonly<Record<string, MaterialInput>> | undefined;
  /** What is simulated; at least one. */
  readonly bodies?: readonly SceneBodyInput[] | undefined;
  /** Where liquid comes into the world. */
  readonly emitters?: readonly SceneEmitterInput[] | undefined;
  /** Regions where liquid leaves the world. */
  readonly sinks?: readonly RegionInput[] | undefined;
  /** What bodies bump into. */
  readonly obstacles?: readonly SceneObstacleInput[] | undefined;
  /** What holds, moves or pulls bodies. */
  readonly constraints?: readonly ConstraintInput[] | undefined;
  /** Pressure, traction and forces on surfaces. */
  readonly loads?: readonly LoadInput[] | undefined;
  /** Changes at given times. */
  readonly events?: readonly EventInput[] | undefined;
  /** What is measured. */
  readonly probes?: readonly ProbeInput[] | undefined;
  /** What heats and cools bodies. */
  readonly heat?: readonly HeatInput[] | undefined;
  /** Edges that cut bodies. */
  readonly blades?: readonly BladeInput[] | undefined;
  /** What pushes bodies away from a point at given times. */
  readonly explosions?: readonly ExplosionInput[] | undefined;
  /** How the motion is computed. */
  readonly solver?: SolverInput | undefined;
  /**
   * Temperature of the surroundings, and of bodies and sources that name none; 20 when left out. Naming one anywhere
   * makes heat count [degrees C]; >= -273.15, <= 1e+6.
   */
  readonly temperature?: number | undefined;
  /**
   * Heat that free surfaces exchange with the surroundings, for each kelvin; still air takes 5 to 25 [W/(m2 K)]; >= 0.
   * @defaultValue `0`
   */
  readonly heatTransfer?: number | undefined;
  /** Air that drags everything that moves: 1/2 density drag v^2 for each area across it. */
  readonly wind?: WindInput | undefined;
  /** A body force that differs from place to place and in time: mass times a field. */
  readonly acceleration?: AccelerationInput | undefined;
}

/** Ends the run at the first frame at which one of these holds, at the latest after the duration. */
export interface UntilInput {
  /** Nothing has moved faster than a speed for some time. */
  readonly atRest?: RestInput | undefined;
  /** Values that probes pass. */
  readonly probes?: readonly CrossingInput[] | undefined;
}

/** Nothing has moved faster than a speed for some time. */
export interface RestInput {
  /** Of the fastest particle, at every frame [m/s]; > 0. */
  readonly speed: number;
  /**
   * For so long [s]; > 0.
   * @defaultValue `0.5`
   */
  readonly seconds?: number | undefined;
}

/** A value that a probe passes. */
export interface CrossingInput {
  /** Column of probes.csv: the name of a probe, of a vector with .x, .y or .z. */
  readonly probe: string;
  /** It ends at a frame with a larger value [unit of the probe]. */
  readonly above?: number | undefined;
  /** It ends at a frame with a smaller value [unit of the probe]. */
  readonly below?: number | undefined;
}

/** How a body answers to deformation, contact and heat. */
export interface MaterialInput {
  /**
   * Mass per volume at rest [kg/m3]; > 0.
   * @defaultValue `1000`
   */
  readonly density?: number | undefined;
  /**
   * Young's modulus: the stiffness in tension [Pa]; > 0.
   * @defaultValue `100000`
   */
  readonly youngsModulus?: number | undefined;
  /**
   * Poisson's ratio: how much a stretched piece gets thinner; near 0.5 the volume hardly changes; > -1, < 0.5.
   * @defaultValue `0.3`
   */
  readonly poissonsRatio?: number | undefined;
  /**
   * Damping ratio of the body's slowest wave; rigid motion is not damped; >= 0.
   * @defaultValue `0`
   */
  readonly damping?: number | undefined;
  /**
   * Share of the bulk response carried by the determinant term, which keeps pieces from turning inside out; >= 0, <= 1.
   * @defaultValue `1`
   */
  readonly volumeStiffness?: number | undefined;
  /**
   * Von Mises stress at which it begins to flow for good; with the default it never does [Pa]; >= 0.
   * @defaultValue `1000000000000000000`
   */
  readonly yieldStress?: number | undefined;
  /**
   * How much the yield stress grows per plastic strain; below zero it softens [Pa].
   * @defaultValue `0`
   */
  readonly hardening?: number | undefined;
  /**
   * Rate at which stress beyond the yield stress relaxes, one over the relaxation time; with the default at once [1/s];
   * >= 0.
   * @defaultValue `1000000000000`
   */
  readonly creepRate?: number | undefined;
  /**
   * Plastic strain, accumulated, at which it stops flowing and is elastic again; >= 0.
   * @defaultValue `1000000000000`
   */
  readonly plasticLimit?: number | undefined;
  /**
   * Share of the change of volume that flows as shear does: 0 for metals and clay, 1 for what can be crushed; >= 0, <=
   * 1.
   * @defaultValue `0`
   */
  readonly plasticVolume?: number | undefined;
  /**
   * Largest principal stress that it bears before it breaks; with the default it never does [Pa]; > 0.
   * @defaultValue `1000000000000000000`
   */
  readonly tensileStrength?: number | undefined;
  /** Energy that a crack takes by area; it breaks at once when neither this nor toughness is given [J/m2]; >= 0. */
  readonly fractureEnergy?: number;
  /** Fracture toughness K_Ic in place of fractureEnergy, which is K_Ic^2 (1 - nu^2) / E [Pa sqrt(m)]; >= 0. */
  readonly toughness?: number;
  /**
   * How far tensileStrength of a particle may be from that of the material, drawn with the seed: 0.1 is up to 10 % more
   * or less; >= 0, <= 0.9.
   * @defaultValue `0`
   */
  readonly strengthVariation?: number | undefined;
  /**
   * Plastic strain at which no strength is left; before that it falls in proportion. With the default it stays; > 0.
   * @defaultValue `1000000000000`
   */
  readonly failureStrain?: number | undefined;
  /**
   * Coulomb friction coefficient; >= 0.
   * @defaultValue `0.5`
   */
  readonly friction?: number | undefined;
  /**
   * Coefficient of restitution: the share of the approach speed that a bounce gives back. When left out, solids give
   * back what their elasticity does, and rigid bodies nothing; >= 0, <= 1.
   */
  readonly restitution?: number;
  /**
   * Dynamic viscosity: water 0.001, olive oil 0.08, honey 10. When left out, liquids have 0.001 and solids none. It
   * brakes all change of shape of a solid; that of one with a meltingPoint is of its liquid alone, unless its
   * neighbours are renewed [Pa s]; >= 0.
   */
  readonly viscosity?: number;
  /**
   * Surface tension of a liquid; water has 0.0728 [N/m]; >= 0.
   * @defaultValue `0`
   */
  readonly surfaceTension?: number | undefined;
  /**
   * Pull that a liquid bears before it comes apart: a jet that falls gets thinner instead of parting into discs; next
   * to nothing beside surfaceTension, whose surface lacks density. With wcsph the pressure by which it holds together
   * at rest density. Not for elastic ones [Pa]; >= 0.
   * @defaultValue `0`
   */
  readonly cohesion?: number | undefined;
  /**
   * How well it conducts heat; 0 keeps heat where it is [W/(m K)]; >= 0.
   * @defaultValue `0`
   */
  readonly thermalConductivity?: number | undefined;
  /**
   * Heat that warms a kilogram by a kelvin [J/(kg K)]; > 0.
   * @defaultValue `1000`
   */
  readonly heatCapacity?: number | undefined;
  /**
   * Heat that melts a kilogram, on top of what warms it; ice takes 334000 [J/kg]; >= 0.
   * @defaultValue `0`
   */
  readonly latentHeat?: number | undefined;
  /** Temperature at which it melts and freezes; neither when left out [degrees C]; >= -273.15, <= 1e+6. */
  readonly meltingPoint?: number;
  /**
   * Width of the range around meltingPoint in which it is partly liquid [K]; >= 0, <= 1e+6.
   * @defaultValue `0`
   */
  readonly meltingRange?: number | undefined;
  /** thermalConductivity when it is liquid; the same when left out [W/(m K)]; >= 0. */
  readonly liquidConductivity?: number;
  /** heatCapacity when it is liquid; the same when left out [J/(kg K)]; > 0. */
  readonly liquidHeatCapacity?: number;
  /** What parameters of a material are multiplied by, as functions of temperature. */
  readonly byTemperature?: TemperatureCurvesInput | undefined;
  /**
   * For fluid bodies and emitters: elastic as far as it is not molten, with youngsModulus, poissonsRatio and the rest
   * of a solid; what has no meltingPoint always is, and is viscoelastic with a yieldStress or creepRate. See
   * docs/melting.md.
   * @defaultValue `false`
   */
  readonly elastic?: boolean | undefined;
  /**
   * What freezes grows together with solid matter of other bodies that it touches; false forbids it.
   * @defaultValue `true`
   */
  readonly welds?: boolean | undefined;
  /**
   * Law of the stored energy: stVenantKirchhoff is that of the papers, neoHookean (in its stable form) survives
   * inversion and strong compression, corotational is linear in the rotated frame.
   * @defaultValue `"stVenantKirchhoff"`
   */
  readonly model?: 'stVenantKirchhoff' | 'neoHookean' | 'corotational' | undefined;
  /** Stiffness that differs along three perpendicular axes of the material. */
  readonly orthotropic?: OrthotropicInput | undefined;
  /** Real material to start from; the other keys override its values, see docs/materials.md. */
  readonly preset?: 'rubber' | 'steel' | 'jelly' | 'clay' | 'wood' | 'bone';
}

/** What parameters of a material are multiplied by, as functions of temperature. */
export interface TemperatureCurvesInput {
  /**
   * Factor of the density of a liquid, by which warm liquid rises. Points [temperature, factor] by rising temperature,
   * with straight lines between.
   */
  readonly density?: TemperatureCurve | undefined;
  /**
   * Factor of the stiffness of an elastic liquid, on top of what melting takes; where it is 0 it is liquid. Points
   * [temperature, factor] by rising temperature, with straight lines between.
   */
  readonly youngsModulus?: TemperatureCurve | undefined;
  /**
   * Factor of the yield stress of a solid or an elastic liquid; of what melts on top of its stiffness. Points
   * [temperature, factor] by rising temperature, with straight lines between.
   */
  readonly yieldStress?: TemperatureCurve | undefined;
  /**
   * Factor of the tensile strength of a solid. Points [temperature, factor] by rising temperature, with straight lines
   * between.
   */
  readonly tensileStrength?: TemperatureCurve | undefined;
  /**
   * Factor of the viscosity of a liquid. Points [temperature, factor] by rising temperature, with straight lines
   * between.
   */
  readonly viscosity?: TemperatureCurve | undefined;
  /**
   * Factor of the surface tension of a liquid; where it differs along a surface, that flows to where it is larger.
   * Points [temperature, factor] by rising temperature, with straight lines between.
   */
  readonly surfaceTension?: TemperatureCurve | undefined;
  /**
   * Factor of the cohesion of a liquid. Points [temperature, factor] by rising temperature, with straight lines
   * between.
   */
  readonly cohesion?: TemperatureCurve | undefined;
}

/** Stiffness that differs along three perpendicular axes of the material. */
export interface OrthotropicInput {
  /** Young's moduli along the material's x, y and z [Pa]; > 0. */
  readonly youngsModuli: Vec3;
  /** Shear moduli in the planes yz, xz and xy [Pa]; > 0. */
  readonly shearModuli: Vec3;
  /** Poisson's ratios yz, xz and xy: ij is the contraction along j under tension along i. */
  readonly poissonsRatios: Vec3;
  /**
   * Turn of the material's axes relative to the body's, about the x, then y, then z axis [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: Vec3 | undefined;
}

/** A deformable or rigid body. */
export interface SceneBodyInput {
  /** Name, unique among bodies; body1, body2, ... when left out. */
  readonly name?: string | undefined;
  /**
   * What the body is made as: a solid deforms, a fluid is a liquid, a rigid body keeps its shape; its youngsModulus is
   * that of its contacts, and 1e7 to 1e8 Pa are hard enough for most.
   * @defaultValue `"solid"`
   */
  readonly kind?: 'solid' | 'fluid' | 'rigid' | undefined;
  /** The shape of a body. */
  readonly shape: SceneShapeInput;
  /**
   * Where the origin of the shape is put [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly position?: Vec3 | undefined;
  /**
   * Turn about the x, then y, then z axis [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: Vec3 | undefined;
  /**
   * Velocity at the start; formulas of the positions at time 0 on all but rigid bodies [m/s].
   * @defaultValue `[0, 0, 0]`
   */
  readonly velocity?: FieldVector | undefined;
  /**
   * Displacement of a solid from its shape at rest at the start, by the positions at rest [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly displacement?: FieldVector | undefined;
  /**
   * Angular velocity at the start, about the centre of mass [rad/s].
   * @defaultValue `[0, 0, 0]`
   */
  readonly angularVelocity?: Vec3 | undefined;
  /**
   * Angular velocity on top at the start, which grows along its own direction as a quarter of a sine, from 0 at the
   * lowest point of the body to all of it at the highest [rad/s].
   * @defaultValue `[0, 0, 0]`
   */
  readonly twist?: Vec3 | undefined;
  /** The name of a material in materials or of a preset, or the parameters themselves. */
  readonly material?: string | MaterialInput | undefined;
  /** Parts with another material; where they overlap the last one counts. */
  readonly regions?: readonly MaterialRegionInput[] | undefined;
  /** Patterns that it breaks along, where its material has a tensileStrength. */
  readonly scores?: readonly ScoreInput[] | undefined;
  /** Distance of neighbouring particles; give this or particles [m]; > 0. */
  readonly spacing?: number | undefined;
  /** About how many particles; 2000 when neither this nor spacing is given; >= 1, <= 1e+9. */
  readonly particles?: number | undefined;
  /**
   * How particles are laid out at the start.
   * @defaultValue `"cubic"`
   */
  readonly lattice?: 'cubic' | 'bcc' | 'hcp' | 'octree' | undefined;
  /**
   * Random displacement of the particles at the start: up to this share of the spacing along each axis, within their
   * cells and the shape; >= 0, <= 0.45.
   * @defaultValue `0`
   */
  readonly jitter?: number | undefined;
  /**
   * Order of the moving least squares fit of this body, that of solver.solid when left out; renewed is for bodies that
   * flow far: a linear fit whose neighbours change, of particles that split and merge, see docs/flow.md; embedded means
   * the same.
   */
  readonly discretisation?: 'linear' | 'quadratic' | 'renewed' | 'embedded' | undefined;
  /** What ties a rigid body to the world. */
  readonly joint?: JointInput | undefined;
  /** Temperature at the start, by the positions at time 0; that of the scene when left out [degrees C]. */
  readonly temperature?: FieldNumber | undefined;
  /** Colour in pictures, like "#3b82f6"; chosen when left out. */
  readonly color?: string | undefined;
  /** Surface in pictures: matte, glossy, or glass, which is clear and tinted by color; chosen when left out. */
  readonly look?: 'matte' | 'glossy' | 'glass' | undefined;
  /** Colour in pictures of faces where the body breaks; a lighter one when left out. */
  readonly insideColor?: string | undefined;
  /** How far these faces are off smooth ones, as a share of the spacing; 0.12 when left out; >= 0, <= 0.4. */
  readonly crackRoughness?: number | undefined;
}

type SceneShapeKey =
  | 'box'
  | 'sphere'
  | 'cylinder'
  | 'capsule'
  | 'torus'
  | 'mesh'
  | 'extrusion'
  | 'heightfield'
  | 'union'
  | 'difference'
  | 'intersection'
  | 'fill';

/**
 * The shape of a body. Exactly one of box, sphere, cylinder, capsule, torus, mesh, extrusion, heightfield, union,
 * difference, intersection, fill.
 */
export type SceneShapeInput =
  | ({
      /** A box centred on its origin. */
      readonly box: BoxInput;
    } & Without<Exclude<SceneShapeKey, 'box'>>)
  | ({
      /** A ball centred on its origin. */
      readonly sphere: SphereInput;
    } & Without<Exclude<SceneShapeKey, 'sphere'>>)
  | ({
      /** A cylinder along y. */
      readonly cylinder: CylinderInput;
    } & Without<Exclude<SceneShapeKey, 'cylinder'>>)
  | ({
      /** A cylinder along y with round ends. */
      readonly capsule: CapsuleInput;
    } & Without<Exclude<SceneShapeKey, 'capsule'>>)
  | ({
      /** A ring around y. */
      readonly torus: TorusInput;
    } & Without<Exclude<SceneShapeKey, 'torus'>>)
  | ({
      /** A closed triangle mesh with the origin of its file. */
      readonly mesh: SceneMeshInput;
    } & Without<Exclude<SceneShapeKey, 'mesh'>>)
  | ({
      /** A polygon in the x-y plane drawn out along z, half of the length to either side. */
      readonly extrusion: ExtrusionInput;
    } & Without<Exclude<SceneShapeKey, 'extrusion'>>)
  | ({
      /** What lies between a flat bottom and heights, like ground. */
      readonly heightfield: HeightfieldInput;
    } & Without<Exclude<SceneShapeKey, 'heightfield'>>)
  | ({
      /** All that is in one of its parts. */
      readonly union: readonly ScenePartInput[];
    } & Without<Exclude<SceneShapeKey, 'union'>>)
  | ({
      /** What is in the first part and in none of the others. */
      readonly difference: readonly ScenePartInput[];
    } & Without<Exclude<SceneShapeKey, 'difference'>>)
  | ({
      /** What is in all of its parts. */
      readonly intersection: readonly ScenePartInput[];
    } & Without<Exclude<SceneShapeKey, 'intersection'>>)
  | ({
      /** What a vessel holds up to a level, without obstacles, solids, rigid bodies and what was filled in before. */
      readonly fill: FillInput;
    } & Without<Exclude<SceneShapeKey, 'fill'>>);

/** A box centred on its origin. */
export interface BoxInput {
  /** Lengths of the sides along x, y and z [m]; > 0. */
  readonly size: Vec3;
}

/** A ball centred on its origin. */
export interface SphereInput {
  /** Radius [m]; > 0. */
  readonly radius: number;
}

/** A cylinder along y. */
export interface CylinderInput {
  /** Radius [m]; > 0. */
  readonly radius: number;
  /** Length along y [m]; > 0. */
  readonly length: number;
}

/** A cylinder along y with round ends. */
export interface CapsuleInput {
  /** Radius of the section and of the ends [m]; > 0. */
  readonly radius: number;
  /** Length of the straight part, along y [m]; > 0. */
  readonly length: number;
}

/** A ring around y. */
export interface TorusInput {
  /** Radius of the ring [m]; > 0. */
  readonly radius: number;
  /** Radius of the section; less than that of the ring [m]; > 0. */
  readonly tube: number;
}

/** A closed triangle mesh with the origin of its file. */
export interface SceneMeshInput {
  /** Closed triangle mesh, a path relative to the scene's folder and inside it. */
  readonly file: string;
  /** Length of the longest side of its bounding box; the size in the file when left out [m]; > 0. */
  readonly size?: number | undefined;
}

/** A polygon in the x-y plane drawn out along z, half of the length to either side. */
export interface ExtrusionInput {
  /** Corners x, y in either direction; sides must not cross or touch each other [m]. */
  readonly polygon: readonly Vec2[];
  /** Polygons that are left out, within the polygon and apart from each other. */
  readonly holes?: readonly (readonly Vec2[])[] | undefined;
  /** Length along z [m]; > 0. */
  readonly length: number;
}

/** What lies between a flat bottom and heights, like ground. */
export interface HeightfieldInput {
  /** Lengths along x and z, around the origin [m]. */
  readonly size: Vec2;
  /**
   * Heights y: a formula of x and z, or rows along z, from the lowest z on, of heights along x, with straight lines
   * between them [m].
   */
  readonly heights: FieldNumber | readonly (readonly number[])[];
  /** Height of its flat bottom, below all others [m]. */
  readonly base: number;
  /**
   * Straight pieces along either side where heights are a formula; >= 1, <= 1000.
   * @defaultValue `64`
   */
  readonly cells?: number | undefined;
}

/** A shape put somewhere in a whole. */
export interface ScenePartInput {
  /** A shape with a volume. */
  readonly shape: SceneSolidInput;
  /**
   * Where its origin is put in the whole [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly position?: Vec3 | undefined;
  /**
   * Turn about the x, then y, then z axis [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: Vec3 | undefined;
}

type SceneSolidKey =
  | 'box'
  | 'sphere'
  | 'cylinder'
  | 'capsule'
  | 'torus'
  | 'mesh'
  | 'extrusion'
  | 'heightfield'
  | 'union'
  | 'difference'
  | 'intersection';

/**
 * A shape with a volume. Exactly one of box, sphere, cylinder, capsule, torus, mesh, extrusion, heightfield, union,
 * difference, intersection.
 */
export type SceneSolidInput =
  | ({
      /** A box centred on its origin. */
      readonly box: BoxInput;
    } & Without<Exclude<SceneSolidKey, 'box'>>)
  | ({
      /** A ball centred on its origin. */
      readonly sphere: SphereInput;
    } & Without<Exclude<SceneSolidKey, 'sphere'>>)
  | ({
      /** A cylinder along y. */
      readonly cylinder: CylinderInput;
    } & Without<Exclude<SceneSolidKey, 'cylinder'>>)
  | ({
      /** A cylinder along y with round ends. */
      readonly capsule: CapsuleInput;
    } & Without<Exclude<SceneSolidKey, 'capsule'>>)
  | ({
      /** A ring around y. */
      readonly torus: TorusInput;
    } & Without<Exclude<SceneSolidKey, 'torus'>>)
  | ({
      /** A closed triangle mesh with the origin of its file. */
      readonly mesh: SceneMeshInput;
    } & Without<Exclude<SceneSolidKey, 'mesh'>>)
  | ({
      /** A polygon in the x-y plane drawn out along z, half of the length to either side. */
      readonly extrusion: ExtrusionInput;
    } & Without<Exclude<SceneSolidKey, 'extrusion'>>)
  | ({
      /** What lies between a flat bottom and heights, like ground. */
      readonly heightfield: HeightfieldInput;
    } & Without<Exclude<SceneSolidKey, 'heightfield'>>)
  | ({
      /** All that is in one of its parts. */
      readonly union: readonly ScenePartInput[];
    } & Without<Exclude<SceneSolidKey, 'union'>>)
  | ({
      /** What is in the first part and in none of the others. */
      readonly difference: readonly ScenePartInput[];
    } & Without<Exclude<SceneSolidKey, 'difference'>>)
  | ({
      /** What is in all of its parts. */
      readonly intersection: readonly ScenePartInput[];
    } & Without<Exclude<SceneSolidKey, 'intersection'>>);

/** What a vessel holds up to a level, without obstacles, solids, rigid bodies and what was filled in before. */
export interface FillInput {
  /** Name of the obstacle or body that holds it, or names of those that do together. */
  readonly vessel: string | readonly string[];
  /** Height y in the world up to which it is filled [m]. */
  readonly level: number;
}

/** Another material in a part of a body. */
export interface MaterialRegionInput {
  /** Selects particles by their positions in the world at time 0. */
  readonly region: RegionInput;
  /** Material parameters and their values in the region. */
  readonly set: RegionalChangeInput;
}

/** Selects particles by their positions in the world at time 0. Exactly one of all, box, sphere. */
export type RegionInput =
  | ({
      /** The whole body, or all bodies. */
      readonly all: true;
    } & Without<'box' | 'sphere'>)
  | ({
      /** All particles in an upright box. */
      readonly box: RegionBoxInput;
    } & Without<'all' | 'sphere'>)
  | ({
      /** All particles in a ball. */
      readonly sphere: RegionSphereInput;
    } & Without<'all' | 'box'>);

/** All particles in an upright box. */
export interface RegionBoxInput {
  /** Lowest corner [m]. */
  readonly min: Vec3;
  /** Highest corner [m]. */
  readonly max: Vec3;
}

/** All particles in a ball. */
export interface RegionSphereInput {
  /** Centre [m]. */
  readonly center: Vec3;
  /** Radius [m]; > 0. */
  readonly radius: number;
}

/** Material parameters and their values in the region. */
export interface RegionalChangeInput {
  /** Mass per volume at rest [kg/m3]. */
  readonly density?: FieldNumber;
  /** Young's modulus: the stiffness in tension [Pa]. */
  readonly youngsModulus?: FieldNumber;
  /** Poisson's ratio: how much a stretched piece gets thinner; near 0.5 the volume hardly changes. */
  readonly poissonsRatio?: FieldNumber;
  /** Share of the bulk response carried by the determinant term, which keeps pieces from turning inside out. */
  readonly volumeStiffness?: FieldNumber;
  /** Von Mises stress at which it begins to flow for good; with the default it never does [Pa]. */
  readonly yieldStress?: FieldNumber;
  /** How much the yield stress grows per plastic strain; below zero it softens [Pa]. */
  readonly hardening?: FieldNumber;
  /**
   * Rate at which stress beyond the yield stress relaxes, one over the relaxation time; with the default at once [1/s].
   */
  readonly creepRate?: FieldNumber;
  /** Plastic strain, accumulated, at which it stops flowing and is elastic again. */
  readonly plasticLimit?: FieldNumber;
  /** Largest principal stress that it bears before it breaks; with the default it never does [Pa]. */
  readonly tensileStrength?: FieldNumber;
  /** Energy that a crack takes by area; it breaks at once when neither this nor toughness is given [J/m2]. */
  readonly fractureEnergy?: FieldNumber;
  /** Fracture toughness K_Ic in place of fractureEnergy, which is K_Ic^2 (1 - nu^2) / E [Pa sqrt(m)]. */
  readonly toughness?: FieldNumber;
  /**
   * How far tensileStrength of a particle may be from that of the material, drawn with the seed: 0.1 is up to 10 % more
   * or less.
   */
  readonly strengthVariation?: FieldNumber;
  /** Plastic strain at which no strength is left; before that it falls in proportion. With the default it stays. */
  readonly failureStrain?: FieldNumber;
  /** How well it conducts heat; 0 keeps heat where it is [W/(m K)]. */
  readonly thermalConductivity?: FieldNumber;
  /** Heat that warms a kilogram by a kelvin [J/(kg K)]. */
  readonly heatCapacity?: FieldNumber;
  /** Heat that melts a kilogram, on top of what warms it; ice takes 334000 [J/kg]. */
  readonly latentHeat?: FieldNumber;
  /** Temperature at which it melts and freezes; neither when left out [degrees C]. */
  readonly meltingPoint?: FieldNumber;
  /** Width of the range around meltingPoint in which it is partly liquid [K]. */
  readonly meltingRange?: FieldNumber;
  /** thermalConductivity when it is liquid; the same when left out [W/(m K)]. */
  readonly liquidConductivity?: FieldNumber;
  /** heatCapacity when it is liquid; the same when left out [J/(kg K)]. */
  readonly liquidHeatCapacity?: FieldNumber;
}

/** A pattern that a body breaks along. Where several meet, the weakest counts. */
export interface ScoreInput {
  /** Where a body is weaker. */
  readonly pattern: ScorePatternInput;
  /**
   * Share of the strength and of the fracture energy that is left there; with 0 it is cut from the start; >= 0, <= 1.
   * @defaultValue `0.2`
   */
  readonly strength?: number | undefined;
}

/** Where a body is weaker. Exactly one of voronoi, brick, grain, noise, crack. */
export type ScorePatternInput =
  | ({
      /** Cells around random points, like shards. */
      readonly voronoi: VoronoiPatternInput;
    } & Without<'brick' | 'grain' | 'noise' | 'crack'>)
  | ({
      /** Upright courses of bricks. */
      readonly brick: BrickPatternInput;
    } & Without<'voronoi' | 'grain' | 'noise' | 'crack'>)
  | ({
      /** Fibres, as of wood: full strength along them, and the least across. */
      readonly grain: GrainPatternInput;
    } & Without<'voronoi' | 'brick' | 'noise' | 'crack'>)
  | ({
      /** Smooth random strengths between that of the score and that of the material. */
      readonly noise: NoisePatternInput;
    } & Without<'voronoi' | 'brick' | 'grain' | 'crack'>)
  | ({
      /** A line that is painted on the surface and goes into the body. */
      readonly crack: CrackPatternInput;
    } & Without<'voronoi' | 'brick' | 'grain' | 'noise'>);

/** Cells around random points, like shards. */
export interface VoronoiPatternInput {
  /** How many cells; >= 2, <= 100000. */
  readonly count: number;
  /**
   * Another number for another pattern; >= 0, <= 4294967295.
   * @defaultValue `1`
   */
  readonly seed?: number | undefined;
}

/** Upright courses of bricks. */
export interface BrickPatternInput {
  /** Of a brick with its joints, along x, y and z. Every second course is shifted by half a brick along x [m]; > 0. */
  readonly size: Vec3;
  /**
   * A corner of a brick [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly origin?: Vec3 | undefined;
}

/** Fibres, as of wood: full strength along them, and the least across. */
export interface GrainPatternInput {
  /** Along the fibres. */
  readonly axis: Vec3;
}

/** Smooth random strengths between that of the score and that of the material. */
export interface NoisePatternInput {
  /** Distance from weak to strong places [m]; > 0. */
  readonly size: number;
  /**
   * Another number for another pattern; >= 0, <= 4294967295.
   * @defaultValue `1`
   */
  readonly seed?: number | undefined;
}

/** A line that is painted on the surface and goes into the body. */
export interface CrackPatternInput {
  /** A line on the surface, in the world at time 0. */
  readonly points: readonly Vec3[];
  /** How deep it goes [m]; > 0. */
  readonly depth: number;
  /** Into the body; towards the middle of it when left out. */
  readonly direction?: Vec3 | undefined;
}

/** What ties a rigid body to the world. Exactly one of hinge, slider. */
export type JointInput =
  | ({
      /** Lets the body turn about an axis. */
      readonly hinge: HingeInput;
    } & Without<'slider'>)
  | ({
      /** Lets the body move along a line without turning. */
      readonly slider: SliderInput;
    } & Without<'hinge'>);

/** Lets the body turn about an axis. */
export interface HingeInput {
  /** A point on the axis, in the world at time 0 [m]. */
  readonly point: Vec3;
  /** Direction of the axis; any length but zero. */
  readonly axis: Vec3;
  /** How far it may turn back and forth about the axis, from where it begins [degrees]. */
  readonly limits?: Vec2 | undefined;
  /** Drives a body towards a speed along or about the axis of its joint. */
  readonly motor?: HingeMotorInput | undefined;
}

/** Drives a body towards a speed along or about the axis of its joint. */
export interface HingeMotorInput {
  /** What it goes for, along the axis [rad/s]. */
  readonly speed: number;
  /** The most that it gives [N m]; > 0. */
  readonly torque: number;
}

/** Lets the body move along a line without turning. */
export interface SliderInput {
  /** Direction of the way; any length but zero. */
  readonly axis: Vec3;
  /** How far it may go back and forth along the axis, from where it begins [m]. */
  readonly limits?: Vec2 | undefined;
  /** Drives a body towards a speed along or about the axis of its joint. */
  readonly motor?: SliderMotorInput | undefined;
}

/** Drives a body towards a speed along or about the axis of its joint. */
export interface SliderMotorInput {
  /** What it goes for, along the axis [m/s]. */
  readonly speed: number;
  /** The most that it gives [N]; > 0. */
  readonly force: number;
}

/** A round opening that liquid comes out of. */
export interface SceneEmitterInput {
  /** Name of the liquid, unique among bodies; emitter1, emitter2, ... when left out. */
  readonly name?: string | undefined;
  /**
   * Where the origin of the shape is put [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly position?: Vec3 | undefined;
  /**
   * Turn about the x, then y, then z axis; the liquid comes out along the y axis [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: Vec3 | undefined;
  /** Radius of the opening [m]; > 0. */
  readonly radius: number;
  /** Speed of the liquid that comes out; give this or rate [m/s]; > 0. */
  readonly speed?: number | undefined;
  /** Volume that comes out per second; give this or speed [m3/s]; > 0. */
  readonly rate?: number | undefined;
  /**
   * When it begins [s]; >= 0.
   * @defaultValue `0`
   */
  readonly start?: number | undefined;
  /** When it ends; never when left out [s]; > 0. */
  readonly stop?: number | undefined;
  /**
   * Particles of it that may be in the world at a time; a report says when they are all in use; >= 1, <= 8388607.
   * @defaultValue `20000`
   */
  readonly maxParticles?: number | undefined;
  /** Distance of neighbouring particles, the same for all liquids [m]; > 0. */
  readonly spacing: number;
  /** The name of a material in materials or of a preset, or the parameters themselves. */
  readonly material?: string | MaterialInput | undefined;
  /** Temperature of the liquid that comes out; that of the scene when left out [degrees C]; >= -273.15, <= 1e+6. */
  readonly temperature?: number | undefined;
  /** Colour in pictures, like "#3b82f6"; chosen when left out. */
  readonly color?: string | undefined;
  /** Surface in pictures: matte, glossy, or glass, which is clear and tinted by color; chosen when left out. */
  readonly look?: 'matte' | 'glossy' | 'glass' | undefined;
}

/** Something solid that bodies bump into and that is not moved by them. */
export interface SceneObstacleInput {
  /** Name, unique among obstacles; obstacle1, obstacle2, ... when left out. */
  readonly name?: string | undefined;
  /** The shape of an obstacle. */
  readonly shape: SceneObstacleShapeInput;
  /**
   * Where the origin of the shape is put [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly position?: Vec3 | undefined;
  /**
   * Turn about the x, then y, then z axis [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: Vec3 | undefined;
  /**
   * Coulomb friction coefficient; >= 0.
   * @defaultValue `0.5`
   */
  readonly friction?: number | undefined;
  /**
   * Coefficient of restitution: the share of the approach speed that a bounce gives back. The larger one of body and
   * obstacle counts; that of solids when they have one; >= 0, <= 1.
   * @defaultValue `0`
   */
  readonly restitution?: number | undefined;
  /**
   * How freely liquids move along it: 0 sticks, 1 slips; >= 0, <= 1.
   * @defaultValue `0`
   */
  readonly slip?: number | undefined;
  /**
   * Share of a liquid's attraction to itself that it has; with surface tension the contact angle has about the cosine 2
   * adhesion - 1; >= 0, <= 1.
   * @defaultValue `0.5`
   */
  readonly adhesion?: number | undefined;
  /** Poses relative to position and rotation; it stands still without. */
  readonly keyframes?: readonly KeyframeInput[] | undefined;
  /** Pose as a function of time, relative to position and rotation: in place of keyframes. */
  readonly motion?: MotionInput | undefined;
  /**
   * Temperature that it is held at: a hot plate, or a cold one; it takes no heat when left out [degrees C]; >= -273.15,
   * <= 1e+6.
   */
  readonly temperature?: number | undefined;
  /**
   * Heat that passes through the contact with an obstacle that has a temperature, for each kelvin; without resistance
   * when left out [W/(m2 K)]; > 0, >= 0.
   */
  readonly contactConductance?: number | undefined;
  /** Colour in pictures, like "#3b82f6"; chosen when left out. */
  readonly color?: string | undefined;
  /** Surface in pictures: matte, glossy, or glass, which is clear and tinted by color; chosen when left out. */
  readonly look?: 'matte' | 'glossy' | 'glass' | undefined;
}

type SceneObstacleShapeKey =
  | 'box'
  | 'sphere'
  | 'cylinder'
  | 'capsule'
  | 'torus'
  | 'mesh'
  | 'extrusion'
  | 'heightfield'
  | 'union'
  | 'difference'
  | 'intersection'
  | 'plane';

/**
 * The shape of an obstacle. Exactly one of box, sphere, cylinder, capsule, torus, mesh, extrusion, heightfield, union,
 * difference, intersection, plane.
 */
export type SceneObstacleShapeInput =
  | ({
      /** A box centred on its origin. */
      readonly box: BoxInput;
    } & Without<Exclude<SceneObstacleShapeKey, 'box'>>)
  | ({
      /** A ball centred on its origin. */
      readonly sphere: SphereInput;
    } & Without<Exclude<SceneObstacleShapeKey, 'sphere'>>)
  | ({
      /** A cylinder along y. */
      readonly cylinder: CylinderInput;
    } & Without<Exclude<SceneObstacleShapeKey, 'cylinder'>>)
  | ({
      /** A cylinder along y with round ends. */
      readonly capsule: CapsuleInput;
    } & Without<Exclude<SceneObstacleShapeKey, 'capsule'>>)
  | ({
      /** A ring around y. */
      readonly torus: TorusInput;
    } & Without<Exclude<SceneObstacleShapeKey, 'torus'>>)
  | ({
      /** A closed triangle mesh with the origin of its file. */
      readonly mesh: SceneMeshInput;
    } & Without<Exclude<SceneObstacleShapeKey, 'mesh'>>)
  | ({
      /** A polygon in the x-y plane drawn out along z, half of the length to either side. */
      readonly extrusion: ExtrusionInput;
    } & Without<Exclude<SceneObstacleShapeKey, 'extrusion'>>)
  | ({
      /** What lies between a flat bottom and heights, like ground. */
      readonly heightfield: HeightfieldInput;
    } & Without<Exclude<SceneObstacleShapeKey, 'heightfield'>>)
  | ({
      /** All that is in one of its parts. */
      readonly union: readonly ScenePartInput[];
    } & Without<Exclude<SceneObstacleShapeKey, 'union'>>)
  | ({
      /** What is in the first part and in none of the others. */
      readonly difference: readonly ScenePartInput[];
    } & Without<Exclude<SceneObstacleShapeKey, 'difference'>>)
  | ({
      /** What is in all of its parts. */
      readonly intersection: readonly ScenePartInput[];
    } & Without<Exclude<SceneObstacleShapeKey, 'intersection'>>)
  | ({
      /** Everything below a plane. */
      readonly plane: PlaneInput;
    } & Without<Exclude<SceneObstacleShapeKey, 'plane'>>);

/** Everything below a plane. */
export interface PlaneInput {
  /**
   * Direction away from the solid side; any length but zero.
   * @defaultValue `[0, 1, 0]`
   */
  readonly normal?: Vec3 | undefined;
  /**
   * Distance from the origin along the normal [m].
   * @defaultValue `0`
   */
  readonly offset?: number | undefined;
}

/** A pose at a time; between two of them positions go straight and rotations along the shortest arc. */
export interface KeyframeInput {
  /** Time [s]; >= 0. */
  readonly time: number;
  /**
   * Displacement [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly position?: Vec3 | undefined;
  /**
   * Turn about the x, then y, then z axis [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: Vec3 | undefined;
}

/** Pose as a function of time, relative to position and rotation: in place of keyframes. */
export interface MotionInput {
  /**
   * Displacement [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly position?: FieldVector | undefined;
  /**
   * Turn about the x, then y, then z axis; by any angle [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: FieldVector | undefined;
}

/** Holds, moves or pulls the particles of a region. */
export interface ConstraintInput {
  /** Name that probes of its reaction know it by; constraints may share one, which adds them up. */
  readonly name?: string | undefined;
  /** The body it acts on. */
  readonly body: string;
  /**
   * Selects particles by their positions in the world at time 0.
   * @defaultValue `{"all":true}`
   */
  readonly region?: RegionInput | undefined;
  /**
   * Which positions decide who is in the region: "rest" those at time 0, "start" those when it begins to act.
   * @defaultValue `"rest"`
   */
  readonly regionTime?: 'rest' | 'start' | undefined;
  /** World axes that are held: true for all three, or a list like ["x", "z"]. */
  readonly fix?: boolean | readonly ('x' | 'y' | 'z')[] | undefined;
  /**
   * Poses relative to that at the start, turning about the region's centre of mass. What is held from a later start on
   * is held where it is then.
   */
  readonly move?: readonly KeyframeInput[] | undefined;
  /**
   * Displacement of every particle of the region along the axes that are named, as numbers or formulas of its position
   * at time 0 and the time; 0 along others in fix. For solids.
   */
  readonly displacement?: PrescribedDisplacementInput | undefined;
  /**
   * Total force, spread over the region in proportion to mass [N].
   * @defaultValue `[0, 0, 0]`
   */
  readonly force?: Vec3 | undefined;
  /**
   * When it begins to act [s]; >= 0.
   * @defaultValue `0`
   */
  readonly start?: number | undefined;
  /** When it lets go; never when left out [s]; > 0. */
  readonly end?: number | undefined;
}

/**
 * Displacement of every particle of the region along the axes that are named, as numbers or formulas of its position at
 * time 0 and the time; 0 along others in fix. For solids.
 */
export interface PrescribedDisplacementInput {
  /** Along x [m]. */
  readonly x?: FieldNumber | undefined;
  /** Along y [m]. */
  readonly y?: FieldNumber | undefined;
  /** Along z [m]. */
  readonly z?: FieldNumber | undefined;
}

/** Pressure, traction or a force on a part of the surface of a body. */
export interface LoadInput {
  /** The solid or rigid body it acts on. */
  readonly body: string;
  /**
   * Where: all of the surface that is in the region at time 0; the whole surface when left out.
   * @defaultValue `{"all":true}`
   */
  readonly region?: RegionInput | undefined;
  /**
   * Pushes into the surface, below zero it pulls; by the present position where it is following, by that at time 0
   * where it is not [Pa].
   */
  readonly pressure?: FieldNumber | undefined;
  /**
   * Does the pressure follow the surface as it turns and stretches? If not it keeps the direction and area of time 0.
   * @defaultValue `true`
   */
  readonly following?: boolean | undefined;
  /** Force on an area at time 0, by the position then; it keeps its direction [Pa]. */
  readonly traction?: FieldVector | undefined;
  /** Total force, spread evenly over the area: in a small region a point load, in a thin one a line load [N]. */
  readonly force?: FieldVector | undefined;
  /**
   * When it begins to act [s]; >= 0.
   * @defaultValue `0`
   */
  readonly start?: number | undefined;
  /** When it ends; never when left out [s]; > 0. */
  readonly end?: number | undefined;
}

/** A change of material at a time. */
export interface EventInput {
  /** When it happens [s]; >= 0. */
  readonly time: number;
  /** The body whose material changes. */
  readonly body: string;
  /** Material parameters and their new values. */
  readonly set: MaterialChangeInput;
}

/** Material parameters and their new values. */
export interface MaterialChangeInput {
  /** Mass per volume at rest [kg/m3]; > 0. */
  readonly density?: number;
  /** Young's modulus: the stiffness in tension [Pa]; > 0. */
  readonly youngsModulus?: number;
  /** Poisson's ratio: how much a stretched piece gets thinner; near 0.5 the volume hardly changes; > -1, < 0.5. */
  readonly poissonsRatio?: number;
  /** Damping ratio of the body's slowest wave; rigid motion is not damped; >= 0. */
  readonly damping?: number;
  /**
   * Share of the bulk response carried by the determinant term, which keeps pieces from turning inside out; >= 0, <= 1.
   */
  readonly volumeStiffness?: number;
  /** Von Mises stress at which it begins to flow for good; with the default it never does [Pa]; >= 0. */
  readonly yieldStress?: number;
  /** How much the yield stress grows per plastic strain; below zero it softens [Pa]. */
  readonly hardening?: number;
  /**
   * Rate at which stress beyond the yield stress relaxes, one over the relaxation time; with the default at once [1/s];
   * >= 0.
   */
  readonly creepRate?: number;
  /** Plastic strain, accumulated, at which it stops flowing and is elastic again; >= 0. */
  readonly plasticLimit?: number;
  /**
   * Share of the change of volume that flows as shear does: 0 for metals and clay, 1 for what can be crushed; >= 0, <=
   * 1.
   */
  readonly plasticVolume?: number;
  /** Largest principal stress that it bears before it breaks; with the default it never does [Pa]; > 0. */
  readonly tensileStrength?: number;
  /** Energy that a crack takes by area; it breaks at once when neither this nor toughness is given [J/m2]; >= 0. */
  readonly fractureEnergy?: number;
  /** Fracture toughness K_Ic in place of fractureEnergy, which is K_Ic^2 (1 - nu^2) / E [Pa sqrt(m)]; >= 0. */
  readonly toughness?: number;
  /**
   * How far tensileStrength of a particle may be from that of the material, drawn with the seed: 0.1 is up to 10 % more
   * or less; >= 0, <= 0.9.
   */
  readonly strengthVariation?: number;
  /**
   * Plastic strain at which no strength is left; before that it falls in proportion. With the default it stays; > 0.
   */
  readonly failureStrain?: number;
  /** Coulomb friction coefficient; >= 0. */
  readonly friction?: number;
  /**
   * Coefficient of restitution: the share of the approach speed that a bounce gives back. When left out, solids give
   * back what their elasticity does, and rigid bodies nothing; >= 0, <= 1.
   */
  readonly restitution?: number;
  /**
   * Dynamic viscosity: water 0.001, olive oil 0.08, honey 10. When left out, liquids have 0.001 and solids none. It
   * brakes all change of shape of a solid; that of one with a meltingPoint is of its liquid alone, unless its
   * neighbours are renewed [Pa s]; >= 0.
   */
  readonly viscosity?: number;
  /** Surface tension of a liquid; water has 0.0728 [N/m]; >= 0. */
  readonly surfaceTension?: number;
  /**
   * Pull that a liquid bears before it comes apart: a jet that falls gets thinner instead of parting into discs; next
   * to nothing beside surfaceTension, whose surface lacks density. With wcsph the pressure by which it holds together
   * at rest density. Not for elastic ones [Pa]; >= 0.
   */
  readonly cohesion?: number;
  /** How well it conducts heat; 0 keeps heat where it is [W/(m K)]; >= 0. */
  readonly thermalConductivity?: number;
  /** Heat that warms a kilogram by a kelvin [J/(kg K)]; > 0. */
  readonly heatCapacity?: number;
  /** Heat that melts a kilogram, on top of what warms it; ice takes 334000 [J/kg]; >= 0. */
  readonly latentHeat?: number;
  /** Temperature at which it melts and freezes; neither when left out [degrees C]; >= -273.15, <= 1e+6. */
  readonly meltingPoint?: number;
  /** Width of the range around meltingPoint in which it is partly liquid [K]; >= 0, <= 1e+6. */
  readonly meltingRange?: number;
  /** thermalConductivity when it is liquid; the same when left out [W/(m K)]; >= 0. */
  readonly liquidConductivity?: number;
  /** heatCapacity when it is liquid; the same when left out [J/(kg K)]; > 0. */
  readonly liquidHeatCapacity?: number;
  /**
   * Law of the stored energy: stVenantKirchhoff is that of the papers, neoHookean (in its stable form) survives
   * inversion and strong compression, corotational is linear in the rotated frame.
   */
  readonly model?: 'stVenantKirchhoff' | 'neoHookean' | 'corotational';
}

/** A measurement, written to probes.csv for every frame. */
export interface ProbeInput {
  /**
   * Name of its column; vectors get name.x, name.y and name.z, tensors name.xx, ..., principal values name.1, name.2
   * and name.3.
   */
  readonly name: string;
  /**
   * The body it measures, or a piece of it, as pane#3, which gives NaN until it has broken off; all bodies when left
   * out.
   */
  readonly body?: string | undefined;
  /**
   * Selects particles by their positions in the world at time 0.
   * @defaultValue `{"all":true}`
   */
  readonly region?: RegionInput | undefined;
  /**
   * A point of space: a gauge that stays there and reads pressure, velocity or temperature of what is around it, NaN
   * where there is nothing, or the height of liquid above it [m].
   */
  readonly at?: Vec3 | undefined;
  /** A line in space: pressure, velocity or temperature are means over what is there of it. */
  readonly along?: LineInput | undefined;
  /**
   * A disc in space: massFlow or volumeFlow through it, or means of pressure, velocity or temperature over what is
   * there of it, as on a patch of a wall.
   */
  readonly through?: DiscInput | undefined;
  /**
   * Which particles are in the region: those that were in it at time 0, or those that are in it now, NaN while there
   * are none.
   * @defaultValue `"rest"`
   */
  readonly regionTime?: 'rest' | 'now' | undefined;
  /** The obstacle that the contactForce acts on. */
  readonly obstacle?: string | undefined;
  /** The body or obstacle that the contactForce comes from; all when left out. */
  readonly from?: string | undefined;
  /** Name of the constraint whose reaction it is; all of the body when left out. */
  readonly constraint?: string | undefined;
  /** What is measured. */
  readonly quantity: 'position' | 'displacement' | 'velocity' | 'energy' | 'kineticEnergy' | 'elasticEnergy' | 'gravitationalEnergy' | 'momentum' | 'angularMomentum' | 'orientation' | 'angularVelocity' | 'volume' | 'density' | 'stress' | 'stressTensor' | 'principalStress' | 'strainTensor' | 'principalStrain' | 'velocityGradient' | 'plasticStrain' | 'damage' | 'pieces' | 'pressure' | 'maximumSpeed' | 'temperature' | 'heat' | 'liquidFraction' | 'height' | 'massFlow' | 'volumeFlow' | 'contactForce' | 'reaction';
}

/** A line in space: pressure, velocity or temperature are means over what is there of it. */
export interface LineInput {
  /** One end [m]. */
  readonly from: Vec3;
  /** The other end [m]. */
  readonly to: Vec3;
}

/**
 * A disc in space: massFlow or volumeFlow through it, or means of pressure, velocity or temperature over what is there
 * of it, as on a patch of a wall.
 */
export interface DiscInput {
  /** Its centre [m]. */
  readonly center: Vec3;
  /** What goes this way counts positive; of any length but 0. */
  readonly normal: Vec3;
  /** Its radius [m]; > 0. */
  readonly radius: number;
}

/** Heats, cools or holds the temperature of the particles of a region. */
export interface HeatInput {
  /** The body it acts on. */
  readonly body: string;
  /**
   * Selects particles by their positions in the world at time 0.
   * @defaultValue `{"all":true}`
   */
  readonly region?: RegionInput | undefined;
  /** Heat that comes in per second, in proportion to mass; < 0 cools. Give this or temperature [W]. */
  readonly power?: number | undefined;
  /** Temperature that the region is held at. Give this or power [degrees C]; >= -273.15, <= 1e+6. */
  readonly temperature?: number | undefined;
  /**
   * When it begins to act [s]; >= 0.
   * @defaultValue `0`
   */
  readonly start?: number | undefined;
  /** When it ends; never when left out [s]; > 0. */
  readonly end?: number | undefined;
}

/** A sharp edge that moves: bonds between particles that it sweeps are severed, whatever they bear. */
export interface BladeInput {
  /** The body that it cuts; all solids that bend and are there before it when left out. */
  readonly body?: string | undefined;
  /** The edge, a line through these points, before keyframes move it. */
  readonly edge: readonly Vec3[];
  /** Where the edge is at given times: it cuts from the first to the last. */
  readonly keyframes?: readonly KeyframeInput[] | undefined;
  /**
   * When it begins to cut [s]; >= 0.
   * @defaultValue `0`
   */
  readonly start?: number | undefined;
}

/** Pushes solids away from a point at a time. */
export interface ExplosionInput {
  /** When it happens [s]; >= 0. */
  readonly time: number;
  /** Where it happens [m]. */
  readonly at: Vec3;
  /** How far it reaches: the push falls linearly from the middle to nothing here [m]; > 0. */
  readonly radius: number;
  /** Kinetic energy that it adds to solids, directed away from the point [J]; > 0. */
  readonly energy: number;
  /** The only body that it pushes; all solids that bend when left out. */
  readonly body?: string | undefined;
}

/** How the motion is computed. */
export interface SolverInput {
  /** How solids are solved. */
  readonly solid?: SolidSolverInput | undefined;
  /** How liquids are solved. */
  readonly fluid?: FluidSolverInput | undefined;
  /** How bodies with discretisation renewed follow their flow; viscosity is for all solids. */
  readonly embedding?: EmbeddingSolverInput | undefined;
  /** Which particles bump into each other. */
  readonly contact?: ContactInput | undefined;
  /**
   * Contact of rigid bodies with each other and with obstacles: hertz between their particles, rapier between their
   * exact shapes by the engine Rapier, for rolling and for many bodies.
   * @defaultValue `"hertz"`
   */
  readonly rigid?: 'hertz' | 'rapier' | undefined;
  /** Upper bound of the time step; left to stability when left out [s]; > 0. */
  readonly maxTimeStep?: number | undefined;
  /**
   * Share of the stable time step that is used; > 0, <= 1.
   * @defaultValue `0.8`
   */
  readonly safety?: number | undefined;
}

/** How solids are solved. */
export interface SolidSolverInput {
  /**
   * Order of the moving least squares fit: linear is the fastest, quadratic needs fewer particles.
   * @defaultValue `"linear"`
   */
  readonly discretisation?: 'linear' | 'quadratic' | undefined;
  /**
   * Time integration: leapfrog (explicit) or its position form (verlet); implicit is backward Euler, stable at any
   * step, which damps; midpoint is implicit too, of second order, and keeps energy better. Melts take backward Euler
   * steps with both.
   * @defaultValue `"explicit"`
   */
  readonly integrator?: 'explicit' | 'verlet' | 'implicit' | 'midpoint' | undefined;
  /**
   * Support radius in units of the particle spacing; when left out 2.1 for linear and 2.4 for quadratic, 2.6 where
   * particles are irregular; >= 1.5, <= 4.
   */
  readonly support?: number;
  /**
   * Weight of the penalty on displacements that the fit cannot see; 0 as in the papers. When left out 0.75 for linear
   * (calibrated on beams) and 0.1 for quadratic, 1 where particles are irregular; >= 0, <= 2.
   */
  readonly stabilisation?: number;
  /**
   * Largest residual force of an implicit or static solution, relative to the forces that act; > 0, <= 0.1.
   * @defaultValue `0.001`
   */
  readonly tolerance?: number | undefined;
  /**
   * Conjugate gradient iterations in one solve before the step is tried again with half the length; >= 1, <= 100000.
   * @defaultValue `1000`
   */
  readonly maxIterations?: number | undefined;
}

/** How liquids are solved. */
export interface FluidSolverInput {
  /**
   * How pressure is found: divergence-free SPH, which hardly compresses and takes long steps, or the weakly
   * compressible SPH of the papers.
   * @defaultValue `"dfsph"`
   */
  readonly pressure?: 'dfsph' | 'wcsph' | undefined;
  /**
   * Mean compression that dfsph puts up with; > 0, <= 0.1.
   * @defaultValue `0.0005`
   */
  readonly densityError?: number | undefined;
  /**
   * Compression by the velocities that the pressure of dfsph may leave, relative to what it undoes; > 0, <= 0.5.
   * @defaultValue `0.1`
   */
  readonly tolerance?: number | undefined;
  /**
   * Iterations of a pressure solution, times the root of the ratio of densities where liquids differ; the report says
   * when they were not enough; >= 1, <= 100000.
   * @defaultValue `200`
   */
  readonly maxIterations?: number | undefined;
  /**
   * Share of its spacing that a liquid particle may go in a step; > 0, <= 1.
   * @defaultValue `0.4`
   */
  readonly cfl?: number | undefined;
  /**
   * Upper bound of the liquid's time step [s]; > 0.
   * @defaultValue `0.005`
   */
  readonly maxTimeStep?: number | undefined;
  /**
   * Stiffness k of the equation of state of wcsph, p = k ((density/rest density)^exponent - 1) [Pa]; > 0.
   * @defaultValue `50000`
   */
  readonly stiffness?: number | undefined;
  /**
   * Exponent of the equation of state of wcsph; >= 1, <= 16.
   * @defaultValue `7`
   */
  readonly exponent?: number | undefined;
  /**
   * Viscosity of eddies too small to be seen, over spacing times the difference of neighbours' velocities: it damps
   * noise and dies out with it; >= 0, <= 10.
   * @defaultValue `0.3`
   */
  readonly eddyViscosity?: number | undefined;
  /**
   * Share of the shear stress of the packed particles that is taken away. Packed particles under pressure resist slow
   * shear a little, as a soft solid: with 0, waves are 8 % too fast; with 1 their period is right, and water at rest
   * keeps moving by 2 % of sqrt(gravity * depth). Of dfsph with liquids of one density that cannot be solid; >= 0, <=
   * 1.
   * @defaultValue `0`
   */
  readonly isotropy?: number | undefined;
  /**
   * Share of the neighbours' velocities that a liquid particle takes on per step: artificial smoothness; >= 0, <= 1.
   * @defaultValue `0`
   */
  readonly xsph?: number | undefined;
  /**
   * Lengths after which space repeats for liquids, along x, y and z, centred on the origin; 0 where it does not. At
   * least six spacings. An obstacle that is longer acts once [m]; >= 0.
   * @defaultValue `[0, 0, 0]`
   */
  readonly period?: Vec3 | undefined;
}

/** How bodies with discretisation renewed follow their flow; viscosity is for all solids. */
export interface EmbeddingSolverInput {
  /**
   * Plastic strain of one particle in two hundred, or four times that of any, after which sampling and neighbours are
   * found anew; rest vectors take over the flow four times as often; > 0, <= 1.
   * @defaultValue `0.05`
   */
  readonly updateStrain?: number | undefined;
  /**
   * Neighbours change as the body flows.
   * @defaultValue `true`
   */
  readonly neighborUpdates?: boolean | undefined;
  /**
   * Particles split and merge where flow has made them sparse or dense.
   * @defaultValue `true`
   */
  readonly resampling?: boolean | undefined;
  /**
   * How viscosity of solids is integrated in explicit steps: implicit is stable at any step, explicit shortens it.
   * @defaultValue `"implicit"`
   */
  readonly viscosity?: 'implicit' | 'explicit' | undefined;
}

/** Which particles bump into each other. */
export interface ContactInput {
  /**
   * Contact between different bodies.
   * @defaultValue `true`
   */
  readonly bodies?: boolean | undefined;
  /**
   * Contact between far parts of one body.
   * @defaultValue `true`
   */
  readonly self?: boolean | undefined;
  /**
   * Elastic solids touch each other and themselves by their surfaces, with impulses, instead of by balls around their
   * particles, with springs; explicit steps only.
   * @defaultValue `false`
   */
  readonly surfaces?: boolean | undefined;
}

/** Air that drags everything that moves: 1/2 density drag v^2 for each area across it. */
export interface WindInput {
  /**
   * Velocity of the air; still air when left out [m/s]; >= -1e+6, <= 1e+6.
   * @defaultValue `[0, 0, 0]`
   */
  readonly velocity?: Vec3 | undefined;
  /**
   * Density of the air [kg/m3]; > 0.
   * @defaultValue `1.2`
   */
  readonly density?: number | undefined;
  /**
   * Drag coefficient: a ball has about 0.5, a plate across the wind 1.2; >= 0, <= 1e+6.
   * @defaultValue `1`
   */
  readonly drag?: number | undefined;
  /** The speed of the wind rises and falls as a sine, and gusts travel with the wind. */
  readonly gusts?: GustsInput | undefined;
}

/** The speed of the wind rises and falls as a sine, and gusts travel with the wind. */
export interface GustsInput {
  /**
   * Largest change of the speed, as a share of it; >= 0, <= 1.
   * @defaultValue `0.5`
   */
  readonly strength?: number | undefined;
  /**
   * Time from one gust to the next [s]; > 0, <= 1e+6.
   * @defaultValue `2`
   */
  readonly period?: number | undefined;
}

/** A body force that differs from place to place and in time: mass times a field. */
export interface AccelerationInput {
  /**
   * Acceleration by the present position and the time, on top of gravity [m/s2].
   * @defaultValue `[0, 0, 0]`
   */
  readonly field?: FieldVector | undefined;
}

type ShapeKey =
  | 'box'
  | 'sphere'
  | 'cylinder'
  | 'capsule'
  | 'torus'
  | 'mesh'
  | 'extrusion'
  | 'heightfield'
  | 'union'
  | 'difference'
  | 'intersection'
  | 'fill';

/**
 * The shape of a body. Exactly one of box, sphere, cylinder, capsule, torus, mesh, extrusion, heightfield, union,
 * difference, intersection, fill.
 */
export type ShapeInput =
  | ({
      /** A box centred on its origin. */
      readonly box: BoxInput;
    } & Without<Exclude<ShapeKey, 'box'>>)
  | ({
      /** A ball centred on its origin. */
      readonly sphere: SphereInput;
    } & Without<Exclude<ShapeKey, 'sphere'>>)
  | ({
      /** A cylinder along y. */
      readonly cylinder: CylinderInput;
    } & Without<Exclude<ShapeKey, 'cylinder'>>)
  | ({
      /** A cylinder along y with round ends. */
      readonly capsule: CapsuleInput;
    } & Without<Exclude<ShapeKey, 'capsule'>>)
  | ({
      /** A ring around y. */
      readonly torus: TorusInput;
    } & Without<Exclude<ShapeKey, 'torus'>>)
  | ({
      /** A closed triangle mesh. */
      readonly mesh: MeshInput;
    } & Without<Exclude<ShapeKey, 'mesh'>>)
  | ({
      /** A polygon in the x-y plane drawn out along z, half of the length to either side. */
      readonly extrusion: ExtrusionInput;
    } & Without<Exclude<ShapeKey, 'extrusion'>>)
  | ({
      /** What lies between a flat bottom and heights, like ground. */
      readonly heightfield: HeightfieldInput;
    } & Without<Exclude<ShapeKey, 'heightfield'>>)
  | ({
      /** All that is in one of its parts. */
      readonly union: readonly PartInput[];
    } & Without<Exclude<ShapeKey, 'union'>>)
  | ({
      /** What is in the first part and in none of the others. */
      readonly difference: readonly PartInput[];
    } & Without<Exclude<ShapeKey, 'difference'>>)
  | ({
      /** What is in all of its parts. */
      readonly intersection: readonly PartInput[];
    } & Without<Exclude<ShapeKey, 'intersection'>>)
  | ({
      /** What a vessel holds up to a level, without obstacles, solids, rigid bodies and what was filled in before. */
      readonly fill: FillInput;
    } & Without<Exclude<ShapeKey, 'fill'>>);

/** A closed triangle mesh. */
export interface MeshInput {
  /** Closed triangle mesh, a path relative to the scene's folder and inside it. */
  readonly file?: string | undefined;
  /** The triangles themselves; give this or file. */
  readonly data?: TriangleMesh | undefined;
  /** Length of the longest side of its bounding box; the size in the file when left out [m]; > 0. */
  readonly size?: number | undefined;
}

/** A shape put somewhere in a whole. */
export interface PartInput {
  /** A shape with a volume. */
  readonly shape: SolidInput;
  /**
   * Where its origin is put in the whole [m].
   * @defaultValue `[0, 0, 0]`
   */
  readonly position?: Vec3 | undefined;
  /**
   * Turn about the x, then y, then z axis [degrees].
   * @defaultValue `[0, 0, 0]`
   */
  readonly rotation?: Vec3 | undefined;
}

type SolidKey =
  | 'box'
  | 'sphere'
  | 'cylinder'
  | 'capsule'
  | 'torus'
  | 'mesh'
  | 'extrusion'
  | 'heightfield'
  | 'union'
  | 'difference'
  | 'intersection';

/**
 * A shape with a volume. Exactly one of box, sphere, cylinder, capsule, torus, mesh, extrusion, heightfield, union,
 * difference, intersection.
 */
export type SolidInput =
  | ({
      /** A box centred on its origin. */
      readonly box: BoxInput;
    } & Without<Exclude<SolidKey, 'box'>>)
  | ({
      /** A ball centred on its origin. */
      readonly sphere: SphereInput;
    } & Without<Exclude<SolidKey, 'sphere'>>)
  | ({
      /** A cylinder along y. */
      readonly cylinder: CylinderInput;
    } & Without<Exclude<SolidKey, 'cylinder'>>)
  | ({
      /** A cylinder along y with round ends. */
      readonly capsule: CapsuleInput;
    } & Without<Exclude<SolidKey, 'capsule'>>)
  | ({
      /** A ring around y. */
      readonly torus: TorusInput;
    } & Without<Exclude<SolidKey, 'torus'>>)
  | ({
      /** A closed triangle mesh. */
      readonly mesh: MeshInput;
    } & Without<Exclude<SolidKey, 'mesh'>>)
  | ({
      /** A polygon in the x-y plane drawn out along z, half of the length to either side. */
      readonly extrusion: ExtrusionInput;
    } & Without<Exclude<SolidKey, 'extrusion'>>)
  | ({
      /** What lies between a flat bottom and heights, like ground. */
      readonly heightfield: HeightfieldInput;
    } & Without<Exclude<SolidKey, 'heightfield'>>)
  | ({
      /** All that is in one of its parts. */
      readonly union: readonly PartInput[];
    } & Without<Exclude<SolidKey, 'union'>>)
  | ({
      /** What is in the first part and in none of the others. */
      readonly difference: readonly PartInput[];
    } & Without<Exclude<SolidKey, 'difference'>>)
  | ({
      /** What is in all of its parts. */
      readonly intersection: readonly PartInput[];
    } & Without<Exclude<SolidKey, 'intersection'>>);

type ObstacleShapeKey =
  | 'box'
  | 'sphere'
  | 'cylinder'
  | 'capsule'
  | 'torus'
  | 'mesh'
  | 'extrusion'
  | 'heightfield'
  | 'union'
  | 'difference'
  | 'intersection'
  | 'plane';

/**
 * The shape of an obstacle. Exactly one of box, sphere, cylinder, capsule, torus, mesh, extrusion, heightfield, union,
 * difference, intersection, plane.
 */
export type ObstacleShapeInput =
  | ({
      /** A box centred on its origin. */
      readonly box: BoxInput;
    } & Without<Exclude<ObstacleShapeKey, 'box'>>)
  | ({
      /** A ball centred on its origin. */
      readonly sphere: SphereInput;
    } & Without<Exclude<ObstacleShapeKey, 'sphere'>>)
  | ({
      /** A cylinder along y. */
      readonly cylinder: CylinderInput;
    } & Without<Exclude<ObstacleShapeKey, 'cylinder'>>)
  | ({
      /** A cylinder along y with round ends. */
      readonly capsule: CapsuleInput;
    } & Without<Exclude<ObstacleShapeKey, 'capsule'>>)
  | ({
      /** A ring around y. */
      readonly torus: TorusInput;
    } & Without<Exclude<ObstacleShapeKey, 'torus'>>)
  | ({
      /** A closed triangle mesh. */
      readonly mesh: MeshInput;
    } & Without<Exclude<ObstacleShapeKey, 'mesh'>>)
  | ({
      /** A polygon in the x-y plane drawn out along z, half of the length to either side. */
      readonly extrusion: ExtrusionInput;
    } & Without<Exclude<ObstacleShapeKey, 'extrusion'>>)
  | ({
      /** What lies between a flat bottom and heights, like ground. */
      readonly heightfield: HeightfieldInput;
    } & Without<Exclude<ObstacleShapeKey, 'heightfield'>>)
  | ({
      /** All that is in one of its parts. */
      readonly union: readonly PartInput[];
    } & Without<Exclude<ObstacleShapeKey, 'union'>>)
  | ({
      /** What is in the first part and in none of the others. */
      readonly difference: readonly PartInput[];
    } & Without<Exclude<ObstacleShapeKey, 'difference'>>)
  | ({
      /** What is in all of its parts. */
      readonly intersection: readonly PartInput[];
    } & Without<Exclude<ObstacleShapeKey, 'intersection'>>)
  | ({
      /** Everything below a plane. */
      readonly plane: PlaneInput;
    } & Without<Exclude<ObstacleShapeKey, 'plane'>>);
