"""Completion of commands, options and values in shells, made from the table of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from eic_core.cli.command_table import Command, OptionRow

_FILES = "FILES"
"""Stands for the names of files where words are offered."""

_BASH = """# source <(eic completion bash)
_eic() {{
    local IFS=$'\\n' word="${{COMP_WORDS[COMP_CWORD]}}" at=$((COMP_CWORD - 1)) list=''
    if [ "$word" = = ]; then word=''; elif [ "${{COMP_WORDS[at]}}" = = ]; then at=$((at - 1)); fi
    local command="${{COMP_WORDS[1]}}"
    case "$command ${{COMP_WORDS[at]}}" in
{cases}
    [ "$COMP_CWORD" -eq 1 ] && list={commands}
    COMPREPLY=()
    if [ "$list" = FILES ]; then
        compopt -o default 2> /dev/null || COMPREPLY=($(compgen -f -- "$word"))
    elif [ -n "$list" ]; then
        COMPREPLY=($(compgen -W "$list" -- "$word"))
        COMPREPLY=("${{COMPREPLY[@]// /\\\\ }}")
    fi
}}
complete -F _eic eic
"""

_ZSH = """#compdef eic
# source <(eic completion zsh)
_eic() {{
    local before="$words[CURRENT-1]" list=''
    if compset -P '--*='; then before="${{words[CURRENT]%%=*}}"; fi
    local word="$PREFIX" command="$words[2]"
    case "$command $before" in
{cases}
    (( CURRENT == 2 )) && list={commands}
    [[ "$list" == FILES ]] && _files
    [[ "$list" == (FILES|) ]] || compadd -- "${{(f)list}}"
}}
compdef _eic eic
"""


def _bourne(commands: Sequence[Command]) -> dict[str, str]:
    """For bash and zsh: what the option before may take, else options, or the argument."""
    values, others = [], []
    for command in commands:
        names = [*(row.name for row in command.options if not row.is_argument), "--help"]
        argument: list[str] = []
        for row in command.options:
            if row.is_argument:
                argument = offers(row)
            elif not row.is_switch:
                values.append(f"    '{command.name} {row.name}') list={_listed(offers(row))};;")
        others.append(f"        '{command.name} -') list={_listed(names)};;")
        others.append(f"        '{command.name} '*) list={_listed(argument or names)};;")
    rows = [*values, '    *) case "$command ${word:0:1}" in', *others, "    esac;;", "    esac"]
    listed = _listed([*(command.name for command in commands), "--help", "--version"])
    return {"cases": "\n".join(rows), "commands": listed}


def _listed(words: Iterable[str]) -> str:
    return "$'" + "\\n".join(words) + "'"


def _fish(commands: Sequence[Command]) -> Iterator[str]:
    yield "# eic completion fish | source"
    yield "complete -c eic -f"
    for command in commands:
        help_text = _quoted(command.help)
        yield f"complete -c eic -n __fish_use_subcommand -a {command.name} -d {help_text}"
        for row in command.options:
            words = offers(row)
            line = f"complete -c eic -n '__fish_seen_subcommand_from {command.name}'"
            if not row.is_argument:
                line += f" -l {row.name[2:]} -d {_quoted(row.help)}"
                line += "" if row.is_switch else " -r"
            if words == [_FILES]:
                line += " -F"
            elif words:
                line += f" -a {_quoted(' '.join(map(_quoted, words)))}"
            yield line


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def offers(row: OptionRow) -> list[str]:
    """What a shell offers as a value: words, or the names of files."""
    return [_FILES] if row.is_path else [str(word) for word in row.choices or row.words]


SHELLS: dict[str, Callable[[Sequence[Command]], str]] = {
    "bash": lambda commands: _BASH.format(**_bourne(commands)),
    "zsh": lambda commands: _ZSH.format(**_bourne(commands)),
    "fish": lambda commands: "\n".join(_fish(commands)) + "\n",
}
"""The script of each shell; it is sourced."""
