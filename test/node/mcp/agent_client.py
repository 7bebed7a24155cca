"""Lists the tools of a server or calls one, with the official client for Python."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def ask(server, tool, args):
    async with AsyncExitStack() as stack:
        if "url" in server:
            headers = {"Authorization": f"Bearer {server['token']}"}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            transport = streamable_http_client(server["url"], http_client=http)
        else:
            transport = StdioServerParameters(**server)
        client = await stack.enter_async_context(Client(transport))
        if tool is None:
            return json.dumps([each.name for each in (await client.list_tools()).tools])
        return (await client.call_tool(tool, args)).content[0].text


def flatten(error):
    if not hasattr(error, "exceptions"):
        return [str(error)]
    return [message for each in error.exceptions for message in flatten(each)]


try:
    print(asyncio.run(ask(*json.loads(sys.argv[1]))))
except Exception as error:
    sys.exit("\n".join(flatten(error)))
