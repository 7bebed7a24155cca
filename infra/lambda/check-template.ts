/**
 * Checks the templates of this folder: against AWS's description of its resources, for names that lead nowhere,
 * and against what is safe. CloudFormation itself would notice the first two, but not before it deploys.
 */
import type { ZodType } from 'zod'
import { domainRules } from './domain-rules.ts'
import { readTemplate, type Template } from './read-template.ts'
import { referenceProblems } from './references.ts'
import { specProblems } from './resource-spec.ts'
import { templateRules } from './template-rules.ts'

/** By file. */
const RULES = { 'template.yaml': templateRules, 'domain.yaml': domainRules }

/** What is wrong with a template, one line each; nothing when it may be deployed. */
export async function templateProblems(
  template: Template,
  rules: ZodType = templateRules,
): Promise<string[]> {
  const { error } = rules.safeParse(template)
  const broken = (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
  return [...broken, ...referenceProblems(template), ...(await specProblems(template))]
}

if (import.meta.main) {
  for (const [file, rules] of Object.entries(RULES)) {
    for (const problem of await templateProblems(readTemplate(file), rules)) {
      console.error(`${file}: ${problem}`)
      process.exitCode = 1
    }
  }
}
