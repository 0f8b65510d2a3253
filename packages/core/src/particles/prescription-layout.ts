// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

/** u32: bits 1, 2, 4: the velocity along x, y, z is prescribed. */
export const PRESCRIPTION_AXES = 0;
/** f32x4[3]: rows of the rotation of the step less the identity. */
export const PRESCRIPTION_TURN = 16;
/** f32x4: its pivot [m]. */
export const PRESCRIPTION_PIVOT = 64;
/** f32x4: translation of the step [m]. */
export const PRESCRIPTION_SHIFT = 80;
/** f32x4: acceleration by its force [m/s2]. */
export const PRESCRIPTION_ACCELERATION = 96;
export const PRESCRIPTION_STRIDE = 112;
