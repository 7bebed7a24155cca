import { describe, expect, it } from 'vitest'
import { compileSpec, failureOf, openapi } from './compile-spec.ts'

const namesOf = (paths: object) => compileSpec(openapi(paths)).names

describe('a function is called after its operation', () => {
  it.each([
    ['issues/list-for-repo', 'issues_list_for_repo'],
    ['listPetsById', 'list_pets_by_id'],
    ['getHTTPResponse', 'get_http_response'],
    ['listAPIs', 'list_apis'],
    ['listCoreV1NamespacedPod', 'list_core_v1_namespaced_pod'],
    ['Pets.GetAll', 'pets_get_all'],
    ['créerÉlément', 'creer_element'],
    ['end', 'end_'],
    ['2fa', '_2fa'],
    ['__proto__', 'proto'],
    ['constructor', 'constructor'],
  ])('%s: %s', (operationId, name) => {
    const { catalog, names } = compileSpec(openapi({ '/a': { get: { operationId } } }))
    expect(names).toEqual([name])
    expect(Object.keys(catalog.callsOf('shop'))).toEqual([name])
  })

  it.each([
    ['get', '/pets/{pet-id}/toys', 'get_pets_by_pet_id_toys'],
    ['post', '/', 'post_root'],
    ['delete', '/v1.0/Users', 'delete_v1_0_users'],
  ])('without an id by its path: %s %s', (method, path, name) => {
    expect(namesOf({ [path]: { [method]: {} } })).toEqual([name])
  })

  it('whose id has no letters by its path', () => {
    expect(namesOf({ '/a': { get: { operationId: '取得' } } })).toEqual(['get_a'])
  })

  it('with a limit to what anybody would type', () => {
    const [name] = namesOf({ '/a': { get: { operationId: 'x'.repeat(100_000) } } })
    expect(name).toBe('x'.repeat(400))
  })
})

describe('operations that would share a name', () => {
  it('are distinguished by their tags', () => {
    const paths = {
      '/cats': { get: { operationId: 'list', tags: ['Cats'] } },
      '/dogs': { get: { operationId: 'list', tags: ['Dogs'] } },
    }
    const { names, warnings } = compileSpec(openapi(paths))
    expect(names).toEqual(['list_cats', 'list_dogs'])
    expect(warnings).toEqual([
      'shop.json: paths./cats.get: shares the name "list", so it is called "list_cats"',
      'shop.json: paths./dogs.get: shares the name "list", so it is called "list_dogs"',
    ])
  })

  it('are distinguished by their paths', () => {
    const paths = {
      '/cats': { get: { operationId: 'findAll', tags: ['x'] } },
      '/dogs/{id}': { get: { operationId: 'find_all', tags: ['x'] } },
    }
    expect(namesOf(paths)).toEqual(['get_cats', 'get_dogs_by_id'])
  })

  it('do not take a name that another has', () => {
    const paths = {
      '/cats': { get: { operationId: 'list', tags: ['cats'] } },
      '/dogs': { get: { operationId: 'list', tags: ['dogs'] } },
      '/birds': { get: { operationId: 'list_cats' } },
    }
    expect(namesOf(paths)).toEqual(['get_cats', 'get_dogs', 'list_cats'])
  })

  it('fail the build when nothing tells them apart', () => {
    const paths = { '/jobs': { get: {} }, '/jobs/': { get: {} } }
    expect(failureOf(() => namesOf(paths))).toEqual([
      'shop.json: paths./jobs/.get: is the second function named "get_jobs": give one of them another operationId, or exclude the name',
    ])
    const others = openapi({ ...paths, '/ok': { get: {} } })
    expect(compileSpec(others, 'exclude = ["get_jobs"]').names).toEqual(['get_ok'])
  })
})
