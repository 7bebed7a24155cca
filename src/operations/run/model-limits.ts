/** How long answers to models may be: they read every byte. */

export const MAX_MODEL_RESULT_BYTES = 16_384
export const MAX_MODEL_LOG_BYTES = 8_192
