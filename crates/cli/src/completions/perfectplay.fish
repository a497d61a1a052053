
# Names of games and algorithms, their options and values come from the program itself.
complete -c perfectplay -l with -x -a "(perfectplay words algorithm (commandline -ct) 2>/dev/null)"
complete -c perfectplay -f -n "__fish_seen_subcommand_from algorithms match tournament" \
    -a "(perfectplay words algorithm (commandline -ct) 2>/dev/null)"
complete -c perfectplay -f \
    -n "__fish_seen_subcommand_from games show perft solve analyse play match tournament bench" \
    -a "(perfectplay words game (commandline -ct) 2>/dev/null)"
