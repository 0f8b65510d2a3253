import type * as z from 'zod';
import type { Path } from '../../options/errors.js';
import type { Material, Scene } from '../../options/types.js';
import type { WorldContents } from '../contents.js';

/**
 * Something that scenes have a list of. Its key in `ITEMS` is its key in scene files and of `world.add`. All that is left
 * out below does not concern it.
 */
export interface SceneItem<Schema extends z.ZodType = z.ZodType, Entry = z.output<Schema>> {
  /** What may be said about an entry in a scene file, with unit, range, default and text. */
  readonly schema: Schema;
  /** What the list is, for the documentation. */
  readonly text: string;
  /** Entries have names, which differ. */
  readonly isNamed?: boolean;
  /** The name that an entry says nothing about, and its material in place. */
  complete?(entry: z.output<Schema>, index: number, materialOf: (named: string | Material) => Material): Entry;
  /** The body that an entry names: it must be there. */
  bodyOf?(entry: Entry): string | undefined;
  /** What is wrong with an entry beside the rest of its scene; paths count from the entry. */
  check?(entry: Entry, scene: Scene, report: (path: Path, message: string) => void): void;
  /** The entry at another resolution, see `scaleScene`. */
  scale?(entry: Entry, factor: number): Entry;
  /** Where a world keeps its entries; saves hold them as JSON. */
  list?(world: WorldContents): unknown[];
  /** Puts an entry into a world; without it, entries are checked and go to the list. */
  add?(world: WorldContents, entry: never): unknown;
  /** When something of it is due next [s]: steps end there. */
  nextTime?(world: WorldContents): number;
  /** Does what is due at the time of the world. */
  act?(world: WorldContents): void;
}
