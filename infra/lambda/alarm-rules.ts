/** Which alarms there are, and that each reaches somebody. */
import * as z from 'zod'
import { LONGEST_RUN_MS } from './function-rules.ts'
import { exactly, ref, sub } from './intrinsics.ts'
import type { Json } from './read-template.ts'

const dimensions = [{ Name: 'FunctionName', Value: ref('Function') }]

const MAX_PERIODS = 5

function alarm(threshold: z.ZodType<number>, measure: Readonly<Record<string, z.ZodType>>) {
  return z.strictObject({
    Type: z.literal('AWS::CloudWatch::Alarm'),
    Properties: z.strictObject({
      AlarmDescription: z.string(),
      EvaluationPeriods: z.int().min(1).max(MAX_PERIODS),
      ComparisonOperator: z.literal('GreaterThanOrEqualToThreshold'),
      TreatMissingData: z.literal('notBreaching'),
      AlarmActions: exactly([ref('AlarmTopic')]),
      Threshold: threshold,
      ...measure,
    }),
  })
}

function metric(
  name: string,
  threshold: z.ZodType<number>,
  statistic: Readonly<Record<string, Json>>,
) {
  const stated = Object.entries(statistic).map(([key, value]) => [key, exactly(value)] as const)
  return alarm(threshold, {
    Namespace: z.literal('AWS/Lambda'),
    MetricName: z.literal(name),
    Dimensions: exactly(dimensions),
    Period: z.int().min(60).max(300),
    ...Object.fromEntries(stated),
  })
}

const percentUsed = exactly([
  {
    Id: 'used',
    ReturnData: false,
    MetricStat: {
      Metric: {
        Namespace: 'AWS/Lambda',
        MetricName: 'ConcurrentExecutions',
        Dimensions: dimensions,
      },
      Stat: 'Maximum',
      Period: 60,
    },
  },
  {
    Id: 'percent',
    ReturnData: true,
    Label: 'Percent of ReservedConcurrency',
    Expression: sub('100 * used / ${ReservedConcurrency}'),
  },
])

/** By the names of the resources. */
export const alarmRules = {
  ErrorsAlarm: metric('Errors', z.literal(1), { Statistic: 'Sum' }),
  ThrottlesAlarm: metric('Throttles', z.literal(1), { Statistic: 'Sum' }),
  // That it stays below the Timeout is seen where both are known.
  DurationAlarm: metric('Duration', z.number().min(LONGEST_RUN_MS), { ExtendedStatistic: 'p95' }),
  ServerErrorsAlarm: metric('Url5xxCount', z.int().min(1).max(10), { Statistic: 'Sum' }),
  ConcurrencyAlarm: alarm(z.number().min(50).max(95), { Metrics: percentUsed }),
}

/** Not encrypted: alarms cannot be sent to a topic under AWS's own key, and say nothing of anybody's files. */
export const topicRules = z.strictObject({
  Type: z.literal('AWS::SNS::Topic'),
  Properties: z.strictObject({ DisplayName: z.unknown() }),
})

export const subscriptionRules = z.strictObject({
  Type: z.literal('AWS::SNS::Subscription'),
  Condition: z.literal('HasAlarmEmail'),
  Properties: exactly({
    TopicArn: ref('AlarmTopic'),
    Protocol: 'email',
    Endpoint: ref('AlarmEmail'),
  }),
})
