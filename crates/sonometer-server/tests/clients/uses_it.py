"""What a caller does with the client that openapi-python-client made of the description: `uses_it.py ADDRESS TOKEN`. Also read by
`mypy --strict`, so that a poor type fails."""

import json
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from sonometer_client import AuthenticatedClient
from sonometer_client.api.dives import close_dive, get_dive, list_keys, open_dive, step_in_dive
from sonometer_client.api.jobs import get_job
from sonometer_client.api.sensing import check_fidelity, compare, sense, sense_batch, sense_stream
from sonometer_client.api.usage import export_charges, get_usage, list_charges
from sonometer_client.models import (
    Batch,
    Charges,
    CheckFidelityRequest,
    CloseDiveRequest,
    Compare,
    CompareRequest,
    CompleteData,
    Dive,
    DiveOpen,
    DiveState,
    DiveStep,
    Error,
    ErrorCode,
    FidelityCheck,
    Job,
    JobStatus,
    Keys,
    OpenDiveRequest,
    Profile,
    Queued,
    ResonanceData,
    Segment,
    Sense,
    SenseBatchRequest,
    SenseOptions,
    SenseOptionsProfile,
    SenseRequest,
    SenseStreamRequest,
    SenseStreamStream,
    StageCard,
    StepInDiveRequest,
    TargetRef,
    TargetRefType,
    TextInteraction,
    TextItem,
    TranscriptInteraction,
    Usage,
)

KIND = "Good morning! Thank you so much for your patience today, I really appreciate it."
LATE = "Thank you, that is very kind of you. My parcel is late."
T = TypeVar("T")


def is_a(kind: type[T], found: object) -> T:
    assert isinstance(found, kind), found
    return found


def events(lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a stream: name and data."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def senses(client: AuthenticatedClient, courtesy: TargetRef) -> None:
    options = SenseOptions(profile=SenseOptionsProfile.DETAILED, offsets=True)
    body = SenseRequest(target=courtesy, interaction=TextInteraction(content=KIND), options=options)
    reading = is_a(Sense, sense.sync(client=client, body=body))
    assert reading.profile is Profile.DETAILED and reading.score > 0, reading
    assert reading.ics.consumed > 0 and courtesy.id == reading.target.id, reading
    assert all(piece.metamarker and piece.score >= 0 for piece in reading.evidence)
    talk = TranscriptInteraction(segments=[Segment(role="agent", content=KIND, timestamp=0), Segment(role="customer", content=LATE)])
    assert is_a(Sense, sense.sync(client=client, body=SenseRequest(target=courtesy, interaction=talk))).score > 0
    # The same again, by its key: the same bytes for nothing.
    answers = [sense.sync_detailed(client=client, body=body, idempotency_key="order-7") for _ in range(2)]
    assert answers[0].content == answers[1].content
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    wanted = CompareRequest(target=courtesy, interaction_a=TextInteraction("Read the manual."), interaction_b=TextInteraction(KIND))
    refused = is_a(Error, compare.sync(client=client, body=wanted))
    assert refused.error.code is ErrorCode.INSUFFICIENT_SIGNAL, refused
    wanted.interaction_a = TextInteraction("What do you want this time? Just read the manual, everybody else can.")
    assert is_a(Compare, compare.sync(client=client, body=wanted)).delta.score_change > 0
    checked = check_fidelity.sync(client=client, body=CheckFidelityRequest(target=courtesy, interaction=TextInteraction(KIND)))
    assert is_a(FidelityCheck, checked).fidelity.sufficient


def refuses(client: AuthenticatedClient) -> None:
    nothing = TargetRef(type_=TargetRefType.PROTOCOL, id="no-such-protocol")
    answer = sense.sync_detailed(client=client, body=SenseRequest(target=nothing, interaction=TextInteraction(KIND)))
    assert answer.status_code == 404
    assert is_a(Error, answer.parsed).error.code is ErrorCode.TARGET_NOT_FOUND


def batches(client: AuthenticatedClient, courtesy: TargetRef) -> None:
    def body(count: int) -> SenseBatchRequest:
        return SenseBatchRequest(target=courtesy, interactions=[TextItem(content=KIND, id=str(n)) for n in range(count)])

    batch = is_a(Batch, sense_batch.sync(client=client, body=body(3)))
    assert [result.id for result in batch.results] == ["0", "1", "2"] and batch.ics.total_consumed > 0
    # Fifty are a job.
    queued = is_a(Queued, sense_batch.sync(client=client, body=body(50)))
    job = is_a(Job, get_job.sync(client=client, id=queued.job_id))
    for _ in range(300):
        if job.status is not JobStatus.PROCESSING:
            break
        time.sleep(0.1)
        job = is_a(Job, get_job.sync(client=client, id=queued.job_id))
    assert job.status is JobStatus.COMPLETED, job
    assert is_a(Batch, job.result).summary.total == 50


def streams(client: AuthenticatedClient, courtesy: TargetRef) -> None:
    now = SenseStreamStream(emit_partial=True, interval_ms=0)
    body = SenseStreamRequest(target=courtesy, interaction=TextInteraction(KIND), stream=now)
    whole = is_a(str, sense_stream.sync(client=client, body=body))
    told = list(events(whole.splitlines()))
    # And event by event, while it comes.
    asked = sense_stream._get_kwargs(body=body)
    with client.get_httpx_client().stream(**asked) as answer:
        last_id = ""
        live: list[tuple[str, dict[str, Any]]] = []
        for line in answer.iter_lines():
            last_id = line.removeprefix("id: ") if line.startswith("id: ") else last_id
            live.extend(events([f"event: {told[len(live)][0]}", line]) if line.startswith("data: ") else [])
    assert live == told, (live, told)
    resonances = [ResonanceData.from_dict(data) for name, data in told if name == "resonance"]
    assert resonances and all(resonance.metamarker for resonance in resonances)
    name, data = told[-1]
    assert name == "complete" and CompleteData.from_dict(data).ics_consumed > 0
    # There is no more to tell.
    assert sense_stream.sync_detailed(client=client, body=body, last_event_id=last_id).status_code == 204


def dives(client: AuthenticatedClient) -> None:
    opened = is_a(DiveOpen, open_dive.sync(client=client, body=OpenDiveRequest(stage_id="billing-dispute", seed=7)))
    sorry = "I am so sorry about that. I understand how frustrating it is to call for the third time."
    step = step_in_dive.sync(opened.dive_id, client=client, body=StepInDiveRequest(action=sorry, turn=1))
    assert is_a(DiveStep, step).observation.turn == 1
    card = is_a(StageCard, close_dive.sync(opened.dive_id, client=client, body=CloseDiveRequest(summary="Agreed.")))
    assert card.dive_id == opened.dive_id and card.totals.turns == 1
    dive = is_a(Dive, get_dive.sync(opened.dive_id, client=client))
    assert dive.status is DiveState.CLOSED and dive.stagecard == card
    keys = is_a(Keys, list_keys.sync(client=client))
    assert card.signature.startswith(f"ed25519:{keys.keys[0].key_id}:")


def bills(client: AuthenticatedClient) -> None:
    usage = is_a(Usage, get_usage.sync(client=client))
    charges = is_a(Charges, list_charges.sync(client=client, limit=5))
    assert usage.used > 0 and charges.charges[0].ics_consumed > 0 and charges.charges[0].kind, charges
    assert is_a(str, export_charges.sync(client=client)).startswith("timestamp,")


def main() -> None:
    address, token = sys.argv[1:]
    with AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True) as client:
        courtesy = TargetRef(type_=TargetRefType.PROTOCOL, id="courtesy")
        senses(client, courtesy)
        refuses(client)
        batches(client, courtesy)
        streams(client, courtesy)
        dives(client)
        bills(client)


main()
