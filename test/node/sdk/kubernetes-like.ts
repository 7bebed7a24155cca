/**
 * A specification in the manner of Kubernetes: Swagger 2 without a host, a thousand operations that differ in little,
 * dotted names for types, types that hold themselves and one with a property called `$ref`.
 */

/** API groups, and the kinds of each; a star marks those that belong to no namespace. */
const GROUPS: Readonly<Record<string, string>> = {
  core: 'Pod Service Secret ConfigMap Endpoints Event LimitRange PersistentVolumeClaim PodTemplate ReplicationController ResourceQuota ServiceAccount *Namespace *Node *PersistentVolume',
  apps: 'Deployment DaemonSet StatefulSet ReplicaSet ControllerRevision',
  batch: 'Job CronJob',
  autoscaling: 'HorizontalPodAutoscaler',
  networking: 'Ingress NetworkPolicy *IngressClass',
  policy: 'PodDisruptionBudget',
  rbacAuthorization: 'Role RoleBinding *ClusterRole *ClusterRoleBinding',
  storage: '*StorageClass *VolumeAttachment *CSIDriver *CSINode CSIStorageCapacity',
  discovery: 'EndpointSlice',
  coordination: 'Lease',
  scheduling: '*PriorityClass',
  certificates: '*CertificateSigningRequest',
  apiextensions: '*CustomResourceDefinition',
  apiregistration: '*APIService',
  admissionregistration: '*MutatingWebhookConfiguration *ValidatingWebhookConfiguration',
}
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  batch: ['v1', 'v1beta1'],
  autoscaling: ['v1', 'v2'],
  apps: ['v1', 'v1beta1', 'v1beta2'],
}
const QUERY = [
  ['allowWatchBookmarks', 'boolean', 'Requests watch events with type "BOOKMARK".'],
  ['continue', 'string', 'Set when retrieving more results from the server.'],
  ['fieldSelector', 'string', 'Restricts the list of returned objects by their fields.'],
  ['labelSelector', 'string', 'Restricts the list of returned objects by their labels.'],
  ['limit', 'integer', 'The maximum number of responses to return.'],
  ['resourceVersion', 'string', 'Sets a constraint on what versions a request may be served from.'],
  ['timeoutSeconds', 'integer', 'Ends the call regardless of activity.'],
] as const
const CHANGE = [
  ['dryRun', 'string', 'When present, modifications are not persisted.'],
  ['fieldManager', 'string', 'The name of the actor that makes these changes.'],
] as const

export function kubernetesLike() {
  const paths: Record<string, Record<string, unknown>> = {}
  const definitions: Record<string, unknown> = { ...SHARED_TYPES }
  for (const [group, kinds] of Object.entries(GROUPS)) {
    for (const version of VERSIONS[group] ?? ['v1']) {
      for (const marked of kinds.split(' ')) addKind(paths, definitions, group, version, marked)
    }
  }
  paths['/version/'] = { get: operation('getCodeVersion', 'get the code version', 'version') }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1' },
    paths,
    definitions,
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  }
}

function addKind(
  paths: Record<string, Record<string, unknown>>,
  definitions: Record<string, unknown>,
  group: string,
  version: string,
  marked: string,
): void {
  const kind = marked.replace('*', '')
  const isNamespaced = kind === marked
  const type = `io.k8s.api.${group}.${version}.${kind}`
  definitions[type] = typeOf(kind, type)
  definitions[`${type}Spec`] = specOf(kind)
  definitions[`${type}List`] = listOf(type)

  const base = group === 'core' ? `/api/${version}` : `/apis/${group}/${version}`
  const plural = `${kind.toLowerCase()}s`
  const all = `${base}${isNamespaced ? '/namespaces/{namespace}' : ''}/${plural}`
  const name = (verb: string, suffix = '') =>
    `${verb}${group[0]!.toUpperCase()}${group.slice(1)}V${version.slice(1)}${isNamespaced ? 'Namespaced' : ''}${kind}${suffix}`
  const shared = isNamespaced ? [path('namespace', 'object name and auth scope')] : []
  const one = [...shared, path('name', `name of the ${kind}`)]
  const make = (verb: string, doing: string, returned: string, more: object = {}, suffix = '') =>
    operation(name(verb, suffix), doing, `${group}_${version}`, returned, more)

  paths[all] = {
    parameters: shared,
    get: make('list', `list or watch objects of kind ${kind}`, `${type}List`, query(QUERY)),
    post: make('create', `create a ${kind}`, type, body(type)),
    delete: make('deleteCollection', `delete collection of ${kind}`, 'Status', query(QUERY)),
  }
  for (const part of partsOf(kind)) {
    const about = part === '' ? `the specified ${kind}` : `${part} of the specified ${kind}`
    const suffix = part === '' ? '' : part[0]!.toUpperCase() + part.slice(1)
    paths[`${all}/{name}${part === '' ? '' : `/${part}`}`] = {
      parameters: one,
      get: make('read', `read ${about}`, type, {}, suffix),
      put: make('replace', `replace ${about}`, type, body(type), suffix),
      patch: make('patch', `partially update ${about}`, type, patch(), suffix),
      ...(part === '' && { delete: make('delete', `delete a ${kind}`, 'Status', query(CHANGE)) }),
    }
  }
  if (kind === 'Pod') {
    const log = make('read', 'read log of the specified Pod', 'Status', {}, 'Log')
    paths[`${all}/{name}/log`] = { parameters: one, get: log }
    const evict = make('create', 'create eviction of a Pod', type, body(type), 'Eviction')
    paths[`${all}/{name}/eviction`] = { parameters: one, post: evict }
  }
  if (isNamespaced) {
    const everywhere = name('list', 'ForAllNamespaces').replace('Namespaced', '')
    const doing = `list or watch objects of kind ${kind}`
    const get = operation(everywhere, doing, `${group}_${version}`, `${type}List`, query(QUERY))
    paths[`${base}/${plural}`] = { get }
  }
}

function partsOf(kind: string): string[] {
  const scales = ['Deployment', 'StatefulSet', 'ReplicaSet', 'ReplicationController']
  return ['', 'status', ...(scales.includes(kind) ? ['scale'] : [])]
}

function operation(
  operationId: string,
  description: string,
  tag: string,
  type = 'Status',
  more: object = {},
) {
  const name = type.includes('.') ? type : `io.k8s.apimachinery.pkg.apis.meta.v1.${type}`
  return {
    operationId,
    description,
    tags: [tag],
    produces: ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'],
    responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${name}` } } },
    ...more,
  }
}

function path(name: string, description: string) {
  return { name, in: 'path', required: true, type: 'string', uniqueItems: true, description }
}

function query(params: readonly (readonly [name: string, type: string, description: string])[]) {
  return {
    parameters: params.map(([name, type, description]) => ({
      name,
      in: 'query',
      type,
      description,
      uniqueItems: true,
    })),
  }
}

function body(type: string) {
  const schema = { $ref: `#/definitions/${type}` }
  const { parameters } = query(CHANGE)
  return {
    consumes: ['*/*'],
    parameters: [{ name: 'body', in: 'body', required: true, schema }, ...parameters],
  }
}

function patch() {
  const consumes = ['application/json-patch+json', 'application/merge-patch+json']
  return { ...body('io.k8s.apimachinery.pkg.apis.meta.v1.Patch'), consumes }
}

function typeOf(kind: string, type: string) {
  return {
    type: 'object',
    description: `${kind} is what a cluster has of them.`,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { $ref: `#/definitions/${type}Spec` },
    },
  }
}

function specOf(kind: string) {
  const names = ['replicas', 'selector', 'template', 'strategy', 'minReadySeconds', 'paused']
  const fields = names.map((name) => [
    `${kind[0]!.toLowerCase()}${kind.slice(1)}_${name}`,
    { type: 'string' },
  ])
  return { type: 'object', properties: Object.fromEntries(fields) }
}

function listOf(type: string) {
  return {
    type: 'object',
    required: ['items'],
    properties: { items: { type: 'array', items: { $ref: `#/definitions/${type}` } } },
  }
}

const SCHEMA_PROPS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps'
const SHARED_TYPES = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': {
    type: 'object',
    properties: {
      name: { type: 'string' },
      namespace: { type: 'string' },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      creationTimestamp: { type: 'string', format: 'date-time' },
      schema: { $ref: `#/definitions/${SCHEMA_PROPS}` },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Status': {
    type: 'object',
    properties: { code: { type: 'integer', format: 'int32' }, message: { type: 'string' } },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Patch': { type: 'object' },
  [SCHEMA_PROPS]: {
    type: 'object',
    properties: {
      $ref: { type: 'string' },
      allOf: { type: 'array', items: { $ref: `#/definitions/${SCHEMA_PROPS}` } },
      properties: {
        type: 'object',
        additionalProperties: { $ref: `#/definitions/${SCHEMA_PROPS}` },
      },
    },
  },
}
