"""Your own game as a class."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Callable, Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _native, limits

if TYPE_CHECKING:
    from .position import OpenGame, Position

OPTIONAL = ("key", "mover", "text", "move_text", "heuristic", "evaluate", "copy", "apply")


class Game:
    """The rules of a game, to be subclassed. Four methods are enough; `open` makes a game of it that every algorithm
    takes.

    States are any objects that nobody changes after they were made; they must be hashable, or `key` must be given.

    >>> import perfectplay as pp
    >>> class Matches(pp.Game):
    ...     "Take one to three matches; who takes the last one wins. A state: matches left, who is to move."
    ...     length = 10
    ...     def start(self): return (10, 1)
    ...     def moves(self, state): return range(1, min(3, state[0]) + 1)
    ...     def play(self, state, taken): return (state[0] - taken, 3 - state[1])
    ...     def payoff(self, state): return -1 if state[1] == 1 else 1  # who is to move has lost
    >>> pp.check_game(Matches()) > 0
    True
    >>> report = pp.open(Matches()).start().solve()
    >>> report.verdict, report.best_move
    ('player 1 wins', '2')
    """

    players: int = 2
    zero_sum: bool | None = None
    """Whether two players have opposed interests; yes if there are two, unless you say no."""
    scores: tuple[int, int] = (-1, 1)
    """The least and the greatest score of a player. With two opposed players, those of the first."""
    acyclic: bool | None = None
    """Whether no position can occur twice in a game. Yes if `length` is given; otherwise no, unless you say yes."""
    length: int | None = None
    """No game takes more moves, if that is known."""
    states: float | None = None
    """There are at most so many states, if that is known."""
    outcomes: Sequence[int] | None = None
    """All scores of the first player that can happen, if they are fewer than `scores` allows."""

    @property
    def name(self) -> str:
        """What reports and proofs call it."""
        return f"python-{type(self).__name__}"

    def start(self) -> Any:
        """The state in which the game begins."""
        raise NotImplementedError(f"{type(self).__name__} must define start()")

    def moves(self, state: Any) -> Iterable[Any]:
        """The legal moves. None: the game is over."""
        raise NotImplementedError(f"{type(self).__name__} must define moves(state)")

    def play(self, state: Any, move: Any) -> Any:
        """The state after a move. The state it is given must stay as it is."""
        raise NotImplementedError(f"{type(self).__name__} must define play(state, move)")

    def payoff(self, state: Any) -> int | Sequence[int]:
        """What a finished game is worth: the first player's score, or the scores of all players."""
        raise NotImplementedError(f"{type(self).__name__} must define payoff(state)")

    if TYPE_CHECKING:
        # A class need not have these.

        def key(self, state: Any) -> Hashable:
            """What tells states apart: equal keys mean equal states. Without it, the state itself."""

        def mover(self, state: Any) -> int:
            """Who moves, counted from 1. Without it, players move in turn."""

        def text(self, state: Any) -> str:
            """The state to look at, in one line or several."""

        def move_text(self, state: Any, move: Any) -> str:
            """A move as people write it. Without it, `str(move)`."""

        def heuristic(self, state: Any) -> float | Sequence[float]:
            """A guess from -1 to 1 at what an unfinished state is worth to the first player, or to each."""

        def evaluate(self, states: list[Any]) -> ArrayLike:
            """The same for many states at once, as an array with a row per state: a network, say."""

        def copy(self, state: Any) -> Any:
            """A copy that `apply` may change. For speed: random games use both."""

        def apply(self, state: Any, move: Any) -> object:
            """Plays a move in a state that nobody else has."""

    def method(self, name: str) -> Callable[..., Any] | None:
        """One of the methods that a class need not have."""
        return getattr(self, name, None)

    def facts(self) -> dict[str, Any]:
        """What is true of the game, complete."""
        zero_sum = self.players == 2 if self.zero_sum is None else self.zero_sum
        players = limits.whole("players", self.players, 2, 6)
        try:
            low, high = (limits.whole("scores", score, -(2**31) + 1, 2**31 - 1) for score in self.scores)
        except (TypeError, ValueError):
            sentence = f"scores must be (least, greatest), whole numbers of 32 bits, got {self.scores!r}"
            raise ValueError(sentence) from None
        each = [(low, high)] * players
        if zero_sum and self.players == 2:
            each = [(low, high), (-high, -low)]
        return {
            "players": players,
            "zero_sum": zero_sum,
            "acyclic": self.length is not None if self.acyclic is None else self.acyclic,
            "alternating": self.method("mover") is None or bool(getattr(self, "alternating", False)),
            "scores": each,
            "outcomes": None if self.outcomes is None else sorted(self.outcomes),
            "length": None if self.length is None else limits.whole("length", self.length, 0, 2**32 - 1),
            "states": None if self.states is None else float(self.states),
        }

    def native(self) -> _native.Game:
        """The game for the native half. It keeps what it met, for as long as the same object lives."""
        methods: dict[str, Any] = {name: getattr(self, name) for name in ("start", "moves", "play", "payoff")}
        methods.update({name: self.method(name) for name in OPTIONAL})
        return _native.open_custom(self.name, methods, self.facts())

    def open(self) -> OpenGame:
        """The same as `perfectplay.open(self)`."""
        from .position import open

        return open(self)


class Evaluated(Game):
    """A game that has a name, steered by your own function: `evaluate(positions)` answers an array with a guess from -1
    to 1 for each, at what it is worth to the first player (or a row with a guess per player).

    >>> import numpy as np, perfectplay as pp
    >>> def middle(positions):
    ...     cells, _ = pp.features(positions)
    ...     return np.zeros(len(cells))
    >>> steered = pp.open(pp.Evaluated("connect-four:4x4", middle))
    >>> steered.start().search("ubfm", eval="heuristic").run(nodes=100)
    'nodes'
    """

    def __init__(self, game: str | OpenGame, evaluate: Callable[[list[Position]], ArrayLike]) -> None:
        from .position import OpenGame, open

        self._game = game if isinstance(game, OpenGame) else open(game)
        self._evaluate = evaluate
        facts = self._game.facts
        self.players = facts.players
        self.zero_sum = facts.zero_sum and facts.players == 2
        self.scores = (min(low for low, _ in facts.scores), max(high for _, high in facts.scores))
        if self.zero_sum:
            self.scores = (facts.scores[0][0], facts.scores[0][1])
        self.acyclic = facts.acyclic
        self.length = facts.length
        self.states = facts.states
        self.outcomes = facts.outcomes
        self.alternating = facts.alternating

    @property
    def name(self) -> str:
        return self._game.spec

    def start(self) -> Position:
        return self._game.start()

    def moves(self, state: Position) -> Iterable[str]:
        return state.moves

    def play(self, state: Position, move: str) -> Position:
        return state.play(move)

    def payoff(self, state: Position) -> Sequence[int]:
        payoff = state.payoff
        assert payoff is not None, "asked of finished games only"
        return payoff

    def key(self, state: Position) -> Hashable:
        # A text may leave the past out; the moves never do.
        return state.line if self._game.facts.history else state.text

    def mover(self, state: Position) -> int:
        return state.mover or 1

    def text(self, state: Position) -> str:
        return str(state)

    def evaluate(self, states: list[Position]) -> ArrayLike:
        return self._evaluate(states)


class BrokenLaw(ValueError):
    """A class breaks a law of games."""


def check_game(game: Game, *, games: int = 50, states: int = 2000, seed: int = 0) -> int:
    """Runs the laws of games on a class: random games, and all states near the start. Raises `BrokenLaw` with a
    sentence that names the law and the moves that lead there; answers how many states it looked at.

    The laws: the same state always has the same moves, none twice; `play` leaves its state alone and answers the same
    each time; equal keys mean equal states (same moves, same mover, same payoff, same keys after every move), and equal
    states have equal keys; payoffs, movers, lengths are as the class says; guesses lie between -1 and 1, and `evaluate`
    says what `heuristic` says; no position comes back if the game is acyclic.
    """
    laws = _Laws(game)
    laws.explore(states)
    dice = random.Random(seed)
    for _ in range(games):
        laws.random_game(dice)
    return laws.looked


class _Laws:
    LONGEST = 1000

    def __init__(self, game: Game) -> None:
        if not isinstance(game, Game):
            raise ValueError(f"laws are for an object of a class derived from perfectplay.Game, got {game!r}")
        self.game = game
        self.facts = game.facts()
        game.native()  # refuses facts that contradict themselves
        self.met: dict[Hashable, tuple[Any, Any, tuple[str, ...]]] = {}
        self.same: dict[Any, Hashable] = {}
        self.looked = 0

    def fail(self, line: tuple[str, ...], sentence: str) -> None:
        where = f"after {' '.join(line)}" if line else "at the start"
        raise BrokenLaw(f"{self.game.name}: {sentence} ({where})")

    def key(self, state: Any, turn: int) -> Hashable:
        own = self.game.method("key")
        key = own(state) if own else state
        try:
            hash(key)
        except TypeError as error:
            raise BrokenLaw(f"{self.game.name}: {error}: define key(state) with a hashable answer") from None
        return key if self.game.method("mover") else (key, turn)

    def turn_after(self, turn: int, state: Any, moves: list[Any]) -> int:
        mover = self.game.method("mover")
        if mover and moves:
            return int(mover(state))
        return turn

    def look(self, state: Any, turn: int, line: tuple[str, ...]) -> tuple[list[Any], int, Hashable]:
        """Checks one state: its moves, whose they are, its key."""
        self.looked += 1
        game = self.game
        key = self.key(state, turn)
        moves = list(game.moves(state))
        if moves != list(game.moves(state)):
            self.fail(line, "moves(state) does not say the same twice")
        texts = [self.move_text(state, move) for move in moves]
        if len(set(texts)) != len(texts):
            twice = next(text for text in texts if texts.count(text) > 1)
            self.fail(line, f"the move {twice} is there twice")
        turn = self.turn_after(turn, state, moves)
        if not 1 <= turn <= self.facts["players"]:
            self.fail(line, f"mover(state) must be 1 to {self.facts['players']}, got {turn}")
        payoff = None if moves else self.payoff(state, line)
        children: list[Hashable] = []
        following = turn % self.facts["players"] + 1
        for move in moves:
            child = game.play(state, move)
            children.append(self.key(child, following))
            if children[-1] != self.key(game.play(state, move), following):
                self.fail(line, f"play(state, {move!r}) does not lead to the same state twice")
        if self.key(state, turn if not game.method("mover") else 1) != key or list(game.moves(state)) != moves:
            self.fail(line, "play(state, move) changes the state that it is given")
        self.same_key(key, (texts, turn if moves else 0, payoff, children), state, line)
        if moves:
            self.guesses(state, line)
        return moves, turn, key

    def same_key(self, key: Hashable, told: Any, state: Any, line: tuple[str, ...]) -> None:
        """Equal keys, equal states; and as far as states can be compared, equal states, equal keys."""
        if key in self.met:
            other, _, before = self.met[key]
            names = ("moves", "movers", "payoffs", "keys after the same move")
            for name, here, there in zip(names, told, other):
                if here != there:
                    other_way = " ".join(before) or "the start"
                    self.fail(line, f"equal keys for states with different {name}: the other way is {other_way}")
        else:
            self.met[key] = (told, state, line)
        try:
            first = self.same.setdefault(state, key)
        except TypeError:
            return
        mine = key if self.game.method("mover") else key[0]  # type: ignore[index]
        theirs = first if self.game.method("mover") else first[0]  # type: ignore[index]
        if mine != theirs:
            self.fail(line, "different keys for equal states")

    def move_text(self, state: Any, move: Any) -> str:
        own = self.game.method("move_text")
        return "".join(str(own(state, move) if own else move).split())

    def payoff(self, state: Any, line: tuple[str, ...]) -> tuple[int, ...]:
        told = self.game.payoff(state)
        players, zero_sum = self.facts["players"], self.facts["zero_sum"]
        single = isinstance(told, (int, np.integer)) and not isinstance(told, bool)
        scores = (int(told), -int(told)) if single and zero_sum else told  # type: ignore[arg-type]
        if not isinstance(scores, (tuple, list)) or len(scores) != players:
            self.fail(line, f"payoff(state) must be a whole number for each of {players} players, got {told!r}")
        assert isinstance(scores, (tuple, list))
        if any(int(score) != score for score in scores):
            self.fail(line, f"payoff(state) must be whole numbers, got {told!r}")
        if zero_sum and sum(scores) != 0:
            self.fail(line, f"payoff(state) must add up to 0 (or say zero_sum = False), got {told!r}")
        for score, (low, high) in zip(scores, self.facts["scores"]):
            if not low <= score <= high:
                self.fail(line, f"payoff(state) must lie within scores = ({low}, {high}), got {told!r}")
        outcomes = self.facts["outcomes"]
        if outcomes is not None and scores[0] not in outcomes:
            self.fail(line, f"the first player's score must be one of outcomes = {outcomes}, got {told!r}")
        return tuple(int(score) for score in scores)

    def guesses(self, state: Any, line: tuple[str, ...]) -> None:
        heuristic, evaluate = self.game.method("heuristic"), self.game.method("evaluate")
        guess = None if heuristic is None else np.atleast_1d(np.asarray(heuristic(state), dtype=np.float32))
        if evaluate is not None:
            both = np.asarray(evaluate([state, state]), dtype=np.float32)
            if both.shape[:1] != (2,):
                self.fail(line, f"evaluate(states) must have a row for each of 2 states, got shape {both.shape}")
            one = np.atleast_1d(both[0])
            if not np.allclose(one, np.atleast_1d(both[1]), atol=1e-4):
                self.fail(line, "evaluate(states) does not say the same of equal states")
            if guess is not None and not np.allclose(guess, one, atol=1e-4):
                self.fail(line, "evaluate(states) does not say what heuristic(state) says")
            guess = one
        if guess is not None and not (np.all(np.isfinite(guess)) and np.all(np.abs(guess) <= 1.0)):
            self.fail(line, f"a guess must lie between -1 and 1, got {guess}")

    def explore(self, most: int) -> None:
        """All states near the start, level by level; whether one of them comes back."""
        start = self.game.start()
        queue: list[tuple[Any, int, tuple[str, ...]]] = [(start, 1, ())]
        successors: dict[Hashable, list[Hashable]] = {}
        for state, turn, line in queue:
            if len(successors) >= most:
                break
            moves, turn, key = self.look(state, turn, line)
            if key in successors:
                continue
            following = turn % self.facts["players"] + 1
            successors[key] = []
            for move in moves:
                child = self.game.play(state, move)
                child_key = self.key(child, following)
                successors[key].append(child_key)
                # Met again on another way: looked at again, because its key must mean the same state.
                queue.append((child, following, (*line, self.move_text(state, move))))
        if self.facts["acyclic"]:
            self.no_cycle(successors)
        if self.facts["states"] is not None and len(successors) > self.facts["states"]:
            self.fail((), f"states = {self.facts['states']}, but there are at least {len(successors)}")

    def no_cycle(self, successors: dict[Hashable, list[Hashable]]) -> None:
        open_, closed = set(), set()
        for root in successors:
            stack: list[tuple[Hashable, bool]] = [(root, False)]
            while stack:
                key, done = stack.pop()
                if done:
                    open_.discard(key)
                    closed.add(key)
                elif key not in closed and key not in open_:
                    open_.add(key)
                    stack.append((key, True))
                    for child in successors.get(key, []):
                        if child in open_:
                            line = self.met[child][2] if child in self.met else ()
                            self.fail(line, "the game is said to be acyclic, but this position can come back")
                        stack.append((child, False))

    def random_game(self, dice: random.Random) -> None:
        state, turn = self.game.start(), 1
        line: tuple[str, ...] = ()
        seen: set[Hashable] = set()
        length = self.facts["length"]
        for _ in range(self.LONGEST):
            moves, turn, key = self.look(state, turn, line)
            if self.facts["acyclic"] and key in seen:
                self.fail(line, "the game is said to be acyclic, but this position has come back")
            seen.add(key)
            if not moves:
                return
            if length is not None and len(line) >= length:
                self.fail(line, f"length = {length}, but the game goes on")
            move = dice.choice(moves)
            line = (*line, self.move_text(state, move))
            state = self.game.play(state, move)
            turn = turn % self.facts["players"] + 1
