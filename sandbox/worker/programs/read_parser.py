"""Starts a program and extracts the arguments it takes when it calls argparse or click.

    python bootstrap.py programs.read_parser OUT -m MODULE        or        … OUT -c CODE

Nothing of the program runs after that. OUT gets a JSON object: {"parser": {...}} or {} when it asked neither. Plain
standard library, Python 3.9 or newer.
"""

import json
import os
import sys

LONGEST = 300
PLAIN = (str, int, float, bool, type(None))


def main():
    """Put the hooks in place and run the program."""
    out, kind, what = sys.argv[1:4]

    def tell(parser):
        with open(out, "w", encoding="utf-8") as file:
            json.dump({"parser": parser}, file)
        os._exit(0)

    hook_argparse(tell)
    hook_click(tell)
    with open(out, "w", encoding="utf-8") as file:
        file.write("{}")
    sys.argv[:] = [what if kind == "-m" else "-c"]
    if kind == "-m":
        import runpy

        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})


def hook_argparse(tell):
    """The first parser that is asked to parse is the program's."""
    import argparse

    def parse_known_args(self, *_arguments, **_options):
        tell(describe_argparse(self))

    argparse.ArgumentParser.parse_known_args = parse_known_args


def hook_click(tell):
    """The first command that is started is the program's; Typer's are commands of click too."""
    try:
        import click
    except ImportError:
        return

    def start(self, *_arguments, **_options):
        tell(describe_click(self, click))

    for name in ("BaseCommand", "Command"):
        if hasattr(click.core, name):
            getattr(click.core, name).main = start
    try:
        import typer.core

        typer.core.TyperCommand.main = start
        typer.core.TyperGroup.main = start
    except (ImportError, AttributeError):
        return


def describe_argparse(parser, depth=0):
    """A parser as plain data, with its subcommands."""
    import argparse

    facts: dict = {"description": text(parser.description), "arguments": [], "commands": {}}
    groups = [[str(one.dest) for one in group._group_actions] for group in parser._mutually_exclusive_groups]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            if depth < 3:
                facts["commands"] = {
                    str(name): describe_argparse(inner, depth + 1)
                    for name, inner in first_names(action.choices).items()
                }
                facts["needs_command"] = bool(action.required)
            continue
        if isinstance(action, (argparse._HelpAction, argparse._VersionAction)):
            continue
        facts["arguments"].append(
            {
                "flags": [str(string) for string in action.option_strings],
                "name": str(action.dest),
                "type": type_name(action.type),
                "choices": choices(action.choices),
                "default": action.default if isinstance(action.default, PLAIN) else None,
                "has_default": action.default is not None and action.default is not argparse.SUPPRESS,
                "default_text": text(action.default),
                "required": bool(action.required),
                "many": action.nargs in ("+", "*") or (isinstance(action.nargs, int) and action.nargs > 1),
                "count": action.nargs if isinstance(action.nargs, int) else 1,
                "optional": action.nargs in ("?", "*"),
                "flag": action.nargs == 0,
                "apart": [name for group in groups if action.dest in group for name in group if name != action.dest],
                "help": text(action.help),
                "metavar": text(action.metavar),
            }
        )
    return facts


def first_names(choices_by_name):
    """Each parser once, under its first name: the others are its aliases."""
    found = {}
    for name, choice in choices_by_name.items():
        if all(choice is not other for other in found.values()):
            found[name] = choice
    return found


def describe_click(command, click, depth=0):
    """A command of click as plain data, with its subcommands."""
    facts: dict = {"description": text(getattr(command, "help", "")), "arguments": [], "commands": {}}
    inner = getattr(command, "commands", None)
    if isinstance(inner, dict) and depth < 3:
        facts["commands"] = {str(name): describe_click(group, click, depth + 1) for name, group in inner.items()}
        facts["needs_command"] = bool(inner) and not getattr(command, "invoke_without_command", False)
    for parameter in getattr(command, "params", ()):
        is_option = parameter.param_type_name == "option"
        default = parameter.default() if callable(parameter.default) else parameter.default
        if not isinstance(default, PLAIN):
            default = None
        facts["arguments"].append(
            {
                "flags": [str(name) for name in parameter.opts] if is_option else [],
                "name": str(parameter.name),
                "type": type_name(parameter.type),
                "choices": choices(getattr(parameter.type, "choices", None)),
                "default": default,
                "has_default": default is not None,
                "default_text": text(default),
                "required": bool(parameter.required),
                "many": parameter.nargs == -1 or bool(getattr(parameter, "multiple", False)),
                "count": parameter.nargs if parameter.nargs > 1 else 1,
                "optional": not parameter.required,
                "flag": bool(getattr(parameter, "is_flag", False)) or bool(getattr(parameter, "count", False)),
                "help": text(getattr(parameter, "help", "")),
                "metavar": text(parameter.metavar),
            }
        )
    return facts


def choices(given):
    """Choices as texts, at most twelve."""
    try:
        return [str(getattr(choice, "value", choice)) for choice in list(given)[:12]]
    except TypeError:
        return []


def type_name(kind):
    """The name of a converter: a class's, a function's, or that of click's type."""
    if kind is None:
        return ""
    name = getattr(kind, "__qualname__", None) or getattr(kind, "name", None) or type(kind).__name__
    if type(kind).__name__ in ("FileType", "Path", "File"):
        name = type(kind).__name__ + (":w" if "w" in str(getattr(kind, "_mode", getattr(kind, "mode", ""))) else "")
    return str(name)[:LONGEST]


def text(thing):
    """A text that is short enough to send."""
    return "" if thing is None else str(thing)[:LONGEST]
