/** What is kept of Rapier's world. No types of Rapier: what users compile against leads here. */
import type { BodyOptions, Vec3 } from '../../../options/types.js';
import type { Frame } from '../../../particles/frame.js';
import type { MassProperties } from '../inertia.js';

/** A body in Rapier's world. */
export interface Entry {
  readonly handle: number;
  /** Of a unit of mass that fills the shape. */
  readonly unit: MassProperties;
  /** As last written [kg]. */
  mass: number;
}

/** What a save has to hold beside Rapier's own bytes. */
export interface RapierState {
  readonly bodies: readonly (Entry & { readonly name: string })[];
  readonly obstacles: readonly number[];
}

/** What a body has to say of itself. */
export interface RapierRecord {
  readonly options: BodyOptions;
  readonly initial: Frame;
  readonly samples: { readonly center: Vec3 };
}
