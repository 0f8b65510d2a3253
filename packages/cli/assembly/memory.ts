// Where things are in a thread's memory; src/render/rays.ts lays the rest out behind DATA.

/** The last hit: distance, weights of corners 1 and 2, and its slot. */
export const HIT: usize = 0;
export const HIT_U: usize = 8;
export const HIT_V: usize = 16;
export const HIT_SLOT: usize = 24;
/** Distances to the children of a node. */
export const NEAR: usize = 32;
/** Nodes to go back to, with their distances: at most three of each of 96 levels. */
export const STACK: usize = 64;
/** Glass in the way of a shadow ray: distance and slot, the nearest first. */
export const CROSSINGS: usize = 4096;
/** The glass that a path, and a shadow ray, are in: how many, the one that is there, and all of them. */
export const PATH_MEDIA: usize = 6144;
export const SHADOW_MEDIA: usize = 7168;
