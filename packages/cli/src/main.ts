/** The command `phyxel`: one file for each of its commands. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { registerBench } from './commands/bench.js';
import { registerCheck } from './commands/check.js';
import { registerExport } from './commands/export.js';
import { registerRender } from './commands/render.js';
import { registerRun } from './commands/run.js';
import { registerSchema } from './commands/schema.js';
import { registerStudio } from './commands/studio.js';
import { registerValidate } from './commands/validate.js';
import { describeFailure, EXIT } from './errors.js';

const HELP = `
Exit codes: 0 done, 1 failed (files, disk), 2 bad input, 3 the simulation broke down, 130 interrupted.`;

/** Runs the command line and gives the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const setExitCode = (code: number) => {
    exitCode = code;
  };
  const verbose = argv.includes('--verbose');
  process.stdout.off('error', endOfOutput).on('error', endOfOutput);
  try {
    await createProgram(setExitCode).parseAsync(argv.filter((argument) => argument !== '--verbose'));
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
    const failure = describeFailure(error);
    process.stderr.write(`${verbose ? `${failure.message}\n${failure.stack}` : failure.message}\n`);
    return failure.exitCode;
  }
}

/** A reader that has seen enough, like `head`, is no error. */
function endOfOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
}

function createProgram(setExitCode: (code: number) => void): Command {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const program = new Command('phyxel')
    .description('Meshless physics animation')
    .version(version)
    .option('--verbose', 'show where errors come from')
    .exitOverride()
    .addHelpText('after', HELP);
  registerRun(program, setExitCode);
  registerCheck(program);
  registerExport(program);
  registerRender(program, setExitCode);
  registerStudio(program);
  registerSchema(program);
  registerBench(program);
  registerValidate(program, setExitCode);
  return program;
}
