#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""SimPy, with dates that are whole numbers: one generator per CPU. Who waits for the lock waits for an event of its own,
which is faster than SimPy's Resource. SimPy 3 (python3-simpy3) is mostly faster at this than SimPy 2 (python3-simpy). What
work.h says in C."""
import sys
import time
from collections import deque

import simpy

HOLD_PS = 50_000
THINK_MIN_PS = 40_000
THINK_SPREAD_PS = 100_001
LAST_CPU = 4095
MASK = 2**64 - 1


def thoughts(cpu, nr_rounds):
    """The random part of a CPU's thoughts, drawn before the clock runs: Python is slow at it, and that is not SimPy's fault."""
    state = cpu * 0x9E3779B97F4A7C15 & MASK
    lengths_ps = []
    for _ in range(nr_rounds):
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        lengths_ps.append(THINK_MIN_PS + ((state >> 32) * THINK_SPREAD_PS >> 32))
    return lengths_ps


def hold_cpu(env, cpu, lengths_ps):
    for length_ps in lengths_ps:
        yield env.timeout(length_ps + (cpu - env.now - length_ps & LAST_CPU))


class Lock:
    taken = False

    def __init__(self):
        self.waiting = deque()


def lock_cpu(env, cpu, lengths_ps, lock):
    for length_ps in lengths_ps:
        yield env.timeout(length_ps + (cpu - env.now - length_ps & LAST_CPU))
        if lock.taken:
            mine = env.event()
            lock.waiting.append(mine)
            yield mine
        lock.taken = True
        yield env.timeout(HOLD_PS)
        if lock.waiting:
            lock.waiting.popleft().succeed()
        else:
            lock.taken = False


def main():
    test, nr_cpus, nr_rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    env = simpy.Environment()
    lock = Lock()
    for cpu in range(nr_cpus):
        lengths_ps = thoughts(cpu, nr_rounds)
        env.process(lock_cpu(env, cpu, lengths_ps, lock) if test == "lock" else hold_cpu(env, cpu, lengths_ps))
    started = time.process_time()
    env.run()
    print(nr_cpus * nr_rounds, env.now, f"{time.process_time() - started:.6f}")


main()
