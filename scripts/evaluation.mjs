/** Calls a function of ours in a page. What it is given and what it returns can be written as JSON.
 * @typedef {<Argument, Result>(inPage: (argument: Argument) => Result, argument: Argument) => Promise<Awaited<Result>>} Evaluate
 */

/**
 * @param {(script: string) => Promise<unknown>} run evaluates an expression in a page, and awaits what comes of it
 * @returns {Evaluate}
 */
export const evaluation = (run) => (inPage, argument) =>
  // What arrives is what the function returned, which no compiler can see.
  /** @type {Promise<never>} */ (run(`(${inPage.toString()})(${JSON.stringify(argument)})`));
