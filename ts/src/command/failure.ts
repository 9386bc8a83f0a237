/** How the command ends; a script can tell these apart. */
export const exitCodes = { done: 0, failed: 1, misused: 2, different: 3, interrupted: 130 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What is told in one sentence, without a stack. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

export function misuse(message: string): CommandFailure {
  return new CommandFailure(`${message}; see quillmate-sampler --help`, exitCodes.misused);
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
