"""Tools/compare-faults: the same faults, tried on this program and on its peers."""

import dataclasses
import json
import signal
import sys

import contestants
import faults
import options as command_line
import programs
import server
import supervised
import trials

COLUMNS = ["fault", "program", "afterwards", "exit code", "file", "lost at end", "holes", "gap reported"]


def cells(fault, contestant, outcome):
    """A row of the table."""
    if fault.ends_program:
        afterwards = "ends" if not outcome.hangs else "goes on"
    elif not outcome.survives:
        afterwards = "ends"
    elif outcome.sound_again is not None:
        afterwards = f"sound after {outcome.sound_again:.2f} s"
    else:
        afterwards = "no sound" if outcome.needs_sound else "waits"
    if outcome.hangs:
        code = "HANGS"
    else:
        code = str(outcome.code if outcome.code >= 0 else 128 - outcome.code)
    file = outcome.file if outcome.file in ("whole", "empty", "none") else "broken" if outcome.file else "–"
    lost = "–" if outcome.lost_at_end is None else f"{outcome.lost_at_end * 1000:.0f} ms"
    return [
        fault.name, contestant.name, afterwards, code, file, lost,
        "–" if outcome.holes is None else str(len(outcome.holes)),
        {None: "–", True: "yes", False: "no"}[outcome.gap_reported],
    ]


def text(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def words(row):
    """What a row says of a program, for a table of many."""
    _, _, afterwards, code, file, lost, holes, told = row
    found = [afterwards] + (["has to be killed"] if code == "HANGS" else [])
    if file != "–":
        found.append(f"file {file}")
    if lost not in ("–", "0 ms"):
        found.append(f"{lost} lost")
    if holes not in ("–", "0"):
        found.append(f"{holes} holes that nothing tells of")
    if told != "–" and file != "–":
        found.append("gap told" if told == "yes" else "gap not told")
    return ", ".join(found)


def markdown(rows):
    """A line for each fault, a column for each program."""
    programs_tried = list(dict.fromkeys(row[1] for row in rows[1:]))
    lines = [["fault", *programs_tried]]
    for fault in dict.fromkeys(row[0] for row in rows[1:]):
        tried = {row[1]: words(row) for row in rows[1:] if row[0] == fault}
        lines.append([fault, *(tried.get(name, "–") for name in programs_tried)])
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(words):
    options = command_line.compare_faults(words)
    contestants.Monitor.reconnect = options.reconnect
    kinds = [kind for kind in contestants.ALL if not options.program or kind.name in options.program]
    tried = [fault for fault in faults.ALL if not options.fault or any(word in fault.name for word in options.fault)]
    supervised.within(1800 + 90 * len(tried) * len(kinds), "compare-faults")
    # So that what is under way is ended as after Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    rows, results = [COLUMNS], []
    try:
        programs.iounit()
        programs.counter()
        for fault in tried:
            for kind in kinds:
                print(f"{fault.name}: {kind.name}", file=sys.stderr)
                outcome = trials.Trial(kind, fault).run()
                rows.append(cells(fault, kind, outcome))
                results.append({"fault": fault.name, "program": kind.name, **dataclasses.asdict(outcome)})
    except KeyboardInterrupt:
        return 130
    except (server.ServerFailed, programs.NotBuilt) as error:
        print(f"compare-faults: {error}", file=sys.stderr)
        return 70
    if options.json:
        print(json.dumps({"schema": "iounit.faults/1", "results": results}, indent=2))
    elif options.markdown:
        print(markdown(rows))
    else:
        print(text(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
