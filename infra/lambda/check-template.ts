/**
 * Checks the templates of this folder against AWS's description of its resources, which
 * CloudFormation itself would do only while it deploys, and the role against what the driver needs.
 */
import { readTemplate, type Template } from './read-template.ts'
import { specProblems } from './resource-spec.ts'
import { roleProblems } from './role-rules.ts'

/** What is wrong with a template, one line each; nothing when it may be deployed. */
export async function templateProblems(template: Template): Promise<string[]> {
  return [...roleProblems(template), ...(await specProblems(template))]
}

if (import.meta.main) {
  for (const file of ['template.yaml', 'domain.yaml']) {
    for (const problem of await templateProblems(readTemplate(file))) {
      console.error(`${file}: ${problem}`)
      process.exitCode = 1
    }
  }
}
