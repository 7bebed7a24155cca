/** Stands in examples for the service's address; pages replace it with their own. */
export const PLACEHOLDER_ORIGIN = 'https://moonbucket.example'
