/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SimGrid alone, by its C++ interface: one actor per CPU and its own mutex. One SimGrid second is one picosecond. */
#include "tests/bench/work.h"

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

static int64_t now_ps()
{
	return (int64_t)sg4::Engine::get_clock();
}

class Cpu
{
      public:
	Cpu(const struct work &work, sg4::MutexPtr lock, int id)
	    : work(work), lock(lock), random(think_seed(id)), id(id)
	{
	}

	void operator()()
	{
		for (int i = 0; i < work.nr_rounds; i++) {
			int64_t now = now_ps();

			sg4::this_actor::sleep_for((double)(think_until(&random, id, now) - now));
			if (!work.lock)
				continue;
			lock->lock();
			sg4::this_actor::sleep_for((double)HOLD_PS);
			lock->unlock();
		}
	}

      private:
	struct work work;
	sg4::MutexPtr lock;
	uint64_t random;
	int id;
};

int main(int argc, char **argv)
{
	char name[] = "peer_simgrid";
	char quiet[] = "--log=xbt_cfg.thresh:warning";
	char stack_kib[] = "--cfg=contexts/stack-size:32"; /* faster than the default with many actors */
	char guard[] = "--cfg=contexts/guard-size:0";
	char *arguments[] = { name, quiet, stack_kib, guard, nullptr };
	int nr_arguments = 4;
	const struct work work = work_parse(argc, argv);
	double started;

	sg4::Engine engine(&nr_arguments, arguments);
	sg4::Host *host = sg4::create_empty_zone("zone")->create_host("machine", 1.0);
	sg4::MutexPtr lock = sg4::Mutex::create();

	for (int i = 0; i < work.nr_cpus; i++)
		sg4::Actor::create("cpu", host, Cpu(work, lock, i));
	started = work_seconds();
	engine.run();
	work_print(&work, now_ps(), work_seconds() - started);
	return 0;
}
