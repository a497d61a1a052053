
# Names of games and algorithms, their options and values come from the program itself; everything else from above.
_perfectplay_named() {
    local line=${COMP_LINE:0:$COMP_POINT} word kind="" prefix="" found
    local -a before
    word=${line##*[[:space:]]}
    read -ra before <<< "${line%"$word"}"
    case "${#before[@]},${before[-1]}" in
        *,--with) kind=algorithm ;;
        2,algorithms) kind=algorithm ;;
        2,games|2,show|2,perft|2,solve|2,analyse|2,analyze|2,play|2,match|2,tournament|2,bench) kind=game ;;
        *) [[ ${before[1]} == match || ${before[1]} == tournament ]] && [[ ${before[-1]} != -* ]] && kind=algorithm ;;
    esac
    if [[ -z $kind || $word == -* ]]; then
        _perfectplay "$@"
        return
    fi
    # bash replaces only what follows the last of these.
    [[ $COMP_WORDBREAKS == *:* && $word == *:* ]] && prefix=${word%"${word##*:}"}
    [[ $COMP_WORDBREAKS == *=* && $word == *=* ]] && prefix=${word%"${word##*=}"}
    COMPREPLY=()
    while IFS= read -r found; do
        COMPREPLY+=("${found#"$prefix"}")
    done < <("$1" words "$kind" "$word" 2>/dev/null)
    [[ ${COMPREPLY[*]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -F _perfectplay_named -o nosort -o bashdefault -o default perfectplay 2>/dev/null ||
    complete -F _perfectplay_named -o bashdefault -o default perfectplay
