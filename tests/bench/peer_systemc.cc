/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SystemC: one module per CPU, whose process is an SC_THREAD (variant thread)
 * or an SC_METHOD (method). Who waits for the lock does so for an event of its
 * own, which the one that releases notifies for the end of the hold.
 */
#include "tests/bench/work.h"

#include <deque>
#include <memory>
#include <vector>

#include <systemc>

#define STACK_BYTES 0x4000 /* faster than the default with many threads; half of it is too little */

using sc_core::sc_time;

struct Cpu;

struct Lock {
	Cpu *holder = nullptr;
	std::deque<Cpu *> waiting;
	const sc_time hold = sc_time::from_value(HOLD_PS);
};

struct Cpu : sc_core::sc_module {
	SC_HAS_PROCESS(Cpu);

	Cpu(sc_core::sc_module_name name, Lock *lock, int id, const struct work *work)
	    : sc_module(name), lock(lock), random(think_seed(id)), id(id), nr_left(work->nr_rounds)
	{
		const bool method = !strcmp(work->variant, "method");

		if (method && work->lock) {
			SC_METHOD(lock_method);
		} else if (method) {
			SC_METHOD(hold_method);
		} else if (work->lock) {
			SC_THREAD(lock_thread);
			set_stack_size(STACK_BYTES);
		} else {
			SC_THREAD(hold_thread);
			set_stack_size(STACK_BYTES);
		}
	}

	sc_time thought()
	{
		int64_t now = (int64_t)sc_core::sc_time_stamp().value();

		return sc_time::from_value((uint64_t)(think_until(&random, id, now) - now));
	}

	void unlock()
	{
		lock->holder = nullptr;
		if (lock->waiting.empty())
			return;
		lock->holder = lock->waiting.front();
		lock->waiting.pop_front();
		lock->holder->done.notify(lock->hold);
	}

	void hold_thread()
	{
		while (nr_left-- > 0)
			wait(thought());
	}

	void lock_thread()
	{
		while (nr_left-- > 0) {
			wait(thought());
			if (lock->holder) {
				lock->waiting.push_back(this);
				wait(done);
			} else {
				lock->holder = this;
				wait(lock->hold);
			}
			unlock();
		}
	}

	void hold_method()
	{
		if (nr_left-- > 0)
			next_trigger(thought());
	}

	/* Runs when a thought ends, when a hold ends, and first of all at date 0. */
	void lock_method()
	{
		if (thinking && lock->holder) {
			lock->waiting.push_back(this);
			next_trigger(done);
			thinking = false;
		} else if (thinking) {
			lock->holder = this;
			next_trigger(lock->hold);
			thinking = false;
		} else {
			if (lock->holder == this)
				unlock();
			thinking = true;
			if (nr_left-- > 0)
				next_trigger(thought());
		}
	}

	Lock *lock;
	sc_core::sc_event done; /* the end of a hold that began with a wait */
	uint64_t random;
	int id;
	int nr_left;
	bool thinking = false;
};

int sc_main(int argc, char **argv)
{
	const struct work work = work_parse(argc, argv);
	std::vector<std::unique_ptr<Cpu>> cpus;
	double started;

	sc_core::sc_set_time_resolution(1, sc_core::SC_PS); /* before the first sc_time */
	Lock lock;
	for (int i = 0; i < work.nr_cpus; i++)
		cpus.push_back(std::make_unique<Cpu>(sc_core::sc_gen_unique_name("cpu"), &lock, i, &work));
	sc_core::sc_start(sc_core::SC_ZERO_TIME); /* elaboration, and the first step of every process */
	started = work_seconds();
	sc_core::sc_start();
	work_print(&work, (int64_t)sc_core::sc_time_stamp().value(), work_seconds() - started);
	return 0;
}
