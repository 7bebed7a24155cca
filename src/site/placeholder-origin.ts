/** The service's URL in examples; pages replace it. */
export const PLACEHOLDER_ORIGIN = 'https://moonbucket.example'
