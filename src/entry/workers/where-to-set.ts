/** Adds to what is missing where a person sets it. */

/** @param message Of an `InvalidConfig`: one line for each problem. */
export function whereToSet(message: string, file: string): string {
  return message.replaceAll(/ is required.*$/gm, (problem) => `${problem}; set it in ${file}`)
}
