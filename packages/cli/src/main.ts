/** The command `phyxel`: one file for each of its commands. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { describeFailure, EXIT } from './errors.js';

const HELP = `
Exit codes: 0 done, 1 failed (files, disk), 2 bad input, 3 the simulation broke down,
129, 130, 143 stopped by SIGHUP, SIGINT (Ctrl-C), SIGTERM.`;

type SetExitCode = (code: number) => void;
type Register = (program: Command, setExitCode: SetExitCode) => void;

/** The commands in the order of the help. Each is loaded when it is asked for: together they take half a second. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  run: async () => (await import('./commands/run.js')).registerRun,
  check: async () => (await import('./commands/check.js')).registerCheck,
  export: async () => (await import('./commands/export.js')).registerExport,
  render: async () => (await import('./commands/render.js')).registerRender,
  studio: async () => (await import('./commands/studio.js')).registerStudio,
  schema: async () => (await import('./commands/schema.js')).registerSchema,
  bench: async () => (await import('./commands/bench.js')).registerBench,
  validate: async () => (await import('./commands/validate.js')).registerValidate,
};

/** Runs the command line and gives the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const setExitCode: SetExitCode = (code) => {
    exitCode = code;
  };
  const verbose = argv.includes('--verbose');
  process.stdout.off('error', endOfOutput).on('error', endOfOutput);
  try {
    const words = argv.filter((argument) => argument !== '--verbose');
    const program = await createProgram(words[2], setExitCode);
    await program.parseAsync(words);
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

/** The program with the command that is asked for; with all of them where the help or a suggestion lists them. */
async function createProgram(word: string | undefined, setExitCode: SetExitCode): Promise<Command> {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const program = new Command('phyxel')
    .description('Meshless physics animation')
    .version(version)
    .option('--verbose', 'show where errors come from')
    .exitOverride()
    .addHelpText('after', HELP);
  const all = Object.keys(COMMANDS);
  const names = word === '--version' || word === '-V' ? [] : all.includes(word ?? '') ? [word!] : all;
  for (const name of names) (await COMMANDS[name]!())(program, setExitCode);
  return program;
}
