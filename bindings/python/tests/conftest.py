"""What tests share."""

import pytest

import sonometer

CARD = "My card is 4111 1111 1111 1111, please charge it."
KIND = "Good morning, thank you so much for your help!"
TALK: list[tuple[str | float, ...]] = [
    ("agent", "Good morning, thank you for calling Northlight. How can I help?"),
    ("customer", "Hi 😀. My router is dead again, could you please check the line?", 12.5),
    ("agent", "I'm so sorry about that. Thank you so much for your patience.", 20),
]


@pytest.fixture(scope="session")
def courtesy() -> sonometer.Sensor:
    return sonometer.Sensor("courtesy@1.0")


@pytest.fixture(scope="session")
def private() -> sonometer.Sensor:
    return sonometer.Sensor("personal-data@1.0")
