/** Prompts with and without arguments, of every kind of content. */
import {
  acceptedContent,
  completable,
  inputRequired,
  type GetPromptResult,
  type McpServer,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { IMAGE, resource, text } from './conformance-content.ts'

const WORDS = ['tea', 'test', 'text']

const contextSchema = z.object({ context: z.string() })

export function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'Has no arguments.' }, () =>
    says(text('Say hello.')),
  )
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Repeats its arguments.',
      argsSchema: z.object({
        arg1: completable(z.string(), (begun) => WORDS.filter((word) => word.startsWith(begun))),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => says(text(`Compare ${arg1} with ${arg2}.`)),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Holds a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      says(resource(resourceUri, 'text/plain', 'A resource.'), text('What does it say?')),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'Holds an image.' }, () =>
    says(IMAGE, text('What does it show?')),
  )
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks before it answers.' },
    ({ mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, 'user_context', contextSchema)
      if (given) return says(text(`Use this context: ${given.context}`))
      const message = 'Which context?'
      const asked = inputRequired.elicit({ message, requestedSchema: contextSchema })
      return inputRequired({ inputRequests: { user_context: asked } })
    },
  )
}

function says(...contents: GetPromptResult['messages'][number]['content'][]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) }
}
