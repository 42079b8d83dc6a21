"""What others would find: their rules, written from what is known of them, and one library."""

import re
import sqlite3
from collections.abc import Callable, Sequence
from itertools import starmap
from math import log
from typing import TypeAlias

import bm25s

from tests.retrieval.shelf import Shelf

Ranker: TypeAlias = Callable[[str], Sequence[str]]
"""Returns the folders of the skills that a query finds, best first."""
DEPTH = 50
"""As many hits as a caller of ours may ask for; what is found further down is not found."""
_TOKEN = re.compile(r"[a-z0-9]+")
_TRIMMED = ".,;:!?()[]{}"
_SUMMARY_CHARACTERS = 200


def ares(shelf: Shelf) -> Ranker:
    """ARES: the query as it is to FTS5, over names, descriptions and keywords; where that finds nothing, words counted.

    A word counts where it is the name, a keyword or a capability, or is part of the description.
    """
    rows = shelf.generation.listed
    table = sqlite3.connect(":memory:")
    table.execute("CREATE VIRTUAL TABLE skill USING fts5 (id, name, description, keywords)")
    table.executemany(
        "INSERT INTO skill (rowid, id, name, description, keywords) VALUES (?, ?, ?, ?, ?)",
        (
            (at, row.name, row.name, row.bundle.skill.description, " ".join(row.bundle.skill.keywords))
            for at, row in enumerate(rows)
        ),
    )

    def count(query: str, at: int) -> int:
        skill = rows[at].bundle.skill
        wholes = {skill.name, *map(str.lower, skill.keywords), *map(str.lower, skill.capabilities)}
        terms = {word.strip(_TRIMMED) for word in query.lower().split()} - {""}
        return sum(term in wholes or term in skill.description.lower() for term in terms)

    def rank(query: str) -> list[str]:
        try:
            found = table.execute(
                "SELECT rowid FROM skill WHERE skill MATCH ? ORDER BY rank LIMIT ?", (query.strip(), DEPTH)
            ).fetchall()
        except sqlite3.Error:
            found = []
        if found:
            return [rows[at].found.place for (at,) in found]
        return _by_scores(shelf, [count(query, at) for at in range(len(rows))])

    return rank


def openai4s(shelf: Shelf) -> Ranker:
    """OpenAI4S: smoothed IDF of the words that a document has, half as much again for those in its summary."""
    documents = [_openai4s_document(shelf, at) for at in range(len(shelf.generation.listed))]

    def rank(query: str) -> list[str]:
        words = set(_TOKEN.findall(query.lower()))
        asked = sorted({word for word in words if len(word) > 1} or words)
        having = {word: sum(word in everything for everything, _summary in documents) for word in asked}
        total = len(documents)
        worth = {word: log(1 + (total - having[word] + 0.5) / (having[word] + 0.5)) for word in asked}

        def score(everything: set[str], summary: set[str]) -> float:
            return sum(worth[word] for word in asked if word in everything) + 1.5 * sum(
                worth[word] for word in asked if word in summary
            )

        return _by_scores(shelf, list(starmap(score, documents)))

    return rank


def _openai4s_document(shelf: Shelf, at: int) -> tuple[set[str], set[str]]:
    row = shelf.generation.listed[at]
    described = " ".join(row.bundle.skill.description.split())
    cut = described if len(described) <= _SUMMARY_CHARACTERS else f"{described[: _SUMMARY_CHARACTERS - 3]}..."
    summary = set(_TOKEN.findall(f"{row.name} {cut}".lower()))
    return summary | set(_TOKEN.findall(shelf.body(row).lower())), summary


def library(shelf: Shelf) -> Ranker:
    """The library bm25s as it comes: one text for each skill, of its name, its description and its body."""
    rows = shelf.generation.listed
    texts = [f"{row.name}\n{row.bundle.skill.description}\n{shelf.body(row)}" for row in rows]
    model = bm25s.BM25()
    model.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def rank(query: str) -> list[str]:
        asked = bm25s.tokenize([query], stopwords="en", show_progress=False, return_ids=False)
        return _by_scores(shelf, [float(score) for score in model.get_scores(asked[0])]) if asked[0] else []

    return rank


def _by_scores(shelf: Shelf, scores: Sequence[float]) -> list[str]:
    """Return the first of those that score at all; of equals those first that come first by name."""
    rows = shelf.generation.listed
    order = sorted((at for at in range(len(rows)) if scores[at] > 0), key=lambda at: (-scores[at], rows[at].name))
    return [rows[at].found.place for at in order[:DEPTH]]
