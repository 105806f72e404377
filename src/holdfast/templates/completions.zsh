#compdef context holdfast
_holdfast() {
  local line files
  local -a described
  for line in "${(@f)$("$words[1]" completions zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ":files" ]]; then
      files=1
    elif [[ -n $line ]]; then
      described+=("${${line%%$'\t'*}//:/\\:}${${line#*$'\t'}:+:${line#*$'\t'}}")
    fi
  done
  if [[ $PREFIX == --*=* ]]; then compset -P '*='; fi
  if (( $#described )); then _describe -t values value described; fi
  if [[ -n $files ]]; then _files; fi
}
if [[ "$zsh_eval_context" == *loadautofunc* ]]; then
  _holdfast "$@"
else
  compdef _holdfast context holdfast
fi
