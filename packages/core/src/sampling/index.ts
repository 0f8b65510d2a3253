export { SamplingError } from './error.js';
export { type Samples, type SamplingQuality, sampleShape } from './sample.js';
