function __holdfast_offers
  set -l words (commandline -opc) (commandline -ct)
  set -l option (string match -r -- '^--[^=]+=' $words[-1])
  set -l value (string replace -- "$option" '' $words[-1])
  for line in ($words[1] completions fish -- $words[2..-1] 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path "$value" | string replace -r '^' -- "$option"
    else
      echo -- "$option$line"
    end
  end
end
complete -c context -f -a '(__holdfast_offers)'
complete -c holdfast -w context
