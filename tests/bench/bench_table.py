# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of `make bench`, in Markdown, from the rows that bench.py has measured."""
import datetime
import math
import os
import platform
import re
import statistics
import subprocess
from pathlib import Path

PEER_LABELS = {
    "heap": "bare heap of callbacks",
    "fast": "**contend, engine fast**",
    "simgrid-engine": "contend, engine simgrid",
    "ns3-queue": "ns-3, PriorityQueueScheduler",
    "ns3-map": "ns-3, MapScheduler",
    "systemc-method": "SystemC, SC_METHOD",
    "systemc-thread": "SystemC, SC_THREAD",
    "simgrid": "SimGrid alone",
    "simpy": "SimPy",
}
COMPARED = {
    "bare heap of callbacks": ["heap"],
    "ns-3, the faster of the two": ["ns3-queue", "ns3-map"],
    "SystemC, SC_METHOD": ["systemc-method"],
    "SystemC, SC_THREAD": ["systemc-thread"],
    "SimGrid alone": ["simgrid"],
    "SimPy": ["simpy"],
}
PACKAGES = {"ns-3": "libns3-dev", "SystemC": "libsystemc-dev", "SimGrid": "libsimgrid-dev", "SimPy": "python3-simpy3",
            "gcc": "gcc-12"}
EXPLANATION = """\
Hold: every CPU thinks for 40 to 140 ns, again and again; one event per operation, as many pending as there are CPUs.
Lock: after each thought it takes a FIFO lock for 50 ns; two events. One program per simulator, written as its manual
suggests, in the fastest of the ways tried (`tests/bench/peer_*`); all end at the same picosecond. contend's CPUs are actors
that block, as are those of SC_THREAD, SimGrid and SimPy; callbacks do the work in the others. The head of a column is the
test and its number of CPUs."""
LINE_EXPLANATION = """\
The line model on one core: the workload of `refcount-epyc` on every CPU of 2 x EPYC 9654 (384; 24 of them), 2 x EPYC 9965
(768) and eight sockets of that kind (4096). What the engine costs is what an engine takes that is asked the same again
without the model; the model's own cost is the rest of the run, set-up included."""


def by_repetition(rows, key, value):
    """{key(row): [value(row) of each repetition]}"""
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(value(row))
    return groups


def medians(groups):
    return {key: statistics.median(values) for key, values in groups.items()}


def median_ratio(numerators, denominators):
    """Within a repetition both had the same disturbance."""
    return statistics.median(a / b for a, b in zip(numerators, denominators))


def fast_against(rates, case, peers):
    """contend's fast engine against the fastest of the peers."""
    fastest = max(peers, key=lambda peer: statistics.median(rates[*case, peer]))
    return median_ratio(rates[*case, "fast"], rates[*case, fastest])


def digits(number):
    """Three significant digits, no exponent."""
    return f"{number:.{max(0, 2 - math.floor(math.log10(abs(number))))}f}" if number else "0"


def markdown(header, rows):
    cells = [header, *rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    rule = ["-" * (widths[0] + 2)] + ["-" * (width + 1) + ":" for width in widths[1:]]
    lines = ["| " + " | ".join(cell.rjust(width) if column else cell.ljust(width)
                               for column, (cell, width) in enumerate(zip(row, widths))) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join(rule) + "|", *lines[1:]]) + "\n"


def peer_tables(rates):
    cases = sorted({(test, cpus) for test, cpus, _ in rates}, key=lambda case: (case[0] != "lock", case[1]))
    middle = medians(rates)
    header = [f"{test} {cpus}" for test, cpus in cases]
    speeds = [[label, *(digits(middle[*case, peer] / 1e6) for case in cases)] for peer, label in PEER_LABELS.items()]
    ratios = [[label, *(digits(fast_against(rates, case, peers)) for case in cases)] for label, peers in COMPARED.items()]
    return (markdown(["M operations/s", *header], speeds) + "\n"
            + markdown(["contend, engine fast, against", *header], ratios))


def line_costs(row):
    """ns per transaction: of the engine, of the model."""
    engine_ns = row["engine_seconds"] / row["transactions"] * 1e9
    return engine_ns, row["seconds"] / row["transactions"] * 1e9 - engine_ns


def line_table(rows):
    def middle(value):
        return medians(by_repetition(rows, lambda row: (row["cpus"], row["variant"]), value))

    per_s = middle(lambda row: row["transactions"] / row["seconds"])
    steps = middle(lambda row: row["steps"] / row["transactions"])
    engine_ns = middle(lambda row: line_costs(row)[0])
    model_ns = middle(lambda row: line_costs(row)[1])
    peak_mib = middle(lambda row: row["peak_kib"] / 1024)
    header = ["CPUs, variant", "M transactions/s", "engine steps each", "engine ns each", "model ns each", "peak MiB"]
    return markdown(header, [[f"{cpus}, {variant}", digits(per_s[case] / 1e6), digits(steps[case]),
                              digits(engine_ns[case]), digits(model_ns[case]), f"{peak_mib[case]:.0f}"]
                             for case in per_s for cpus, variant in [case]])


def line_worst(rows, cpus, value, worst):
    """The worse of the variants."""
    groups = by_repetition((row for row in rows if row["cpus"] == cpus), lambda row: row["variant"], value)
    return worst(medians(groups).values())


def line_limits(rows):
    def speed(row):
        return row["transactions"] / row["seconds"]

    def cost_ratio(row):
        engine_ns, model_ns = line_costs(row)
        return model_ns / engine_ns

    speed_384 = line_worst(rows, 384, speed, min)
    limits = [
        ("line model, 384 CPUs: transactions/s", ">=", 4e6, speed_384),
        ("line model, 4096 CPUs: rate against 384", ">=", 0.5, line_worst(rows, 4096, speed, min) / speed_384),
    ]
    for cpus in (384, 4096):
        limits.append((f"line model, {cpus} CPUs: its own cost against the engine's", "<=", 3,
                       line_worst(rows, cpus, cost_ratio, max)))
    limits.append(("line model, 4096 CPUs: peak MiB", "<=", 500,
                   line_worst(rows, 4096, lambda row: row["peak_kib"] / 1024, max)))
    return limits


def peer_limits(rates):
    limits = []
    for cpus in (64, 384):
        case = ("lock", cpus)
        limits.append((f"lock, {cpus} CPUs: against ns-3", ">=", 3, fast_against(rates, case, ["ns3-queue", "ns3-map"])))
        limits.append((f"lock, {cpus} CPUs: against the bare heap", ">=", 0.35, fast_against(rates, case, ["heap"])))
    for test, limit in (("lock", 0.5), ("hold", 0.4)):
        limits.append((f"{test}, 4096 CPUs: rate against 64", ">=", limit,
                       median_ratio(rates[test, 4096, "fast"], rates[test, 64, "fast"])))
    return limits


def limit_table(limits):
    def row(what, relation, limit, measured):
        met = measured >= limit if relation == ">=" else measured <= limit
        return [what, f"{relation} {number(limit)}", number(measured), "met" if met else "not met"]

    def number(value):
        return f"{value / 1e6:.2f} M" if value >= 1e6 else f"{value:.3g}"

    return markdown(["what", "limit", "measured", ""], [row(*limit) for limit in limits])


def reproduction_table(seconds):
    return markdown(["reproduction", "elapsed seconds", "CPU seconds"],
                    [[name, f"{elapsed:.2f}", f"{cpu:.2f}"] for name, (elapsed, cpu) in seconds.items()])


def version_of(package):
    version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], stdout=subprocess.PIPE, text=True).stdout
    return re.sub(r"([-+]).*", "", version)


def machine_text(nr_repetitions):
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    versions = ", ".join(f"{name} {version_of(package)}" for name, package in PACKAGES.items())
    return (f"`make bench` on {datetime.date.today()}, {os.cpu_count()} CPUs \"{model.group(1) if model else platform.machine()}\", "
            f"{system}; {versions}, all from its packages, our code by -O2.\n"
            f"CPU time, one core, median of {nr_repetitions} repetitions that ran all of this one after the other; "
            f"load average of the machine {os.getloadavg()[2]:.1f}.\n")


def write_tables(peers, lines, reproductions, nr_repetitions):
    rates = by_repetition(peers, lambda row: (row["test"], row["cpus"], row["peer"]), lambda row: row["operations_per_s"])
    elapsed, cpu = (medians(by_repetition(reproductions, lambda row: row["experiment"], lambda row: row[column]))
                    for column in ("seconds", "cpu_seconds"))
    limits = [*peer_limits(rates), *line_limits(lines), ("both reproductions: elapsed seconds", "<=", 5, sum(elapsed.values()))]
    parts = [machine_text(nr_repetitions), EXPLANATION + "\n", peer_tables(rates), LINE_EXPLANATION + "\n", line_table(lines),
             "Reproductions, nominal parameters, 10 replications of 2 ms, all cores:\n", reproduction_table({name: (elapsed[name], cpu[name]) for name in elapsed}),
             "What these figures are held against:\n", limit_table(limits)]
    return "\n".join(parts)
