/** Setup instructions for common MCP hosts. */

export interface McpHost {
  readonly name: string
  /** Markdown code spans allowed. */
  readonly text: string
  /** Where the code goes. */
  readonly place: string
  readonly code: string
  readonly language: 'sh' | 'json' | 'toml'
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

/** @param origin The service's. */
export function mcpHosts(origin: string): McpHost[] {
  const url = `${origin}/mcp`
  return [
    {
      name: 'Claude Code',
      text: 'One command; `--scope user` makes it known in every project.',
      place: 'a terminal',
      language: 'sh',
      code: `claude mcp add --transport http moonbucket ${url} \\
  --header "Authorization: Bearer $MOONBUCKET_TOKEN"`,
    },
    {
      name: 'Claude Desktop',
      text: 'With OAuth: Settings, Connectors, Add custom connector, and the address above. With a token: `claude_desktop_config.json`, where the bridge `mcp-remote` speaks for it.',
      place: 'claude_desktop_config.json',
      language: 'json',
      code: json({
        mcpServers: {
          moonbucket: {
            command: 'npx',
            args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTHORIZATION}'],
            env: { AUTHORIZATION: 'Bearer <token>' },
          },
        },
      }),
    },
    {
      name: 'Cursor',
      text: '`.cursor/mcp.json` in a project, or `~/.cursor/mcp.json` for all of them.',
      place: 'mcp.json',
      language: 'json',
      code: json({
        mcpServers: {
          moonbucket: {
            url,
            headers: { Authorization: 'Bearer ${env:MOONBUCKET_TOKEN}' },
          },
        },
      }),
    },
    {
      name: 'VS Code',
      text: '`.vscode/mcp.json`; the editor asks for the token once and keeps it.',
      place: '.vscode/mcp.json',
      language: 'json',
      code: json({
        inputs: [
          {
            type: 'promptString',
            id: 'moonbucket-token',
            description: 'Token for Moonbucket',
            password: true,
          },
        ],
        servers: {
          moonbucket: {
            type: 'http',
            url,
            headers: { Authorization: 'Bearer ${input:moonbucket-token}' },
          },
        },
      }),
    },
    {
      name: 'Codex CLI',
      text: '`~/.codex/config.toml`; the token stays in the environment.',
      place: '~/.codex/config.toml',
      language: 'toml',
      code: `[mcp_servers.moonbucket]
url = "${url}"
bearer_token_env_var = "MOONBUCKET_TOKEN"`,
    },
  ]
}
