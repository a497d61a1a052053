"""OpenSpiel both ways: its games under our searches, our searches at its tables.

Needs `pip install open_spiel`. Every deterministic, sequential game with perfect information can be opened; others are
refused with a sentence. A game for one player becomes one for two, whose second player never moves and gets the
negative of the score.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Hashable, Sequence

from .custom import Game
from .position import OpenGame, Position, open
from .twins import twin

WRITTEN_IN_FULL = frozenset(
    "breakthrough clobber connect_four dots_and_boxes gomoku havannah hex mnk nim othello pentago tic_tac_toe y".split()
)
"""Games whose text and mover tell everything that decides the future (tests/test_openspiel.py looks for
counterexamples). States of all others are told apart by the moves that led there, which is always exact and never joins
two lines."""


class OpenSpielGame(Game):
    """A game of OpenSpiel as a class of ours. Made by `from_openspiel`."""

    def __init__(self, game: Any, key: Callable[[Any], Hashable] | None = None) -> None:
        pyspiel = _installed()
        if not isinstance(game, pyspiel.Game):
            raise ValueError(f"a game of OpenSpiel is a text or what pyspiel.load_game answers, got {game!r}")
        kind = game.get_type()
        for wanted, told, sentence in (
            ("SEQUENTIAL", kind.dynamics.name, "players move at the same time"),
            ("DETERMINISTIC", kind.chance_mode.name, "chance takes part"),
            ("PERFECT_INFORMATION", kind.information.name, "something is hidden from a player"),
        ):
            if told != wanted:
                raise ValueError(f"{kind.short_name} cannot be searched here: {sentence}")
        self.game = game
        self.solitaire = game.num_players() == 1
        self.players = 2 if self.solitaire else game.num_players()
        self.zero_sum = self.solitaire or (self.players == 2 and kind.utility.name == "ZERO_SUM")
        self.scores = (_whole(game.min_utility(), kind.short_name), _whole(game.max_utility(), kind.short_name))
        if self.zero_sum and not self.solitaire:
            most = max(abs(score) for score in self.scores)
            self.scores = (-most, most)
        self.length = game.max_game_length()
        # Where a text is the key, a position may return in another number of moves; where the line is, never.
        self.acyclic = key is None and kind.short_name not in ("othello",) or None
        self._own_key = key
        self._by_text = key is None and kind.short_name in WRITTEN_IN_FULL
        # Bound once, and called without a frame of ours in between: random games are as fast as OpenSpiel allows.
        self.moves = pyspiel.State.legal_actions  # type: ignore[method-assign]
        self.play = pyspiel.State.child  # type: ignore[method-assign]
        self.copy = pyspiel.State.clone  # type: ignore[method-assign]
        self.apply = pyspiel.State.apply_action  # type: ignore[method-assign]

    @property
    def name(self) -> str:
        return f"openspiel-{self.game}"

    def start(self) -> Any:
        return self.game.new_initial_state()

    def payoff(self, state: Any) -> Sequence[int]:
        returns = [_whole(value, self.game.get_type().short_name) for value in state.returns()]
        return [returns[0], -returns[0]] if self.solitaire else returns

    def key(self, state: Any) -> Hashable:
        if self._own_key is not None:
            return self._own_key(state)
        if self._by_text:
            return state.to_string(), state.current_player()
        return tuple(state.history())

    def mover(self, state: Any) -> int:
        return int(state.current_player()) + 1

    def text(self, state: Any) -> str:
        return str(state)

    def move_text(self, state: Any, move: int) -> str:
        return str(state.action_to_string(state.current_player(), move))

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, (str(self.game), self._own_key)


def _opened(text: str, key: Callable[[Any], Hashable] | None) -> OpenSpielGame:
    return OpenSpielGame(_load(text), key)


def _installed() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise ImportError("OpenSpiel is not installed: pip install open_spiel") from None
    return pyspiel


def _load(text: str) -> Any:
    pyspiel = _installed()
    try:
        return pyspiel.load_game(text)
    except pyspiel.SpielError as error:
        raise ValueError(f"OpenSpiel does not open {text}: {str(error).splitlines()[0]}") from None


def _whole(value: float, name: str) -> int:
    if value != int(value):
        raise ValueError(f"{name} has payoffs that are no whole numbers, such as {value}")
    return int(value)


def from_openspiel(game: Any, *, key: Callable[[Any], Hashable] | None = None) -> OpenGame:
    """A game of OpenSpiel (`pyspiel.load_game(...)`, or the text that names it) as one of ours.

    States are told apart by their moves, or by their text where that is known to say everything; `key(state)` replaces
    that where you know better. Moves are texts of OpenSpiel's without blanks.
    """
    return open(OpenSpielGame(_load(game) if isinstance(game, str) else game, key))


@functools.cache
def _bot_class() -> Any:
    pyspiel = _installed()

    class Bot(pyspiel.Bot):  # type: ignore[misc,name-defined]
        """Plays by one of our searches: on our own game where we have it, otherwise through the bridge. Needs a limit
        for each move, `time` or `nodes`."""

        def __init__(
            self,
            game: Any,
            algorithm: str | None = None,
            *,
            time: float | str | None = None,
            nodes: int | str | None = None,
            seed: int = 0,
            **options: Any,
        ) -> None:
            super().__init__()
            if time is None and nodes is None:
                raise ValueError("a bot needs a limit for each move: time or nodes")
            self._twin = twin(game)
            self._opened = from_openspiel(game) if self._twin is None else open(self._twin.spec)
            self._search = (algorithm, dict(time=time, nodes=nodes, seed=seed, **options))

        def step(self, state: Any) -> int:
            """The action it plays."""
            algorithm, conditions = self._search
            position = self._position(state)
            choice = position.analyse(algorithm, **conditions).best_move or position.moves[0]
            wanted = position.play(choice)
            for action in state.legal_actions():
                if self._move(state, action, position) == choice or self._played(state, action, position) == wanted:
                    return int(action)
            raise ValueError(f"OpenSpiel has no move {choice} here")

        def _move(self, state: Any, action: int, position: Position) -> str:
            text = str(state.action_to_string(state.current_player(), action))
            return "".join(text.split()) if self._twin is None else self._twin.move(text, position.moves)

        def _played(self, state: Any, action: int, position: Position) -> Position:
            return position.play(self._move(state, action, position))

        def _position(self, state: Any) -> Position:
            """The same position here: its moves are played again."""
            replay, position = state.get_game().new_initial_state(), self._opened.start()
            for action in state.history():
                position = self._played(replay, action, position)
                replay.apply_action(action)
            return position

        def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
            action = self.step(state)
            return [(legal, float(legal == action)) for legal in state.legal_actions()], action

        def restart(self) -> None:
            """Nothing is kept between games."""

        def restart_at(self, state: Any) -> None:
            """Nothing is kept between games."""

        def provides_policy(self) -> bool:
            return True

    return Bot


def __getattr__(name: str) -> Any:
    """`perfectplay.openspiel.Bot`, made when OpenSpiel is there."""
    if name == "Bot":
        return _bot_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
