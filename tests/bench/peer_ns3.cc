/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ns-3: its default simulator, one callback per event. The variant is the scheduler: queue is mostly the fastest here,
 * map is ns-3's own choice, heap and calendar are slower.
 */
#include "tests/bench/work.h"

#include <deque>
#include <string>
#include <vector>

#include <ns3/object-factory.h>
#include <ns3/simulator.h>

using ns3::Simulator;
using ns3::TimeStep;

class Cpu;

struct Lock {
	bool taken = false;
	std::deque<Cpu *> waiting;
};

class Cpu
{
      public:
	Cpu(Lock *lock, int id, int nr_rounds) : lock(lock), random(think_seed(id)), id(id), nr_left(nr_rounds)
	{
	}

	void hold_think()
	{
		think(&Cpu::hold_think);
	}

	void lock_think()
	{
		think(&Cpu::arrive);
	}

      private:
	void think(void (Cpu::*then)())
	{
		int64_t now = Simulator::Now().GetTimeStep();

		if (nr_left-- > 0)
			Simulator::Schedule(TimeStep(think_until(&random, id, now) - now), then, this);
	}

	void arrive()
	{
		if (lock->taken)
			lock->waiting.push_back(this);
		else
			hold();
	}

	void hold()
	{
		lock->taken = true;
		Simulator::Schedule(TimeStep(HOLD_PS), &Cpu::release, this);
	}

	void release()
	{
		lock->taken = false;
		if (!lock->waiting.empty()) {
			lock->waiting.front()->hold();
			lock->waiting.pop_front();
		}
		lock_think();
	}

	Lock *lock;
	uint64_t random;
	int id;
	int nr_left;
};

static void set_scheduler(const char *name)
{
	static const char *const types[][2] = {
		{ "", "ns3::MapScheduler" },
		{ "map", "ns3::MapScheduler" },
		{ "heap", "ns3::HeapScheduler" },
		{ "calendar", "ns3::CalendarScheduler" },
		{ "queue", "ns3::PriorityQueueScheduler" },
	};

	for (const auto &type : types) {
		if (!strcmp(name, type[0])) {
			Simulator::SetScheduler(ns3::ObjectFactory(type[1]));
			return;
		}
	}
	fprintf(stderr, "there is no scheduler '%s'\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	const struct work work = work_parse(argc, argv);
	Lock lock;
	std::vector<Cpu> cpus;
	int64_t end_ps;
	double started;

	ns3::Time::SetResolution(ns3::Time::PS);
	set_scheduler(work.variant);
	cpus.reserve(work.nr_cpus);
	for (int i = 0; i < work.nr_cpus; i++) {
		cpus.emplace_back(&lock, i, work.nr_rounds);
		if (work.lock)
			cpus.back().lock_think();
		else
			cpus.back().hold_think();
	}
	started = work_seconds();
	Simulator::Run();
	end_ps = Simulator::Now().GetTimeStep();
	work_print(&work, end_ps, work_seconds() - started);
	Simulator::Destroy();
	return 0;
}
