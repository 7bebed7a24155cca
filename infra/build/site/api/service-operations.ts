/** Describes operations about the service itself. */
import * as z from 'zod'
import type { ApiOperation } from './api-operation.ts'

export const SERVICE_OPERATIONS: readonly ApiOperation[] = [
  {
    id: 'health',
    group: 'Service',
    method: 'get',
    path: '/health',
    title: 'Is it alive?',
    description: 'Answers as long as code runs. Needs no token.',
    answers: [
      {
        status: 200,
        description: 'It is.',
        content: { 'application/json': z.strictObject({ status: z.literal('ok') }) },
      },
    ],
    failures: ['internal'],
    example: {},
  },
  {
    id: 'ready',
    group: 'Service',
    method: 'get',
    path: '/health/ready',
    title: 'Is it ready?',
    description: 'Answers 200 when the store answers too. Needs no token.',
    answers: [
      {
        status: 200,
        description: 'It is.',
        content: { 'application/json': z.strictObject({ status: z.literal('ready') }) },
      },
    ],
    failures: ['storage_unavailable', 'internal'],
    example: {},
  },
  {
    id: 'openapi',
    group: 'Service',
    method: 'get',
    path: '/openapi.json',
    title: 'This description',
    description: 'All of this as OpenAPI 3.1, made from the schemas that check requests.',
    answers: [
      {
        status: 200,
        description: 'The document.',
        content: { 'application/json': z.looseObject({ openapi: z.string() }) },
      },
    ],
    failures: ['internal'],
    example: {},
  },
]
