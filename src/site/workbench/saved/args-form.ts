/** Fields for the arguments of a saved script, made from its schema. */
import { el } from '../page/dom.ts'
import type { ArgSchema } from '../service/saved-scripts.ts'

export interface ArgsForm {
  readonly element: HTMLElement
  /** As JSON; empty if nothing is given. */
  text(): string
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

interface Field {
  readonly element: HTMLElement
  /** As JSON; `undefined` if left empty. */
  json(): string | undefined
}

export function argsForm({ properties, required = [] }: ArgSchema): ArgsForm {
  if (!properties) {
    const { element, json } = fieldOf('args', { description: 'Any JSON.' }, false)
    return { element: el('div', { class: 'args-form' }, element), text: () => json() ?? '' }
  }
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, fieldOf(name, schema, required.includes(name))] as const,
  )
  const elements = fields.map(([, { element }]) => element)
  return {
    element: el('div', { class: 'args-form' }, ...elements),
    text() {
      const given = fields.flatMap(([name, field]) => {
        const json = field.json()
        return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`]
      })
      return `{${given.join(',')}}`
    },
  }
}

let ids = 0

function fieldOf(name: string, schema: ArgSchema, isRequired: boolean): Field {
  const id = `arg-${++ids}`
  const { control, read, kind } = controlOf(schema)
  control.id = id
  control.required = isRequired
  control.setAttribute('aria-describedby', `${id}-hint`)
  const hint = [schema.description, kind].filter(Boolean).join(' · ')
  const element = el(
    'div',
    { class: 'arg' },
    el('label', { for: id }, el('code', {}, name), isRequired ? '' : ' (optional)'),
    control,
    el('p', { class: 'hint', id: `${id}-hint` }, hint),
  )
  return { element, json: () => (control.value === '' ? undefined : read(control.value)) }
}

interface MadeControl {
  readonly control: Control
  /** Shown beside the description. */
  readonly kind: string
  /** @param value Not empty, and valid. */
  read(value: string): string
}

function controlOf(schema: ArgSchema): MadeControl {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  if (schema.enum) return choiceOf(schema.enum)
  switch (schema.anyOf || types.length !== 1 ? undefined : types[0]) {
    case 'boolean':
      return choiceOf([true, false])
    case 'string':
      return { control: el('input', ATTRIBUTES), kind: 'text', read: JSON.stringify }
    case 'integer':
      return { control: numberInput('1'), kind: 'whole number', read: numberText }
    case 'number':
      return { control: numberInput('any'), kind: 'number', read: numberText }
    default:
      return jsonArea(types.includes('array') ? '["a", "b"]' : '{"a": 1}')
  }
}

const ATTRIBUTES = { autocomplete: 'off', spellcheck: 'false' }

function numberInput(step: string): HTMLInputElement {
  return el('input', { type: 'number', step, ...ATTRIBUTES })
}

/** Whole numbers as they are written: JavaScript would round large ones. */
function numberText(value: string): string {
  return /^-?(?:0|[1-9]\d*)$/.test(value) ? value : String(Number(value))
}

/** The values of the options are JSON. */
function choiceOf(values: readonly (string | number | boolean)[]): MadeControl {
  const options = values.map((value) =>
    el('option', { value: JSON.stringify(value) }, String(value)),
  )
  const control = el('select', {}, el('option', { value: '' }, '–'), ...options)
  return { control, kind: '', read: (value) => value }
}

function jsonArea(placeholder: string): MadeControl {
  const control = el('textarea', { rows: 2, placeholder, ...ATTRIBUTES })
  control.addEventListener('input', () => control.setCustomValidity(faultOf(control.value)))
  return { control, kind: 'JSON', read: (value) => value }
}

/** Empty if there is none. */
function faultOf(text: string): string {
  try {
    if (text !== '') JSON.parse(text)
    return ''
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}
