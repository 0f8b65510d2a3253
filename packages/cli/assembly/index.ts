// The renderer's loops over rays and pixels.
export { smoothRows } from './denoise';
export { drawTile } from './paths';
export { blocked, closest, setBounds, setTree } from './rays';
export { draw as drawNumbers, setMostSamples, start as startNumbers, x as numberX, y as numberY } from './sampler';
export { setPrimitives, setView } from './scene';
