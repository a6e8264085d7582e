"""`sonometer mcp` with the official Python client: see clients.sh. The last word that it prints is how many checks it made."""

import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

TEXT = "Thank you so much for waiting. I will send you a replacement today, and I am sorry for the delay."
CARD = "My card is 4111 1111 1111 1111, and you can reach me at ann@example.org any time you want."
TOOLS = ["protocols", "sense", "compare", "fidelity", "explain", "check", "test", "evaluate", "dive_open", "dive_act", "dive_close", "verify_card"]
PROTOCOL = """\
sonometer: 1
id: thanks
version: "1.0"
taxonomy: Signal
language: en
score: any
fidelity: {words: 3}
markers:
  - label: gratitude
    description: Says thanks.
    strong: |
      thank you
      many thanks
    hit: Thank you for that.
    miss: You should thank him.
"""
checks = 0


def check(holds, what):
    global checks
    assert holds, what
    checks += 1


def command(*arguments):
    said = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
    return said.stdout


def text(result):
    return result.content[0].text


def exact(result, at=1):
    return result.content[at].text


async def refused(client, tool, arguments, *parts):
    result = await client.call_tool(tool, arguments)
    check(result.is_error, (tool, arguments, result))
    for part in parts:
        check(part in text(result), (part, text(result)))
    check(result.structured_content is None and result.meta["sonometer/error"]["message"] in text(result), result)


async def sensing(client):
    listed = await client.list_tools()
    check([tool.name for tool in listed.tools] == TOOLS, listed)
    check(all(tool.description and tool.output_schema and tool.annotations.read_only_hint is not None for tool in listed.tools), listed)

    said = await client.call_tool("protocols", {})
    entries = {entry["id"]: entry for entry in said.structured_content["entries"]}
    check({"courtesy", "personal-data", "reply-quality", "billing-dispute"} <= set(entries), list(entries))
    said = await client.call_tool("protocols", {"id": "courtesy"})
    check("Markers:" in text(said) and said.structured_content["entries"][0]["markers"], said)
    said = await client.call_tool("protocols", {"language": "de", "kind": "protocol"})
    check("abuse-de" in text(said) and "courtesy" not in text(said), text(said))

    said = await client.call_tool("sense", {"target": "courtesy", "text": TEXT, "canonical": True})
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(TEXT)
        file.flush()
        wanted = command("sense", "courtesy", file.name, "--json", "--offsets", "chars")
    check(exact(said) + "\n" == wanted, "the exact bytes of the command")
    reading = said.structured_content
    check(reading["score"] == json.loads(wanted)["score"] and reading["triggered"], reading)
    found = reading["evidence"][0]
    check(TEXT[found["start"]:found["end"]] == found["text"], found)
    check(len(text(said)) < 1_500, text(said))

    turns = [{"role": "agent", "content": TEXT}, {"role": "customer", "content": "I am still waiting for an answer."}]
    one = await client.call_tool("sense", {"target": "courtesy", "turns": turns, "canonical": True})
    other = await client.call_tool("sense", {"target": "courtesy", "messages": turns, "canonical": True})
    check(exact(one) == exact(other) and "(agent, turn 1)" in text(one), text(one))

    said = await client.call_tool("sense", {"target": "courtesy", "text": "Hi."})
    check(not said.is_error and not said.structured_content["fidelity"]["sufficient"] and "not measured" in text(said), said)
    said = await client.call_tool("fidelity", {"target": "courtesy", "text": "Hi."})
    check("give a longer text" in said.structured_content["missing"], said)

    said = await client.call_tool("compare", {"target": "courtesy", "a": {"text": "You are wrong again, and I do not care what you want."},
                                              "b": {"text": TEXT}, "canonical": True})
    check(said.structured_content["direction"] == "improvement" and json.loads(exact(said))["delta"], said)

    said = await client.call_tool("explain", {"target": "courtesy", "text": TEXT, "canonical": True})
    check("activation" in text(said) and json.loads(exact(said))["markers"] and said.structured_content["markers"], text(said))
    said = await client.call_tool("explain", {"code": "sm0302"})
    check("Corrected:" in text(said), said)


async def masking(client):
    """Nothing that a protocol masks is in any answer."""
    private = ["4111 1111", "4111", "ann@example"]
    turns = [{"role": "ann@example.org", "content": CARD}]
    wrapped = {"target": "personal-data", "turns": turns, "profile": "discovery", "canonical": True}
    items = [{"text": CARD, "label": False, "id": "ann@example.org"}, {"text": TEXT, "label": True, "id": "b"}]
    for tool, arguments in [
        ("sense", {"target": "personal-data", "text": CARD, "profile": "discovery", "canonical": True}),
        ("explain", {"target": "personal-data", "text": CARD, "canonical": True}),
        ("compare", {"target": "personal-data", "a": {"text": CARD}, "b": {"text": TEXT}, "canonical": True}),
        ("evaluate", {"target": "personal-data", "items": items, "canonical": False}),
    ]:
        said = await client.call_tool(tool, arguments)
        check(not said.is_error, said)
        whole = json.dumps(said.model_dump(mode="json"))
        check(not any(secret in whole for secret in private), (tool, whole))
    said = await client.call_tool("sense", wrapped)
    check(not any(secret in text(said) for secret in private), text(said))
    check(not any(secret in json.dumps(said.structured_content) for secret in private), said.structured_content)


async def authoring(client):
    said = await client.call_tool("check", {"source": PROTOCOL})
    check(said.structured_content["usable"] and said.structured_content["name"] == "thanks@1.0", said)
    broken = PROTOCOL.replace("strong:", "stong:")
    said = await client.call_tool("check", {"source": broken, "fix": True})
    check(said.structured_content["mended"] >= 1 and said.structured_content["source"] == PROTOCOL == exact(said), said)
    said = await client.call_tool("check", {"source": broken})
    finding = said.structured_content["findings"][0]
    check(not said.is_error and not said.structured_content["usable"] and finding["line"] == 11, said)
    check("strong" in finding["fix"] and finding["code"] in text(said), said)

    said = await client.call_tool("test", {"source": PROTOCOL, "coverage": True})
    result = said.structured_content
    check((result["tests"], result["failed"]) == (2, 0) and result["coverage"]["unneeded"][0]["text"] == "many thanks", said)
    said = await client.call_tool("test", {"source": PROTOCOL.replace("miss: You", "miss: Thank you. You")})
    failure = said.structured_content["failures"][0]
    check(failure["kind"] == "miss" and failure["line"] == 15 and failure["why"], said)
    said = await client.call_tool("test", {"target": "billing-dispute"})
    check(said.structured_content["failed"] == 0 and said.structured_content["tests"] > 3, said)

    said = await client.call_tool("sense", {"source": PROTOCOL, "text": "And thank you for all of that."})
    check(said.structured_content["score"] == 1.0, said)
    metric = json.dumps({"sonometer_metric": 1, "id": "m", "version": "1", "components": [{"protocol": "courtesy"}, {"protocol": "affect"}]})
    said = await client.call_tool("check", {"source": metric})
    check(said.structured_content["kind"] == "metric" and said.structured_content["usable"], said)

    items = [{"text": f"Thank you for number {at}.", "label": "polite"} for at in range(6)]
    items += [{"text": f"This is number {at} again.", "label": "plain"} for at in range(6)]
    said = await client.call_tool("evaluate", {"source": PROTOCOL, "items": items, "positive": "polite", "canonical": True})
    figures = {figure["name"]: figure["value"] for figure in said.structured_content["figures"]}
    check(figures["f1"] == 1.0 and json.loads(exact(said)), said)


async def diving(client):
    async def played(walk):
        opened = (await client.call_tool("dive_open", {"stage": "billing-dispute", "seed": 7})).structured_content
        check(opened["objective"] and opened["checkpoints"] and not opened["done"], opened)
        for number, action in enumerate(walk, 1):
            arguments = {"dive_id": opened["dive_id"], "action": action, "turn": number}
            said = (await client.call_tool("dive_act", arguments)).structured_content
            again = (await client.call_tool("dive_act", arguments)).structured_content
            check(again["repeated"] and {**again, "repeated": False} == said and said["turn"] == number, (said, again))
            if said["done"]:
                break
        await refused(client, "dive_act", {"dive_id": opened["dive_id"], "action": "x", "turn": 99}, "turn_conflict", "the next turn is")
        closed = await client.call_tool("dive_close", {"dive_id": opened["dive_id"], "log": True})
        await refused(client, "dive_act", {"dive_id": opened["dive_id"], "action": "x"}, "dive_not_found", "dive_open")
        return closed

    walk = ["I am so sorry about this charge, that must be frustrating. Let me look into it right away.", "I will refund the charge today."]
    closed, again = await played(walk), await played(walk)
    check(exact(closed) == exact(again), "the same seed and actions, the same card")
    card, log = exact(closed), exact(closed, 2)
    with tempfile.TemporaryDirectory() as folder:
        open(f"{folder}/said.txt", "w").write("\n".join(walk) + "\n")
        played = command("dive", "billing-dispute", "--seed", "7", "--actions", f"{folder}/said.txt", "--json")
    check(played.splitlines()[-1] == card, "the exact bytes of the command")
    said = await client.call_tool("verify_card", {"card": card, "actions": log})
    check(said.structured_content["holds"] and len(said.structured_content["checked"]) == 2, said)
    said = await client.call_tool("verify_card", {"card": json.loads(card)})
    check(said.structured_content["holds"], said)
    changed = json.loads(card)
    changed["verdict"]["passed"] = not changed["verdict"]["passed"]
    said = await client.call_tool("verify_card", {"card": json.dumps(changed), "actions": log})
    check(not said.is_error and not said.structured_content["holds"] and said.structured_content["message"], said)

    first = (await client.call_tool("dive_open", {"stage": "billing-dispute"})).structured_content["dive_id"]
    for _ in range(64):
        await client.call_tool("dive_open", {"stage": "billing-dispute"})
    await refused(client, "dive_act", {"dive_id": first, "action": "x"}, "made room for newer ones")


async def refusals(client):
    await refused(client, "sense", {"text": TEXT}, "`target` is missing")
    await refused(client, "sense", {"target": "courtesy", "source": "x", "text": TEXT}, "not both")
    await refused(client, "sense", {"target": "curtesy", "text": TEXT}, "target_not_found", "did you mean `courtesy`")
    await refused(client, "sense", {"target": "courtesy"}, "give `text`, `turns` or `messages`")
    await refused(client, "sense", {"target": "courtesy", "txt": TEXT}, "unknown argument `txt`; did you mean `text`?")
    await refused(client, "sense", {"target": "courtesy", "text": 5}, "text: this is a number; give a text")
    await refused(client, "sense", {"target": "courtesy", "text": "a " * 100_001}, "payload_too_large", "the limit is 200,000", "send it in parts")
    await refused(client, "sense", {"target": "personal-data", "text": "4111 1111 1111 1111 " * 9_000, "canonical": True},
                  "payload_too_large", "the limit is")
    await refused(client, "check", {"source": "x" * 300_000}, "300,000 bytes; the limit is 262,144")
    await refused(client, "test", {"target": "reply-quality"}, "a metric has no tests of its own")
    await refused(client, "evaluate", {"target": "courtesy", "items": [{"text": "x", "label": True}] * 501}, "501 items; the limit is 500")
    await refused(client, "evaluate", {"target": "courtesy", "items": [{"text": "x", "label": True}, {"label": True}]}, "items[1]: there is nothing to measure")
    await refused(client, "explain", {"code": "SM9999"}, "unknown code `SM9999`")
    listed = PROTOCOL.replace("score: any\n", "score: any\nlist_files: {name: /etc/hostname}\n")
    await refused(client, "sense", {"source": listed, "text": TEXT}, "invalid_protocol")
    listed = PROTOCOL.replace("score: any\n", "score: any\nlist_files: {name: names.txt}\n").replace("many thanks", "thanks @name")
    await refused(client, "sense", {"source": listed, "text": TEXT}, "cannot be read by this server")
    await refused(client, "dive_open", {"stage": "billing-dispute", "seed": 2**60}, "the seed is larger")
    await refused(client, "no_such_tool", {}, "no tool `no_such_tool`; there is protocols, sense")


async def pages(client):
    resources = (await client.list_resources()).resources
    addresses = [str(resource.uri) for resource in resources]
    for address in ["sonometer://docs/semantics", "sonometer://cards/courtesy", "sonometer://schemas/stage"]:
        check(address in addresses, addresses)
        said = (await client.read_resource(address)).contents[0]
        check(len(said.text) > 1_000, said)
    check("Accuracy card: courtesy" in (await client.read_resource("sonometer://cards/courtesy")).contents[0].text, "the card")
    check(len((await client.list_resource_templates()).resource_templates) == 2, "templates")
    try:
        await client.read_resource("file:///etc/hostname")
        check(False, "read a file")
    except MCPError as error:
        check("addresses begin with sonometer://" in str(error), error)
    prompts = (await client.list_prompts()).prompts
    check([prompt.name for prompt in prompts] == ["write-protocol", "improve-protocol"], prompts)
    said = await client.get_prompt("write-protocol", {"behaviour": "An agent promises a call back."})
    check("An agent promises a call back." in said.messages[0].content.text, said)
    try:
        await client.get_prompt("write-protocol", {})
        check(False, "a prompt without its argument")
    except MCPError as error:
        check("`behaviour` is missing" in str(error), error)


async def too_large(client):
    """A message over the bound is answered and not waited for, and the next one is served."""
    try:
        await client.call_tool("sense", {"target": "courtesy", "text": "x" * (9 << 20)})
        check(False, "is refused")
    except MCPError as error:
        check("8,388,608 bytes, the limit" in str(error), error)
    check(not (await client.call_tool("fidelity", {"target": "courtesy", "text": TEXT})).is_error, "goes on")


async def many(client):
    """What is asked at once beyond what may wait is refused at once."""
    said = await asyncio.gather(*(client.call_tool("sense", {"target": "affect", "text": TEXT * 300}) for _ in range(40)))
    busy = [one for one in said if one.is_error]
    check(all("wait already; wait for an answer" in text(one) for one in busy), [text(one) for one in busy])
    check(len(said) - len(busy) >= 17, len(busy))


async def speed(client):
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        await client.call_tool("sense", {"target": "courtesy", "text": TEXT})
        times.append(time.perf_counter() - begin)
    times.sort()
    print(f"one `sense` over standard input: p50 {times[100] * 1e6:.0f} µs, p99 {times[198] * 1e6:.0f} µs, client included")


async def own_files():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/thanks.yaml"
        open(path, "w").write(PROTOCOL)
        async with Client(StdioServerParameters(command=COMMAND, args=["mcp", path])) as client:
            said = await client.call_tool("sense", {"target": "thanks", "text": "And thank you for all of that."})
            check(said.structured_content["score"] == 1.0, said)
            said = await client.call_tool("protocols", {})
            check(text(said).startswith("protocol thanks@1.0 [en]: "), text(said))
            check("Says thanks." in (await client.read_resource("sonometer://protocols/thanks")).contents[0].text, "own pages")


@contextlib.contextmanager
def over_http():
    server = subprocess.Popen([COMMAND, "mcp", "--http=127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().split()[-1]
        token = server.stdout.readline().split()[-1]
        yield address, token
    finally:
        server.terminate()
        check(server.wait(10) == 0, "ends when it is told to")


async def http():
    with over_http() as (address, token):
        for mode in ["auto", "legacy"]:
            async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as inner:
                async with Client(streamable_http_client(address, http_client=inner), mode=mode) as client:
                    await sensing(client)
                    await masking(client)
                    await authoring(client)
                    await diving(client)
                    await refusals(client)
                    await pages(client)
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        accept = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        async with httpx2.AsyncClient() as plain:
            said = await plain.post(address, json=body, headers=accept)
            check(said.status_code == 401 and "Authorization: Bearer" in said.text, said)
            said = await plain.post(address, json=body, headers={**accept, "authorization": f"Bearer {token}x"})
            check(said.status_code == 401, said)
            let_in = {**accept, "authorization": f"Bearer {token}"}
            said = await plain.post(address, json=body, headers={**let_in, "origin": "https://example.org"})
            check(said.status_code == 403, said)
            said = await plain.post(address, json=body, headers={**let_in, "host": "example.org"})
            check(said.status_code in (400, 403), said)
            said = await plain.post(address.replace("/mcp", "/"), json=body, headers=let_in)
            check(said.status_code == 404 and "/mcp" in said.text, said)
            said = await plain.post(address, content=b" " * (9 << 20), headers=let_in)
            check(said.status_code == 413 and "8,388,608" in said.text, said)


async def main():
    parameters = StdioServerParameters(command=COMMAND, args=["mcp"])
    for mode in ["auto", "legacy"]:
        async with Client(parameters, mode=mode) as client:
            await sensing(client)
            await masking(client)
            await authoring(client)
            await diving(client)
            await refusals(client)
            await pages(client)
            await too_large(client)
            await many(client)
    async with Client(parameters) as client:
        await speed(client)
    await own_files()
    await http()


COMMAND = sys.argv[1]
asyncio.run(main())
print(f"the Python client of MCP {version('mcp')}, checks: {checks}")
