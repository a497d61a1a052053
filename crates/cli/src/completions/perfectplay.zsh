
# Names of games and algorithms, their options and values come from the program itself.
_perfectplay_game() {
    compadd -Q -S '' -- ${(f)"$(perfectplay words game "$PREFIX" 2>/dev/null)"}
}

_perfectplay_algorithm() {
    compadd -Q -S '' -- ${(f)"$(perfectplay words algorithm "$PREFIX" 2>/dev/null)"}
}
