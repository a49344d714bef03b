"""How people state preferences, and to which messages these apply without being mentioned."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memory.search.exchanges import IndexedExchange
from memory.search.index import ExchangeIndex
from memory.search.preferences import is_preference, is_standing_instruction, may_constrain
from memory.search.question import Question
from memory.search.ranking import recalled
from memory.search.requests import (
    asked_in_full,
    asking_sentences,
    asks_of_own_life,
    asks_of_the_world,
    asks_or_wants,
    asks_what_is,
    is_closing,
    is_request,
    wants_to_know,
    without_quotes,
)
from memory.search.supplied_text import supplies_text, without_supplied_text
from memory.search.words import comparable, words_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Always answer in short sentences.", True),
        ("From now on call me Ada.", True),
        ("I don’t eat meat.", True),
        ("D'ora in poi dammi del tu.", True),
        ("Non mi piacciono le riunioni al mattino.", True),
        ("The train leaves at nine.", False),
        ("Il treno parte alle nove.", False),
    ],
)
def test_instructions_and_preferences_are_recognized(text: str, is_one: bool) -> None:
    assert is_preference(text) is is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Always answer in short sentences.", True),
        ("I am in a hurry. Please never use tables.", True),
        ("One thing\n \n\n  never use tables.", True),
        ("D’ora in poi dammi del tu.", True),
        ("I have always lived here.", False),
        ("Non ci vado mai.", False),
    ],
)
def test_standing_instructions_are_recognized(text: str, is_one: bool) -> None:
    assert is_standing_instruction(text) is is_one


@pytest.mark.parametrize(
    "text",
    [
        "Nora is coeliac",
        "mum doesn’t touch butter",
        "no calls on Mondays",
        "can't do mornings",
        "Otto can't stand jazz",
        "stairs make him dizzy",
        "we only buy second-hand",
        "when you write to the landlord, two lines",
        "keep it to one page",
        "Nora soffre di emicrania",
        "le scale no, con la mia anca",
        "al capo non si scrive dopo cena",
        "niente riunioni il lunedì",
        "Otto non sopporta il jazz",
    ],
)
def test_needs_and_limitations_are_recognized(text: str) -> None:
    assert may_constrain(comparable(text), words_of(text))


@pytest.mark.parametrize(
    "text",
    ["The parcel came on Tuesday", "We met Nora at the station", "Otto paid the bill", "Il pacco è arrivato martedì"],
)
def test_events_are_no_limitations(text: str) -> None:
    assert not may_constrain(comparable(text), words_of(text))


@pytest.mark.parametrize(
    ("text", "requests", "asks"),
    [
        ("book a table for four", True, False),
        ("ok, and could you draft an email to Nora", True, False),
        ("What should I cook for Otto?", True, False),
        ("ideas for Saturday?", True, False),
        ("a short speech for Nora's party", True, False),
        ("Che cosa cucino per Otto?", True, False),
        ("prenota un tavolo per quattro", True, False),
        ("mi scrivi due righe per Nora?", True, False),
        ("When is the meeting with Nora?", False, True),
        ("who is my dentist", False, True),
        ("Can you tell me when the train leaves?", False, True),
        ("A che ora parte il treno?", False, True),
        ("At what time does the train leave?", False, True),
        ("by when do I have to pay", False, True),
        ("Entro quando scade il bollo?", False, True),
        ("Di che colore è il divano?", False, True),
        ("Quant’è l’affitto?", False, True),
        ("dov'era la riunione", False, True),
        ("mi ricordi quando arriva il divano?", False, True),
        ("Potresti dirmi con chi parto?", False, True),
        ("Could you remind me where I parked?", False, True),
        ("please tell me when the train leaves", False, True),
        ("please remind me to call Otto", True, False),
        ("Please tell me about lunch at Otto's.", True, False),
        ("Potresti dirmi cosa cucino per Otto?", True, False),
        ("For what it's worth, I met Otto", False, False),
        ("A quanto pare piove", False, False),
        ("the red one or the blue one?", False, False),
        ("I met Otto yesterday", False, False),
    ],
)
def test_requests_are_distinguished_from_questions(text: str, requests: bool, asks: bool) -> None:
    assert (is_request(comparable(text)), wants_to_know(comparable(text))) == (requests, asks)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("why is the sky blue", True),
        ("Who invented the zip?", True),
        ("perché il cielo è blu?", True),
        ("Why do we yawn?", True),
        ("what's the square root of 1764, can't find my calculator", True),
        ("350 fahrenheit in celsius please, my oven is on", True),
        ("come si scrive «qual è»?", True),
        ("un cucchiaio di zucchero quanti grammi sono?", True),
        ("come si pota un ulivo?", True),
        ("dove si butta il vetro?", True),
        ("come si chiamano le gatte?", False),
        ("dove si è trasferito Luca?", False),
        ("quando si sposano Anna e Luca?", False),
        ("Write a poem about fog", True),
        ("why did we choose the blue one?", False),
        ("where is the key?", False),
        ("what is our wifi password?", False),
        ("did I send the poem, or only my letter?", False),
    ],
)
def test_questions_for_general_knowledge_are_recognized(text: str, is_one: bool) -> None:
    assert asks_of_the_world(comparable(text)) is is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("do I have a gym membership?", True),
        ("im in the pet shop, which flavour for the cat?", True),
        ("qual è il mio numero di telefono", True),
        ("how do we share our allotment?", True),
        ("whats the latest I can collect Nora", True),
        ("how do I get wine out of a carpet?", False),
        ("come faccio a smacchiare una camicia?", False),
        ("my boiler man comes on Tuesday", False),
        ("what should I cook for my sister?", False),
        ("how far is the sun from us?", False),
        ("ci sono più pecore o persone in Galles?", False),
    ],
)
def test_questions_about_ones_own_life_are_recognized(text: str, is_one: bool) -> None:
    assert asks_of_own_life(comparable(text)) is is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("What is the capital of Peru?", True),
        ("whats the name of the vet", True),
        ("chi è il fornitore?", True),
        ("what is my number?", False),
        ("where is the vet?", False),
    ],
)
def test_questions_what_something_is_are_recognized(text: str, is_one: bool) -> None:
    assert asks_what_is(comparable(text)) is is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("perfect, thanks", True),
        ("Good night!", True),
        ("ok grazie mille", True),
        ("perfetto, a domani", True),
        ("ok va bene, ciao", True),
        ("lol ok cool. night x", True),
        ("", False),
        ("the dog is ill", False),
        ("thanks, and the address?", False),
        ("ok, book it", False),
        ("Marta", False),
        ("17.5% of 2,240", False),
        ("thanks " * 100, False),
    ],
)
def test_thanks_and_goodbyes_are_recognized(text: str, is_one: bool) -> None:
    assert is_closing(text) is is_one


def test_quotes_are_left_out_of_questions_about_language() -> None:
    assert without_quotes("how do you spell “necessary”?") == "how do you spell  ?"
    assert without_quotes("come si dice «il conto» in inglese?") == "come si dice   in inglese?"
    assert without_quotes("who wrote “Dune”?") == "who wrote “Dune”?"


def test_a_question_about_ones_own_life_needs_fewer_shared_words() -> None:
    said = "orchestra rehearses in the barn"
    assert recalled_for("which violin teacher or orchestra do I have on Sunday morning?", said) == [said]
    assert not recalled_for("do orchestras have a conductor, a leader, a manager and a librarian?", said)


def recalled_for(ask: str, *said: str, language: str = "en") -> list[str]:
    """The snippets of ``said``, among others, for a question weeks later."""
    others = [
        *("the boiler man comes on Tuesday", "paid the gas bill, 84 euros", "the parcel is at the neighbour's"),
        *("gym card renewed", "new tyres ordered", "the spare key is with Ugo"),
    ]
    index = ExchangeIndex()
    for number, text in enumerate([*others, *said]):
        at = NOW + timedelta(days=number)
        index.add(
            IndexedExchange(
                id=UUID(int=number), at=at, session_id=str(number), message=text, response="", language=language
            )
        )
    question = Question(text=ask, now=NOW + timedelta(days=60), language=language)
    return [each.text.partition(": ")[2] for each in recalled(index, question)]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        ("where shall we have dinner on Friday?", "I'm allergic to shellfish"),
        ("suggest a walk for tomorrow", "my knee can't take steep paths any more"),
        ("book me a seat to Turin", "the aisle please, I get sick at the window"),
        ("find a slot for the electrician", "no appointments before ten, I sleep late"),
        ("consigliami un ristorante", "sono celiaco, niente farina"),
        (
            "plan a dinner for Saturday: asparagus and burrata to begin, gnocchi, sorbet, meringue, for Bartholomew",
            "I'm allergic to shellfish",
        ),
        ("how can I feed twelve guests at lunch on Sunday?", "I'm allergic to shellfish"),
    ],
)
def test_a_preference_is_recalled_for_a_request_that_does_not_mention_it(ask: str, said: str) -> None:
    assert recalled_for(ask, said) == [said]


def test_a_question_is_no_preference() -> None:
    said = ("sono celiaco, niente farina", "quando si mangia a Napoli?")
    assert recalled_for("consigliami un ristorante", *said, language="it") == [said[0]]
    said = ("I'm allergic to shellfish", "do you know a place without shellfish?")
    assert recalled_for("where shall we have dinner?", *said) == [said[0]]


def test_a_preference_of_a_person_is_recalled_if_the_request_names_them() -> None:
    assert recalled_for("draft a note to Ottavia", "tell Ottavia nothing in writing, she rings or nothing") != []
    assert recalled_for("draft a note to Pietro", "we had Ottavia over, she never sits still") == []


@pytest.mark.parametrize(
    "ask",
    [
        "who invented the sandwich?",
        "write a poem about the moon",
        "how is tofu made",
        "translate into French: the table is laid for lunch",
        "perché il pane lievita?",
        "how do I get wax off a dinner table?",
        "recipe for a marble cake please, 1lb tin",
        "traduci in spagnolo «a che ora è la cena?»",
    ],
)
def test_no_preference_is_recalled_for_a_general_request(ask: str) -> None:
    assert recalled_for(ask, "I'm allergic to shellfish", "always write short sentences please") == []


def test_a_text_to_write_belongs_to_no_other_occasion() -> None:
    aisle = "vorrei il corridoio, dal finestrino sto male"
    assert recalled_for("prenota un biglietto per Torino", aisle, language="it") == [aisle]
    assert recalled_for("scrivi un biglietto di condoglianze", aisle, language="it") == []
    assert recalled_for("prenota un biglietto per Torino e scrivi ad Anna l'orario", aisle, language="it") == [aisle]


def test_applicable_preferences_leave_room_for_the_answer() -> None:
    rules = [
        f"never book the {word} room for lunch" for word in ("red", "blue", "grey", "pink", "gold", "white", "black")
    ]
    rules += [
        f"no lunch with {name}, he can't eat cheese"
        for name in ("Abe", "Bob", "Cyd", "Dee", "Edo", "Fay", "Gil", "Hal", "Ike", "Jon", "Kit")
    ]
    found = recalled_for(
        "book the summer party lunch at the boathouse", *rules, "the boathouse has 40 seats and no kitchen"
    )

    assert "the boathouse has 40 seats and no kitchen" in found


@pytest.mark.parametrize(
    "question",
    ["at what time does Otto eat?", "please tell me when Otto eats", "mi ricordi quando è da noi Otto?"],
)
def test_preferences_do_not_apply_to_questions(question: str) -> None:
    assert recalled_for(question, "Otto eats at noon", "no cheese for Nora, ever") == ["Otto eats at noon"]


def test_a_request_is_found_at_the_ends_of_a_long_message() -> None:
    pasted = "The table was laid. " * 500
    assert is_request(comparable(f"Draft an answer to this:\n{pasted}"))
    assert is_request(comparable(f"{pasted}\nCould you draft an answer to this?"))
    assert not is_request(comparable(f"{pasted} Draft an answer. {pasted}"))


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        ("Is a tomato a fruit? We had an argument at lunch.", "Is a tomato a fruit?"),
        ("Non ci dormo. Che giorno arriva il falegname? Grazie!", "Che giorno arriva il falegname?"),
        ("I'm off to the shop. Write me a list for the party.", "Write me a list for the party."),
        ("who won in 1998\nwe were arguing", "who won in 1998"),
        ("Where is “Moby-Dick?”! Need it now.", "Where is “Moby-Dick?”!"),
        ("The roof leaks. It rains.", "The roof leaks. It rains."),
        ("Where is the key?", "Where is the key?"),
        ("  ", "  "),
        ("It rains. " * 200 + "Where is the key?", "Where is the key?"),
        (text := "It rains. " * 100 + "Is it so? " + "It rains. " * 100, text),
    ],
)
def test_sentences_that_ask_are_distinguished_from_others(text: str, asking: str) -> None:
    assert asking_sentences(text) == asking


@pytest.mark.parametrize(
    ("text", "is_all"),
    [
        ("I want to spend less on heating. What are some ways to do that?", True),
        ("La caldaia perde acqua. Che si fa?", True),
        ("Ho parlato con Marco del trasloco. A che ora è la cena?", False),
        ("I'm at the shop. Is there milk?", False),
    ],
)
def test_a_question_comes_with_the_text_to_which_it_refers(text: str, is_all: bool) -> None:
    assert asking_sentences(text) != text
    assert asked_in_full(text) == (text if is_all else asking_sentences(text))


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("translate into French: the shop is closed", ""),
        ("translate into French: where is the station?", ""),
        ("Translate this for Léa\nthe table is laid", "this for Léa"),
        ("traduci in inglese: l'ombrello è rotto", ""),
        ("Salve. Mi traduci per Léa in francese: la tavola è pronta", "Salve. Mi  per Léa"),
        ("please fix this sentence: him and me was late", "please"),
        ("Salve!!!\n\n... - Mi traduci in inglese: l'ombrello è rotto", "Salve!!!\n\n... - Mi"),
        ("sistema la frase: io e te è in ritardo", ""),
        ("make this sound kinder for my boss: no", "kinder for my boss"),
        ("rewrite this:\nDear all,\n\nI write to you.\n\nBest, Ann", ""),
        ("translate “the key” into Dutch, for Léa", "into Dutch, for Léa"),
        (f'translate into Dutch "{"the key " * 100}"', ""),
        ("translate into French: the shop is closed\n\nAlso, when is the dentist?", "Also, when is the dentist?"),
        ("translate into French: see you at 8\nand remind me where the dinner is", "and remind me where the dinner is"),
        ("my plan: swim, then tea", "my plan: swim, then tea"),
    ],
)
def test_a_supplied_text_is_left_out_of_a_message(text: str, rest: str) -> None:
    assert without_supplied_text(text) == rest


@pytest.mark.parametrize(
    "text",
    [
        "check this for me: what time does my train leave",
        "shorten this week's list: what can go?",
        "riassumi questa settimana:\ncosa ho con Rossi e il dentista",
        "controlla questo: quando parte Luca",
        "I want to improve my grammar: which book did Anna recommend",
        "I have to proofread Anna's thesis\nwhen did she want it back?",
        "translate the letter from Mr Hall\nI got it yesterday. Does it say when the lease ends?",
        "traduci la lettera per Rossi\n\nquando è l'appuntamento?",
        "Translate the recipe “Ragù” that I saved",
        "fix the gate: it squeaks",
        "my plan: swim, then tea",
        "Summarise: what did we decide?",
        "correct me if I'm wrong: when is my dentist appointment?",
        "is this correct: my rent is 900?",
        "The lease is correct. One question:\nhow much rent do I pay Mr Hall?",
        "that would sound good\nwhen is Anna's party?",
        "check Anna's text: when is her party?",
        "Check the text I sent Anna: what did it say?",
        "correct the invoice for Rossi: it should be 950",
        "correct this: is the dentist on Monday?",
        "reword the email to Rossi: mention the rent we agreed on",
        "shorten the call with Anna at 15:30 on Friday and tell Bruno",
        'What is the correct address of the "Blue Door"?',
        "La sveglia suona alle 7\na che ora è la riunione con Bianchi?",
        "Devo accorciare i pantaloni: come si chiama la mia sarta?",
        "riscrivi l'invito per la cena delle 20:30 con Rossi",
        "El traductor viene a las 10:30",
    ],
)
def test_a_message_that_supplies_no_text_is_unchanged(text: str) -> None:
    assert not supplies_text(text)
    assert without_supplied_text(text) == text


@pytest.mark.parametrize("run", ["\n", ".", ", ", "?", "!_", ",,,,,,,,\n"], ids=repr)
def test_long_run_of_marks_takes_linear_time(run: str) -> None:
    """Quadratic time would be minutes for each, and hold the interpreter's lock."""
    marks = run * (60_000 // len(run))
    assert without_supplied_text(f"where is it{marks}x") == f"where is it{marks}x"
    assert without_supplied_text(f"translate: it{marks}x") == ""
    assert not asks_or_wants(f"it{marks}x")
    assert not is_standing_instruction(f"it{marks}x")


def test_a_supplied_text_is_searched_only_by_a_search() -> None:
    question = Question(text="traduci in inglese: il cancello è chiuso", now=NOW, language="it")
    assert question.message == ""
    assert replace(question, is_search=True).message == question.text
