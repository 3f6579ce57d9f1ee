#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The speed of contend beside other simulators (work.h says at what work), of its line model and of reproductions.

    bench.py [--repetitions N] [--seconds S] DIRECTORY

writes every measurement into DIRECTORY/*.csv and what docs/bench.md shows into DIRECTORY/bench.md. First every simulator
does the same number of operations, and the bench fails unless all end at the same date. Then each does a few, and as many
more as take it about S seconds. Its rate is that of those it did more: threads, stacks and first touches of memory do not
count. A repetition runs all simulators one after the other, so what else the machine does hits all alike. A figure is the
median of the repetitions, a ratio the median of the ratios within a repetition."""
import argparse
import csv
import itertools
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from bench_table import write_tables

SOURCE = Path(__file__).resolve().parent.parent.parent
BUILD = SOURCE / os.environ.get("BUILD", "build")
PROGRAMS = BUILD / "tests" / "bench"

TESTS = ["lock", "hold"]
CPUS = [2, 64, 384, 4096]
CHECKED_OPERATIONS = 100_000
FEW_ROUNDS = 4
PEERS = {
    "heap": [PROGRAMS / "peer_heap", []],
    "fast": [PROGRAMS / "peer_engine", ["fast"]],
    "simgrid-engine": [PROGRAMS / "peer_engine", ["simgrid"]],
    "ns3-queue": [PROGRAMS / "peer_ns3", ["queue"]],
    "ns3-map": [PROGRAMS / "peer_ns3", ["map"]],
    "systemc-method": [PROGRAMS / "peer_systemc", ["method"]],
    "systemc-thread": [PROGRAMS / "peer_systemc", ["thread"]],
    "simgrid": [PROGRAMS / "peer_simgrid", []],
    "simpy": [SOURCE / "tests" / "bench" / "peer_simpy.py", []],
}

DATA = SOURCE / "tests" / "bench" / "data"
LINES = {  # experiment and --set; half a million transactions and more
    24: ["refcount-epyc", "threads=24", "run.duration=100ms"],
    384: ["refcount-epyc", "threads=384", "run.duration=100ms"],
    768: [DATA / "refcount-epyc-768.yaml"],
    4096: [DATA / "refcount-epyc-4096.yaml"],
}
VARIANTS = ["vanilla", "patched"]

REPRODUCTIONS = ["refcount-epyc", "refcount-haswell"]
REPRODUCTION_SETS = ["run.replications=10", "run.duration=2ms"]


def output_of(command, stdin=None):
    environment = os.environ | {"SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
    done = subprocess.run([str(word) for word in command], env=environment, stdin=stdin, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}")
    return done.stdout.split()


def run_peer(peer, test, nr_cpus, nr_rounds):
    """Operations, date of the end in ps, seconds."""
    program, variant = PEERS[peer]
    operations, end_ps, seconds = output_of([program, test, nr_cpus, nr_rounds, *variant])[-3:]
    return int(operations), int(end_ps), float(seconds)


def check_ends(test, nr_cpus):
    """Rates of all peers with their set-up, at equal work, which must end at one date."""
    nr_rounds = max(CHECKED_OPERATIONS // nr_cpus, 2 * FEW_ROUNDS)
    answers = {peer: run_peer(peer, test, nr_cpus, nr_rounds) for peer in PEERS}
    ends = {end_ps for _, end_ps, _ in answers.values()}
    if len(ends) > 1:
        ends_text = ", ".join(f"{peer} {end_ps}" for peer, (_, end_ps, _) in answers.items())
        sys.exit(f"{test} test, {nr_cpus} CPUs: not all simulators end at one date (ps): {ends_text}")
    return {peer: operations / seconds for peer, (operations, _, seconds) in answers.items()}


def measure_peer(peer, test, nr_cpus, rounds, least_seconds):
    """One row. Doubles rounds[peer], what many rounds has more than few, until that takes long enough to be measured."""
    while True:
        few = run_peer(peer, test, nr_cpus, FEW_ROUNDS)
        many = run_peer(peer, test, nr_cpus, FEW_ROUNDS + rounds[peer])
        seconds = many[2] - few[2]
        if seconds >= least_seconds:
            break
        rounds[peer] *= 2
    return {"test": test, "cpus": nr_cpus, "peer": peer, "few_operations": few[0], "few_seconds": few[2],
            "operations": many[0], "seconds": many[2], "operations_per_s": round((many[0] - few[0]) / seconds)}


def measure_peers(nr_repetitions, seconds):
    rounds = {}
    for test, nr_cpus in itertools.product(TESTS, CPUS):
        rounds[test, nr_cpus] = {peer: int(rate * seconds / nr_cpus) + 1 for peer, rate in check_ends(test, nr_cpus).items()}
    rows = []
    for repetition in range(nr_repetitions):
        for test, nr_cpus in rounds:
            for peer in PEERS:
                row = measure_peer(peer, test, nr_cpus, rounds[test, nr_cpus], seconds / 2)
                rows.append({"repetition": repetition, **row})
        progress(f"simulators: repetition {repetition + 1} of {nr_repetitions}")
    return rows


def line_rate(words):
    """What line_rate prints when line_record has recorded the same run for it."""
    recorder = subprocess.Popen([PROGRAMS / "line_record", *words], stdout=subprocess.PIPE)
    answer = output_of([PROGRAMS / "line_rate", *words], stdin=recorder.stdout)
    if recorder.wait():
        sys.exit(f"line_record: exit status {recorder.returncode}")
    return answer


def measure_lines(nr_repetitions):
    rows = []
    for repetition in range(nr_repetitions):
        for nr_cpus, (experiment, *sets) in LINES.items():
            for variant in VARIANTS:
                words = line_rate([experiment, variant, *sets])
                transactions, seconds, engine_seconds, steps, peak_kib = map(float, words)
                rows.append({"repetition": repetition, "cpus": nr_cpus, "variant": variant,
                             "transactions": int(transactions), "seconds": seconds, "engine_seconds": engine_seconds,
                             "steps": int(steps), "peak_kib": int(peak_kib)})
        progress(f"line model: repetition {repetition + 1} of {nr_repetitions}")
    return rows


def measure_reproductions(nr_repetitions, directory):
    rows = []
    sets = [word for setting in REPRODUCTION_SETS for word in ("--set", setting)]
    for repetition in range(nr_repetitions):
        for name in REPRODUCTIONS:
            started, started_cpu = time.monotonic(), cpu_of_children()
            output_of([BUILD / "contend", "run", name, *sets, "--no-plots", "--quiet", "-o", directory / name])
            rows.append({"repetition": repetition, "experiment": name, "seconds": round(time.monotonic() - started, 3),
                         "cpu_seconds": round(cpu_of_children() - started_cpu, 3)})
        progress(f"reproductions: repetition {repetition + 1} of {nr_repetitions}")
    return rows


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def progress(text):
    print(text, file=sys.stderr, flush=True)


def write_csv(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description="Speed of contend and of other simulators.")
    parser.add_argument("--repetitions", type=int, default=5, metavar="N", help="(default 5)")
    parser.add_argument("--seconds", type=float, default=0.2, metavar="S", help="of each measurement (default 0.2)")
    parser.add_argument("directory", type=Path)
    arguments = parser.parse_args()
    directory = arguments.directory
    directory.mkdir(parents=True, exist_ok=True)
    peers = measure_peers(arguments.repetitions, arguments.seconds)
    write_csv(directory / "peers.csv", peers)
    lines = measure_lines(arguments.repetitions)
    write_csv(directory / "lines.csv", lines)
    reproductions = measure_reproductions(arguments.repetitions, directory)
    write_csv(directory / "reproductions.csv", reproductions)
    text = write_tables(peers, lines, reproductions, arguments.repetitions)
    (directory / "bench.md").write_text(text)
    print(text, end="")


main()
