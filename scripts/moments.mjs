// How examples are shown on the sheet of all of them and in the gallery.

/** The frame to show; the last one of the examples that are not here. */
export const MOMENTS = {
  'ball-in-pool': 14,
  'bunny-drop': 12,
  'dam-break-bunny': 18,
  'jelly-cubes-pile': 40,
  'lava-lamp': 30,
  'throw-at-mesh': 20,
  'twist-column': 40,
  'windy-flag': 36,
  'box-stack': 24,
  'half-heated': 24,
  'held-figure': 20,
  'hot-block': 75,
  'lava-lamp-heat': 33,
  'warm-blob': 22,
  dent: 60,
  'honey-coil': 40,
  dominoes: 30,
  donut: 84,
  ducks: 24,
  'flow-blocks': 24,
  'flow-duck': 40,
  'flow-melt': 32,
  fountain: 45,
  'freezing-pour': 34,
  pouring: 18,
  'marble-run': 66,
  'rolling-ball': 24,
  'putty-press': 24,
  'soft-toys': 30,
  'toy-box': 100,
  'chocolate-bar': 30,
  'travelling-wave': 30,
  'brick-wall': 12,
  squash: 9,
  'stiff-drop': 14,
  'viscoelastic-jets': 22,
};

/** Colours by a quantity, or another view, say more in these. */
export const EXTRA = {
  'toy-box': ['--view', '30,35'],
  donut: ['--view', '30,38'],
  'flow-melt': ['--view', '30,12'],
  // Over a corner, a tank shows what is in it twice.
  'warm-blob': ['--view', '0,10'],
  'rubber-stretch': ['--color-by', 'stress'],
  'sag-static': ['--color-by', 'stress'],
  'two-stiffnesses': ['--color-by', 'stress'],
  'viscoelastic-jets': ['--view', '222,16'],
};
