/** Requests about the service itself. */
import * as z from 'zod'
import type { ApiOperation } from './api-operation.ts'

export const SERVICE_OPERATIONS: readonly ApiOperation[] = [
  {
    id: 'health',
    group: 'Service',
    method: 'get',
    path: '/health',
    title: 'Check liveness',
    description: 'Succeeds while the service runs.',
    answers: [
      {
        status: 200,
        description: 'The service is running.',
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
    title: 'Check readiness',
    description: 'Succeeds if the store responds too.',
    answers: [
      {
        status: 200,
        description: 'The service and its store are running.',
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
    title: 'Get the OpenAPI document',
    description: 'This reference as OpenAPI 3.1, generated from the schemas that check requests.',
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
