# SPDX-License-Identifier: GPL-2.0-or-later
# What an interactive zsh offers for the end of a line, one per line.
# usage: zsh -f completion.zsh FOLDER LINE     FOLDER has _iodyno
zmodload zsh/zpty zsh/zselect
folder=$1 line=$2
hits=$(mktemp) inner=$(mktemp)
cat >$inner <<'END'
PROMPT= RPROMPT=
fpath=($1 $fpath)
hits=$2
autoload -Uz compinit
compinit -u -D
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
# What is added for good, not for a question of the completion itself.
compadd() {
  if [[ ${(j: :)@[1,(i)(-|--)]} != *-(O|A|D)* ]]; then
    local -a found
    builtin compadd -A found "$@"
    (( $#found )) && print -rl -- $IPREFIX${^found} >>$hits
  fi
  builtin compadd "$@"
}
finish() { print DONE >>$hits }
comppostfuncs=(finish)
print READY >$hits
END
# Wait for the event, 20 s at most.
await() { local i; for i in {1..400}; do grep -qx $1 $hits && return; zselect -t 5; done }
zpty shell zsh -f -i
zpty -w shell "source $inner $folder $hits"
await READY
zpty -n -w shell "$line"$'\t'
await DONE
zpty -d shell
grep -vxE 'READY|DONE' $hits
rm -f $hits $inner
