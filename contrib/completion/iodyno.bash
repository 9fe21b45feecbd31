# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for iodyno: asks the program itself what there is.

# One column of what "iodyno list WHAT" prints, without its heading.
_iodyno_list() {
  "${COMP_WORDS[0]}" list "$1" 2>/dev/null | awk -v n="${2:-1}" 'NR > 1 && $n != "" { print $n }'
}

_iodyno_devices() {
  ls /sys/block 2>/dev/null
}

# The name of the list that has the values of an option, by any command.
_iodyno_list_of() {
  "${COMP_WORDS[0]}" list flags 2>/dev/null |
    awk -v option="$1" '$2 == option && $3 != "-" { print $3; exit }'
}

# Whether a command takes the options of jobs.
_iodyno_takes_jobs() {
  "${COMP_WORDS[0]}" list commands 2>/dev/null |
    awk -v command="$1" '$1 == command && $2 == "yes" { found = 1 } END { exit !found }'
}

# The long options of a command.
_iodyno_options() {
  "${COMP_WORDS[0]}" list flags 2>/dev/null |
    awk -v command="$1" '$1 == command { print $2 }'
}

# The options of a job that are acted upon.
_iodyno_job_options() {
  "${COMP_WORDS[0]}" list options 2>/dev/null |
    awk '/ acted / { print "--" $1 }'
}

# DEVICE.KNOB of all devices.
_iodyno_knobs() {
  "${COMP_WORDS[0]}" knob list 2>/dev/null | awk 'NR > 1 { print $1 }'
}

_iodyno() {
  local commands list
  commands=$(_iodyno_list commands)
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-} before
  before=${COMP_WORDS[COMP_CWORD - 1]}
  [ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}
  [ "$word" = = ] && word=
  COMPREPLY=()

  case $before in
  --rw | --readwrite)
    list=rw
    ;;
  --ioengine)
    list=engines
    ;;
  --kind)
    list=kinds
    ;;
  --profile)
    list=profiles
    ;;
  --filename | --log | --root | --directory | --output | --overwrite | \
    --target | --job-file)
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    return
    ;;
  --destroy-data)
    mapfile -t COMPREPLY < <(compgen -W "$(_iodyno_devices)" -- "$word")
    return
    ;;
  --*)
    list=$(_iodyno_list_of "$before")
    ;;
  esac
  if [ "$list" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_iodyno_list "$list")" -- "$word")
    return
  fi

  if [ "$COMP_CWORD" = 1 ] && [[ $word != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands $(_iodyno_devices)" -- "$word")
    return
  fi
  if [[ $word == -* ]]; then
    local options
    if _iodyno_takes_jobs "$command"; then
      options="$(_iodyno_options "$command") $(_iodyno_job_options)"
    elif [[ $'\n'$commands$'\n' == *$'\n'"$command"$'\n'* ]]; then
      options=$(_iodyno_options "$command")
    else
      options=$(_iodyno_options top)
    fi
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    return
  fi
  case $command in
  list)
    mapfile -t COMPREPLY < <(compgen -W "$(_iodyno_list lists)" -- "$word")
    ;;
  knob)
    if [ "$COMP_CWORD" = 2 ]; then
      mapfile -t COMPREPLY < <(compgen -W "list get set restore" -- "$word")
    elif [ "${COMP_WORDS[2]}" = list ]; then
      mapfile -t COMPREPLY < <(compgen -W "vm $(_iodyno_devices)" -- "$word")
    elif [ "${COMP_WORDS[2]}" != restore ]; then
      mapfile -t COMPREPLY < <(compgen -W "$(_iodyno_knobs)" -- "$word")
    fi
    ;;
  run | sweep)
    mapfile -t COMPREPLY < <(compgen -W "$(_iodyno_list presets)" -- "$word"; compgen -f -- "$word")
    ;;
  disk)
    mapfile -t COMPREPLY < <(compgen -W "$(_iodyno_list disks)" -- "$word")
    ;;
  ping)
    mapfile -t COMPREPLY < <(compgen -W "$(_iodyno_devices | sed 's,^,/dev/,')" -- "$word"; compgen -f -- "$word")
    ;;
  replay | report)
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    ;;
  *)
    mapfile -t COMPREPLY < <(compgen -W "$(_iodyno_devices)" -- "$word")
    ;;
  esac
}

complete -o filenames -F _iodyno iodyno
