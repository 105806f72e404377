_holdfast() {
  local IFS=$'\n' current="${COMP_WORDS[COMP_CWORD]}" word
  COMPREPLY=()
  local offered=($("$1" completions bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ "$current" = "=" ]; then current=""; fi
  for word in "${offered[@]}"; do
    if [ "$word" = ":files" ]; then
      COMPREPLY+=($(compgen -f -- "$current"))
      compopt -o filenames 2>/dev/null
    else
      COMPREPLY+=("${word%%$'\t'*}")
    fi
  done
}
complete -F _holdfast context holdfast
