/** Tools that need answers from the client first: a person's, a model's, or a list of its folders. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type ClientCapabilities,
  type InputRequest,
  type McpServer,
  type ServerContext,
  type ToolCallback,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { text } from './conformance-content.ts'

type Questions = Readonly<Record<string, InputRequest>>

/** Where a conversation of several rounds stands. */
interface State {
  readonly round: number
}

/** Signs what a client keeps between rounds. */
export const stateCodec = createRequestStateCodec<State>({
  key: 'signs the states of the conformance tests',
})

const askName = () => askPerson('What is your name?', { name: z.string() })
const askColor = () => askPerson('Which color do you like?', { color: z.string() })
const askConsent = () => askPerson('Go on?', { ok: z.boolean() })

const TOOLS: Readonly<Record<string, ToolCallback>> = {
  test_input_required_result_elicitation: (ctx) => ask(ctx, { user_name: askName() }),
  test_input_required_result_sampling: (ctx) =>
    ask(ctx, { capital_question: askModel('What is the capital of Portugal?') }),
  test_input_required_result_list_roots: (ctx) =>
    ask(ctx, { client_roots: inputRequired.listRoots() }),
  test_input_required_result_request_state: (ctx) => askInRounds(ctx, [{ confirm: askConsent() }]),
  test_input_required_result_tampered_state: (ctx) => askInRounds(ctx, [{ confirm: askConsent() }]),
  test_input_required_result_multiple_inputs: (ctx) =>
    askInRounds(ctx, [
      {
        user_name: askName(),
        greeting: askModel('Write a greeting'),
        client_roots: inputRequired.listRoots(),
      },
    ]),
  test_input_required_result_multi_round: (ctx) =>
    askInRounds(ctx, [{ step1: askName() }, { step2: askColor() }]),
  test_input_required_result_capabilities(ctx) {
    // The library's type of it is empty.
    const envelope = ctx.mcpReq.envelope as Record<string, ClientCapabilities> | undefined
    const able = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
    return ask(ctx, {
      ...(able.elicitation && { user_name: askName() }),
      ...(able.sampling && { greeting: askModel('Write a greeting') }),
    })
  },
  test_missing_capability: (ctx) => ask(ctx, { greeting: askModel('Write a greeting') }),
  test_streaming_elicitation: (ctx) => ask(ctx, { user_name: askName() }),

  // Called in the older revision only, in which a server would have to send requests of its own.
  test_sampling: (ctx) => ask(ctx, { greeting: askModel('Write a greeting') }),
  test_elicitation: (ctx) => ask(ctx, { user_name: askName() }),
  test_elicitation_sep1034_defaults: (ctx) => ask(ctx, { user_name: askName() }),
  test_elicitation_sep1330_enums: (ctx) => ask(ctx, { user_name: askName() }),
}

export function addInputTools(server: McpServer): void {
  for (const [name, tool] of Object.entries(TOOLS)) {
    server.registerTool(name, { description: 'Asks before it answers.' }, tool)
  }
}

/** Asks again until nothing is missing. */
function ask(ctx: ServerContext, questions: Questions) {
  if (isAnswered(ctx, questions)) return { content: [text('Thank you.')] }
  return inputRequired({ inputRequests: questions })
}

/** What came back with a state that does not verify was refused before. */
async function askInRounds(ctx: ServerContext, rounds: readonly Questions[]) {
  const { round } = ctx.mcpReq.requestState<State>() ?? { round: 0 }
  const asked = rounds[round - 1]
  const next = asked && !isAnswered(ctx, asked) ? round - 1 : round
  const inputRequests = rounds[next]
  if (!inputRequests) return { content: [text('Thank you: state-ok')] }
  return inputRequired({ inputRequests, requestState: await stateCodec.mint({ round: next + 1 }) })
}

function isAnswered({ mcpReq }: ServerContext, questions: Questions): boolean {
  return Object.keys(questions).every(
    (key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing',
  )
}

function askPerson(message: string, fields: z.ZodRawShape): InputRequest {
  return inputRequired.elicit({ message, requestedSchema: z.object(fields) })
}

function askModel(question: string): InputRequest {
  const messages = [{ role: 'user' as const, content: text(question) }]
  return inputRequired.createMessage({ messages, maxTokens: 100 })
}
