// Makes the pictures anew that tests compare examples with (packages/studio/test/pictures/examples), with the studio
// as it is built now. Names of examples as arguments, or --all. Look at them before they are committed.
import { spawnSync } from 'node:child_process';

const names = process.argv.slice(2);
if (names.length === 0) {
  console.error('usage: node scripts/build-pictures.mjs NAME... | --all');
  process.exit(2);
}
const wanted = names.includes('--all') ? '*' : names.join(',');
const { status } = spawnSync('npx', ['vitest', 'run', 'packages/studio/test/examples.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, PHYXEL_PICTURES: wanted },
});
process.exit(status ?? 1);
