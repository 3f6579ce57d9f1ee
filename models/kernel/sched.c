/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/sched.h"

#include "models/kernel/sched_state.h"

/* clang-format off */
const struct param sched_params[] = {
	PARAM(struct sched_params, context_switch_ns, "ns", 1000, 0, 1e6, "from one task, or idling, to the next on a CPU"),
	PARAM(struct sched_params, wake_ns, "ns", 500, 0, 1e6, "what waking a task costs the waker"),
	PARAM(struct sched_params, wake_latency_ns, "ns", 2000, 0, 1e6, "from the wake of a task to its context switch, on an idle CPU"),
	PARAM(struct sched_params, migration_ns, "ns", 10000, 0, 1e7, "cold caches of a task on another CPU, added to its user work"),
	PARAM(struct sched_params, slice_ns, "ns", 3e6, 1e3, 1e9, "how long a task runs while others wait for its CPU"),
	PARAM(struct sched_params, tick_ns, "ns", 4e6, 0, 1e8, "ticks notice that a slice is over, or that tasks wait while CPUs are idle"),
	PARAM_END,
};
/* clang-format on */

struct sched *sched_create(struct arena *arena, const struct machine *machine, struct engine *engine,
			   const struct sched_params *params, struct cpu *cpus, int nr_cpus)
{
	struct sched *sched = arena_alloc(arena, sizeof(*sched));

	*sched = (struct sched){
		.engine = engine,
		.on_timer = queue_timer,
		.nr_seats = machine_nr_cpus(machine),
		.context_switch_ps = ns_to_ps(params->context_switch_ns),
		.wake_ps = ns_to_ps(params->wake_ns),
		.wake_latency_ps = ns_to_ps(params->wake_latency_ns),
		.migration_ps = ns_to_ps(params->migration_ns),
		.slice_ps = ns_to_ps(params->slice_ns),
		.tick_ps = ns_to_ps(params->tick_ns),
	};
	sched_map_create(&sched->map, arena, machine);
	sched->queues = arena_calloc(arena, (size_t)sched->nr_seats, sizeof(*sched->queues));
	for (int i = 0; i < nr_cpus; i++)
		queue_create(sched, &cpus[i]);
	sched->first = queue_of(sched, &cpus[0]);
	return sched;
}

/* The idlest CPU, or else the shortest queue of the cluster with fewest waiting tasks. */
static struct run_queue *select_idlest(const struct sched *sched, const struct run_queue *near)
{
	int seat = sched_map_idlest(&sched->map, near->seat);
	struct run_queue *best = NULL;
	int end;

	if (seat != NO_SEAT)
		return &sched->queues[seat];
	for (seat = sched_map_least_waiting_cluster(&sched->map, near->seat, &end); seat < end; seat++) {
		struct run_queue *queue = &sched->queues[seat];

		if (queue->cpu && (!best || queue->nr_waiting < best->nr_waiting ||
				   (queue == near && queue->nr_waiting == best->nr_waiting)))
			best = queue;
	}
	return best;
}

/* select_idle_sibling(), first around the last CPU and then around the waker's. */
static struct run_queue *select_for_wake(const struct sched *sched, const struct cpu *waker, const struct cpu *last)
{
	struct run_queue *queue = queue_of(sched, last);
	int seat;

	if (!queue->curr)
		return queue;
	seat = sched_map_idle_in_cluster(&sched->map, queue->seat);
	if (seat == NO_SEAT && waker)
		seat = sched_map_idle_in_cluster(&sched->map, queue_of(sched, waker)->seat);
	return seat == NO_SEAT ? queue : &sched->queues[seat];
}

/* The same with the waker's CPU as the target (wake_affine_idle() with sync). */
static struct run_queue *select_for_sync_wake(const struct sched *sched, const struct cpu *waker,
					      const struct cpu *last)
{
	struct run_queue *own = queue_of(sched, waker);
	struct run_queue *queue = queue_of(sched, last);
	int seat;

	if (own->nr_waiting)
		return select_for_wake(sched, waker, last);
	if (!queue->curr && waker->place->cluster == last->place->cluster)
		return queue;
	seat = sched_map_idle_in_cluster(&sched->map, own->seat);
	return seat == NO_SEAT ? own : &sched->queues[seat];
}

void sched_start(struct sched *sched, struct task *task)
{
	struct run_queue *queue = select_idlest(sched, task->cpu ? queue_of(sched, task->cpu) : sched->first);

	task->sched = sched;
	task->actor = engine_self(sched->engine);
	task->cpu = queue->cpu;
	queue_place(queue, task);
	queue_await(task, QUEUED);
}

void sched_exit(struct task *task)
{
	cpu_sync(task->cpu);
	queue_leave(queue_of(task->sched, task->cpu));
}

/* Let the first waiting task run; one may have been pulled away meanwhile. */
static void preempt(struct task *task)
{
	struct run_queue *queue = queue_of(task->sched, task->cpu);

	cpu_sync(task->cpu);
	if (!queue->nr_waiting)
		return;
	queue_rotate(queue);
	queue_await(task, QUEUED);
}

static bool must_switch(const struct task *task)
{
	return queue_wants_switch(queue_of(task->sched, task->cpu));
}

void task_user(struct task *task, sim_ps duration)
{
	if (!task->sched) {
		const sim_ps takes = cpu_slowed(task->cpu, duration);

		task->user_ps += takes;
		cpu_work(task->cpu, takes);
		return;
	}
	for (sim_ps left = duration;;) {
		if (must_switch(task)) /* on the way to user mode */
			preempt(task);
		left += task->cold_ps;
		task->cold_ps = 0;
		if (left <= 0)
			break;
		left = queue_run_user(queue_of(task->sched, task->cpu), left);
	}
}

void task_kernel(struct task *task, sim_ps duration)
{
	cpu_work(task->cpu, cpu_slowed(task->cpu, duration));
}

bool task_preempt_point(struct task *task)
{
	const struct cpu *cpu = task->cpu;

	if (task->sched && must_switch(task))
		preempt(task);
	return task->cpu != cpu;
}

/* To another CPU, unless it is the own one. */
static void move_to(struct task *task, struct run_queue *to)
{
	struct run_queue *from = queue_of(task->sched, task->cpu);

	if (to == from)
		return;
	queue_leave(from);
	queue_place(to, task);
	queue_await(task, QUEUED);
}

void task_balance_fork(struct task *task)
{
	if (!task->sched)
		return;
	cpu_sync(task->cpu);
	move_to(task, select_idlest(task->sched, queue_of(task->sched, task->cpu)));
}

void task_balance_exec(struct task *task)
{
	struct run_queue *own;
	int seat;

	if (!task->sched)
		return;
	cpu_sync(task->cpu);
	own = queue_of(task->sched, task->cpu);
	seat = sched_map_idlest_for_exec(&task->sched->map, own->seat, own->nr_waiting);
	if (seat != NO_SEAT)
		move_to(task, &task->sched->queues[seat]);
}

void task_sleep(struct task *task, const char *waits_for)
{
	cpu_sync(task->cpu);
	if (task->woken) {
		task->woken = false;
		return;
	}
	task->sleeping = true;
	if (task->sched) {
		queue_leave(queue_of(task->sched, task->cpu));
		queue_await(task, waits_for);
	} else {
		cpu_park(task->cpu, waits_for);
	}
}

/* The waker's part. Returns true when the sleeper is to get a CPU. */
static bool end_sleep(struct task *waker, struct task *sleeper)
{
	if (waker && waker->sched)
		task_kernel(waker, waker->sched->wake_ps);
	if (waker)
		cpu_sync(waker->cpu);
	if (!sleeper->sleeping) {
		sleeper->woken = true;
		return false;
	}
	sleeper->sleeping = false;
	if (sleeper->sched)
		return true;
	actor_wake(sleeper->cpu->engine, sleeper->actor, engine_now(sleeper->cpu->engine) + 1);
	return false;
}

void task_wake(struct task *waker, struct task *sleeper)
{
	if (end_sleep(waker, sleeper))
		queue_place(select_for_wake(sleeper->sched, waker ? waker->cpu : NULL, sleeper->cpu), sleeper);
}

void task_wake_sync(struct task *waker, struct task *sleeper)
{
	if (end_sleep(waker, sleeper))
		queue_place(select_for_sync_wake(sleeper->sched, waker->cpu, sleeper->cpu), sleeper);
}

static void on_time_up(void *arg)
{
	struct task *task = arg;

	queue_place(select_for_wake(task->sched, NULL, task->cpu), task);
}

void task_sleep_for(struct task *task, sim_ps duration)
{
	struct cpu *cpu = task->cpu;

	if (duration <= 0)
		return;
	if (!task->sched) {
		cpu_work(cpu, duration);
		return;
	}
	cpu_sync(cpu);
	queue_leave(queue_of(task->sched, cpu));
	engine_call(cpu->engine, cpu->id, cpu->date + duration, on_time_up, task);
	queue_await(task, "its timer");
}

/* What the stint of a CPU's task, or its idling, has come to by now. */
static void add_current(const struct run_queue *queue, sim_ps now, struct sched_times *times)
{
	const sim_ps elapsed = now - queue->since;
	sim_ps user_ps;

	if (queue->idle) {
		times->idle_ps += elapsed;
		return;
	}
	user_ps = queue->curr->user_ps - queue->user_before;
	if (queue->user_from)
		user_ps += ps_max(now - queue->user_from, 0);
	user_ps = ps_min(user_ps, elapsed);
	times->user_ps += user_ps;
	times->system_ps += elapsed - user_ps;
}

void sched_times(const struct sched *sched, sim_ps now, struct sched_times *out)
{
	*out = sched->times;
	for (int seat = 0; seat < sched->nr_seats; seat++)
		if (sched->queues[seat].cpu)
			add_current(&sched->queues[seat], now, out);
}
