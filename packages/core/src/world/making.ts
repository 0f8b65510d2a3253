/** What makes shapes of others; it is fetched where there are some. */
export { basicShape } from '../sampling/composite.js';
export { filledBody } from './vessel.js';
