/** A field is added to an answer in one place, and every face of the service has it. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { execute } from '../../../src/operations/run/execute.ts'

const CHANGED = '../../../src/operations/files/path-info.ts'
const MEANING = 'Whether it was there an hour ago.'

/** The service with one edit: the operation as if it had been declared with one more field. */
async function changedService() {
  vi.resetModules()
  vi.doMock(CHANGED, async () => {
    const { operation } = await import('../../../src/operations/operation.ts')
    const actual =
      await vi.importActual<typeof import('../../../src/operations/files/path-info.ts')>(CHANGED)
    const { pathExists } = actual
    return {
      ...actual,
      pathExists: operation({
        ...pathExists,
        output: () => pathExists.output().extend({ was_there: z.boolean().describe(MEANING) }),
        run: async (ctx, input) => ({ ...(await pathExists.run(ctx, input)), was_there: true }),
      }),
    }
  })
  return {
    ...(await import('../../mcp/make-mcp.ts')),
    ...(await import('../../support/call-route.ts')),
    ...(await import('../../../infra/build/site/api/record-answers.ts')),
    ...(await import('../../../infra/build/site/docs/api-page.ts')),
    ...(await import('../../../infra/build/site/openapi.ts')),
  }
}

let changed: Awaited<ReturnType<typeof changedService>>

beforeAll(async () => {
  changed = await changedService()
})

afterAll(() => {
  vi.doUnmock(CHANGED)
  // Suites of one process share their modules.
  vi.resetModules()
})

const EXISTS = { path: 'x' }
const NOTHING = { exists: false, type: null, was_there: true }

describe('a field that is new in the answer of file_exists', () => {
  it('is in the answer over HTTP', async () => {
    const response = await changed.postTo(await changed.makeMcp(), 'fs/exists', EXISTS)
    expect(await response.json()).toMatchObject({ data: NOTHING })
  })

  it('is in the result of the tool, as data and as text, and in its schema', async () => {
    const { call, tools } = await changed.makeMcp()
    const { structuredContent, content } = await call('file_exists', EXISTS)
    expect(structuredContent).toMatchObject({ data: NOTHING })
    expect(JSON.parse(content[0]!.text!)).toEqual(structuredContent)
    const { outputSchema } = (await tools()).find(({ name }) => name === 'file_exists')!
    expect(outputSchema).toMatchObject({
      properties: { data: { properties: { was_there: { type: 'boolean' } } } },
    })
  })

  describe('is', () => {
    let answers: Awaited<ReturnType<typeof changed.recordAnswers>>

    beforeAll(async () => {
      answers = await changed.recordAnswers()
    })

    it('in openapi.json, with its meaning and an example', () => {
      const { components, paths } = changed.openApiDocument(answers) as unknown as Document
      expect(components.schemas.FileExistsAnswer).toMatchObject({
        properties: {
          data: { properties: { was_there: { type: 'boolean', description: MEANING } } },
        },
      })
      const { content } = paths['/fs/exists']!.post!.responses[200]!
      expect(content['application/json']!.example).toMatchObject({ data: { was_there: true } })
    })

    it('in the documentation, with its meaning and an example', () => {
      const { main } = changed.apiPage(answers)
      const section = main
        .slice(main.indexOf('aria-labelledby="file_exists"'))
        .split('</section>')[0]!
      expect(section).toContain('<code>was_there</code>')
      expect(section).toContain(MEANING)
      expect(section.replaceAll(/<[^>]+>/g, '')).toMatch(/was_there(&#34;|"): true/)
    })
  })
})

it('a field of a run’s answer reaches programs and models', () => {
  const names = (schema: z.ZodType) => Object.keys((schema as z.ZodObject).shape)
  const toModels = names(execute.asTool.output())
  expect(toModels).toEqual(expect.arrayContaining(names(execute.output())))
  expect(toModels.filter((name) => !names(execute.output()).includes(name))).toEqual([
    'logs_file',
    'more_files',
    // Programs get it as an answer of its own, with another status.
    'run',
  ])
})

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

interface Described {
  readonly responses: Readonly<
    Record<number, { readonly content: Readonly<Record<string, { readonly example: unknown }>> }>
  >
}
