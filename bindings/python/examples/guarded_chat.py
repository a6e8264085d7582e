"""A chat endpoint by FastAPI whose model never sees private data, and whose browser never sees a placeholder.

    pip install "sonometer[openai]" fastapi uvicorn
    OPENAI_API_KEY=… uvicorn --factory examples.guarded_chat:app
    curl -N -d '{"text": "I am ann@example.org. Write my signature."}' -H 'content-type: application/json' http://127.0.0.1:8000/chat

The answer streams as server-sent events: texts, then `done`; or `refused` with what the guard says, which holds no text.
"""

# mypy: ignore-errors
# pyright: basic, reportMissingImports=false
# Its packages are not there where types are checked; bindings/python/evals/run runs it with them.

import json
from collections.abc import AsyncIterator
from typing import Any

import openai
from fastapi import FastAPI
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel

import sonometer


class Ask(BaseModel):
    """What the browser sends."""

    text: str


def app(client: openai.AsyncOpenAI | None = None, model: str = "gpt-4o-mini") -> FastAPI:
    """The application, with a client of one's own for tests."""
    guarded = sonometer.guard(client or openai.AsyncOpenAI(), mask="personal-data", placeholders=True)
    api = FastAPI()

    @api.post("/chat")
    async def chat(ask: Ask) -> Any:
        try:
            # Before the first byte: a refused request has the status that says so.
            stream = await guarded.chat.completions.create(
                model=model, messages=[{"role": "user", "content": ask.text}], stream=True
            )
        except openai.BadRequestError as error:
            return JSONResponse({"refused": error.message}, status_code=400)
        return StreamingResponse(events(stream), media_type="text/event-stream")

    return api


async def events(stream: openai.AsyncStream[Any]) -> AsyncIterator[str]:
    """The answer as the browser reads it. A browser that leaves closes the stream, and with it the request to the provider."""
    try:
        async for chunk in stream:
            if chunk.choices and (text := chunk.choices[0].delta.content):
                yield f"data: {json.dumps({'text': text})}\n\n"
        yield "event: done\ndata: {}\n\n"
    except openai.APIError as error:
        yield f"event: refused\ndata: {json.dumps({'refused': error.message})}\n\n"
    finally:
        await stream.close()
