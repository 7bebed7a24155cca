/** Checks the templates before CloudFormation does, which is only while deploying. */
import { cycleProblems } from './dependency-cycles.ts'
import { readTemplate, type Template } from './read-template.ts'
import { specProblems } from './resource-spec.ts'
import { roleProblems } from './role-rules.ts'

/** One line per violation of AWS's resource specification, of its order, or of the role's rules. */
export async function templateProblems(template: Template): Promise<string[]> {
  const own = [...roleProblems(template), ...cycleProblems(template)]
  return [...own, ...(await specProblems(template))]
}

if (import.meta.main) {
  for (const file of ['template.yaml', 'domain.yaml']) {
    for (const problem of await templateProblems(readTemplate(file))) {
      console.error(`${file}: ${problem}`)
      process.exitCode = 1
    }
  }
}
