"""What no schema can say about a request that is right: such requests are put right before they are sent, so that they must be
accepted. Requests that are to be wrong stay as they are, except that no address of anybody is ever called."""

import copy

import schemathesis

# A shipped protocol with a version on SGM 1.5, which `v1_5` needs.
WITH_1_5 = {"type": "protocol", "id": "courtesy", "version": "1.5"}
SHIPPED = [
    {"type": "protocol", "id": "courtesy"},
    {"type": "protocol", "id": "affect", "version": "1.5"},
    {"type": "metric", "id": "reply-quality"},
    {"type": "blueprint", "id": "service-call"},
]
# What ships and reads talks only: a link of the catalogue leads there, and a text is refused by it.
OF_TALKS = {"agent-quality", "counselling", "disclosure", "escalation", "friction", "promise", "uptake"}
KIND = "Good morning! Thank you so much for your patience today, I really appreciate it."
# A name that nothing answers to, by RFC 6761.
NOWHERE = "https://receiver.invalid/hook"


def interactions(body):
    single = [body.get(key) for key in ("interaction", "interaction_a", "interaction_b")]
    several = body.get("interactions")
    items = single + (several if isinstance(several, list) else [])
    return [item for item in items if isinstance(item, dict)]


@schemathesis.hook
def map_case(context, case):
    right = case.meta is None or case.meta.generation.mode.is_positive
    if right and case.query:
        # Nobody has given one.
        case.query.pop("cursor", None)
    if right and case.query and {"from", "until"} & set(case.query):
        # A month, or a time: not both.
        case.query.pop("period", None)
        # Which of two moments is the later one, no schema says.
        if "from" in case.query:
            case.query.pop("until", None)
    if not isinstance(case.body, dict):
        return case
    # Cases are made from one another and share their parts.
    body = case.body = copy.deepcopy(case.body)
    callback = body.get("callback")
    if isinstance(callback, dict) and isinstance(callback.get("url"), str) and "." in callback["url"]:
        # Where the address itself is what is wrong, it has no host, and nobody is called.
        # What is too long stays too long.
        callback["url"] = NOWHERE.ljust(len(callback["url"]), "x")
    for item in interactions(body):
        if isinstance(item.get("url"), str) and "." in item["url"]:
            # The same holds for files.
            item["url"] = NOWHERE.ljust(len(item["url"]), "x")
    if not right:
        return case
    # Two of three right requests are about something that is there.
    number = len(str(body))
    if "target" in body and number % 3:
        body["target"] = dict(SHIPPED[number % len(SHIPPED)])
    elif isinstance(body.get("target"), dict) and body["target"].get("id") in OF_TALKS:
        body["target"] = dict(SHIPPED[0])
    if isinstance(body.get("options"), dict):
        # It is about files, and of those none is left below.
        body["options"].pop("origin", None)
    if "v1_5" in body:
        body["target"] = dict(WITH_1_5)
        # Whether there is such a role, the transcript says.
        body["v1_5"].get("actant", {}).pop("primary", None)
    if "modality" in body:
        # Which there are, the target says; what is shipped reads these two.
        body["modality"] = ("text", "transcript")[number % 2]
    for at, item in enumerate(interactions(body)):
        if "url" in item:
            # There is no file that everybody can fetch: 400 `url_not_reachable`, as documented.
            del item["url"]
            item.pop("channels", None)
            item.pop("type", None)
            item["content"] = KIND
        elif "content" in item and number % 2:
            # Not always too little signal.
            item["content"] = KIND
        if "interactions" in body:
            # Each has an id of its own.
            item["id"] = f"{at} {item.get('id', '')}"[:256]
    return case
