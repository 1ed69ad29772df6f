"""Keys of wireless networks that a person types."""

# ruff: noqa: E501 - a made text is read best on one line

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.names.network_keys import find_network_keys
from transforms.redaction.redact import redact

FRAMES = st.sampled_from((
    "the wifi key is {}, put it into netplan", "das wlan fehlt, ssid ist LAGER-2G und der schlüssel {}", "la clé wifi de l'atelier c'est {} merci",
    "klucz do wifi (siec BIURO_5G) to {}, wpisz go", 'office wifi Fiber-4G, key "{}"',
))  # fmt: skip


@given(
    FRAMES,
    st.lists(st.sampled_from(("heizkessel", "lampe", "canard", "rue", "kwiat")), min_size=2, max_size=4),
    st.integers(1, 2030),
)
def test_the_key_of_a_network_goes_and_its_name_stays(frame: str, words: list[str], number: int) -> None:
    value = f"{'-'.join(words)}-{number}"
    text = frame.format(value)
    assert [text[start:end] for start, end, _ in find_network_keys(text)] == [value]
    assert redact(text, is_user=True).split("[redacted")[0] == frame.split("{}", maxsplit=1)[0]


@each_case("text", [
    "press key F12 for the wifi menu on eth0 wlan0 device-1234", "the wifi keyboard RK-68pro2023 is lame", "the key is in vault-kv2. wifi is up",
    "wifi works. The key of the table is user-id-2024",
])  # fmt: skip
def test_other_keys_and_names_stay(text: str) -> None:
    assert list(find_network_keys(text)) == []


@each_case("part", ["wifi key 1 ", "the wifi key (a1) is b2\n"])
def test_the_search_takes_linear_time(part: str) -> None:
    assert grows_with_text(lambda text: list(find_network_keys(text)), part, 60)
