/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run queues: who has a CPU, who waits for it, and when that changes.
 *
 * No event happens while nothing changes. A task's user work is one wait of its
 * actor, ended by a call of the queue's timer: at its end, or when the slice
 * ends and somebody waits. Who joins a queue or wakes an SMT sibling moves that
 * date; slices of a task alone on its CPU follow each other without an event.
 */
#include "models/kernel/sched_state.h"

#include <assert.h>

#define USER_AHEAD_PS PS_PER_US /* user work that is worth no event; nobody notices who waits a microsecond later */

static sim_ps tick_at_or_after(const struct sched *sched, sim_ps date)
{
	const sim_ps tick_ps = sched->tick_ps;

	return tick_ps ? (date + tick_ps - 1) / tick_ps * tick_ps : date;
}

/* Alone on its CPU a task gets a new slice at each tick that finds the old one over (update_deadline()). */
static void renew_slice(const struct sched *sched, struct task *task, sim_ps now)
{
	const sim_ps period = tick_at_or_after(sched, sched->slice_ps);
	const sim_ps over = now - task->slice_end;

	if (over > 0)
		task->slice_end += (over + period - 1) / period * period;
}

/* Date of the next thing that the queue's timer has to do. */
static sim_ps timer_due(const struct run_queue *queue)
{
	sim_ps date = queue->user_until ? queue->user_until : SIM_PS_MAX;

	if (queue->user_until && queue->nr_waiting)
		date = ps_min(date, ps_max(queue->curr->slice_end, queue->user_from));
	return queue->balance_at ? ps_min(date, queue->balance_at) : date;
}

/* A call acts on the date after its own, since what it wakes comes 1 ps later. One that was moved ahead finds nothing to do. */
static void timer_arm(struct run_queue *queue)
{
	struct engine *engine = queue->sched->engine;
	const sim_ps due = timer_due(queue);
	const sim_ps date = ps_max(due - 1, engine_now(engine) + 1);

	if (due == SIM_PS_MAX || (queue->timer_at && queue->timer_at <= date))
		return;
	queue->timer_at = date;
	engine_call(engine, queue->cpu->id, date, queue->sched->on_timer, queue);
}

static bool sibling_is_busy(const struct cpu *cpu)
{
	return cpu->core_shared && !cpu->sibling_idle;
}

/* The user work in progress is worth more or less from now on. */
static void reprice_user(struct run_queue *queue)
{
	const struct cpu *cpu = queue->cpu;
	const sim_ps from = ps_max(engine_now(cpu->engine), queue->user_from);
	const sim_ps left = queue->user_until - from;

	if (left <= 0)
		return;
	queue->user_until =
		from + (sibling_is_busy(cpu) ? cpu_time_beside_sibling(cpu, left) : cpu_work_beside_sibling(cpu, left));
	timer_arm(queue);
}

/* Tell the siblings of a CPU that has begun or ceased to be busy. */
static void note_siblings(struct run_queue *queue)
{
	const struct sched *sched = queue->sched;
	struct run_queue *core = &sched->queues[queue->seat - queue->seat % sched->map.smt];
	int nr_busy = 0;

	for (int i = 0; i < sched->map.smt; i++)
		nr_busy += core[i].cpu && !core[i].idle;
	for (int i = 0; i < sched->map.smt; i++) {
		struct cpu *cpu = core[i].cpu;
		const bool idle = cpu && nr_busy == !core[i].idle;

		if (!cpu || cpu->sibling_idle == idle)
			continue;
		cpu->sibling_idle = idle;
		if (cpu->core_shared)
			reprice_user(&core[i]);
	}
}

void queue_create(struct sched *sched, struct cpu *cpu)
{
	struct run_queue *queue = queue_of(sched, cpu);

	queue->sched = sched;
	queue->cpu = cpu;
	queue->seat = (int)(queue - sched->queues);
	queue->idle = true;
	cpu->sibling_idle = true;
	sched_map_add_cpu(&sched->map, queue->seat);
}

static void append(struct run_queue *queue, struct task *task)
{
	task->next = NULL;
	if (queue->first)
		queue->last->next = task;
	else
		queue->first = task;
	queue->last = task;
	queue->nr_waiting++;
	sched_map_count_waiting(&queue->sched->map, queue->seat, 1, queue->nr_waiting);
}

static struct task *take_first(struct run_queue *queue)
{
	struct task *task = queue->first;

	if (!task)
		return NULL;
	queue->first = task->next;
	queue->nr_waiting--;
	sched_map_count_waiting(&queue->sched->map, queue->seat, -1, queue->nr_waiting);
	if (!queue->nr_waiting)
		queue->balance_at = 0;
	return task;
}

/* The task that has waited longest in the longest queue nearby (sched_balance_newidle()), or NULL. */
static struct task *pull(struct run_queue *to)
{
	const struct sched *sched = to->sched;
	const int cluster = sched_map_most_waiting_cluster(&sched->map, to->seat);
	struct run_queue *from = NULL;

	if (cluster < 0)
		return NULL;
	for (int seat = NO_SEAT; (seat = sched_map_next_waiting(&sched->map, cluster, seat)) != NO_SEAT;)
		if (!from || sched->queues[seat].nr_waiting > from->nr_waiting)
			from = &sched->queues[seat];
	return take_first(from);
}

/* The CPU is the task's from now on; it arrives after `latency`. */
static void switch_to(struct run_queue *queue, struct task *task, sim_ps latency)
{
	struct sched *sched = queue->sched;

	sched->times.switches++;
	if (task->cpu != queue->cpu) {
		sched->times.migrations++;
		task->cold_ps = sched->migration_ps;
	}
	task->cpu = queue->cpu;
	queue->curr = task;
	queue->user_before = task->user_ps;
	actor_move(sched->engine, task->actor, queue->cpu->id);
	actor_wake(sched->engine, task->actor, engine_now(sched->engine) + latency);
}

static void go_idle(struct run_queue *queue)
{
	queue->curr = NULL;
	queue->idle = true;
	queue->cpu->actor = NULL;
	sched_map_set_idle(&queue->sched->map, queue->seat, true);
	note_siblings(queue);
}

/* While CPUs are idle that were too far for the waker to look at, one of them takes a waiting task at the next tick. */
static void await_balance(struct run_queue *queue)
{
	const struct sched *sched = queue->sched;

	if (queue->nr_waiting && sched->map.nr_idle && !queue->balance_at)
		queue->balance_at = tick_at_or_after(sched, engine_now(sched->engine) + 2);
}

void queue_place(struct run_queue *queue, struct task *task)
{
	const struct sched *sched = queue->sched;

	if (!queue->curr) {
		sched_map_set_idle(&queue->sched->map, queue->seat, false);
		switch_to(queue, task, sched->wake_latency_ps);
		return;
	}
	if (!queue->nr_waiting)
		renew_slice(sched, queue->curr, engine_now(sched->engine));
	append(queue, task);
	actor_move(sched->engine, task->actor, queue->cpu->id);
	if (task->actor != engine_self(sched->engine))
		actor_waits_for(task->actor, QUEUED);
	await_balance(queue);
	timer_arm(queue);
}

static void end_stint(struct run_queue *queue)
{
	struct sched *sched = queue->sched;
	struct task *task = queue->curr;
	const sim_ps now = engine_now(sched->engine);
	const sim_ps user_ps = task->user_ps - queue->user_before;
	const sim_ps system_ps = now - queue->since - user_ps;

	assert(queue->cpu->date == now && system_ps >= 0);
	task->system_ps += system_ps;
	sched->times.user_ps += user_ps;
	sched->times.system_ps += system_ps;
	queue->since = now;
}

void queue_leave(struct run_queue *queue)
{
	struct task *next;

	end_stint(queue);
	next = take_first(queue);
	if (!next)
		next = pull(queue);
	if (next)
		switch_to(queue, next, 0);
	else
		go_idle(queue);
}

void queue_rotate(struct run_queue *queue)
{
	queue->sched->times.preemptions++;
	append(queue, queue->curr);
	queue_leave(queue);
	await_balance(queue);
	timer_arm(queue);
}

void queue_await(struct task *task, const char *waits_for)
{
	struct sched *sched = task->sched;
	struct run_queue *queue;
	struct cpu *cpu;

	actor_park(sched->engine, waits_for);
	cpu = task->cpu;
	queue = queue_of(sched, cpu);
	cpu->date = engine_now(sched->engine);
	cpu->actor = task->actor;
	if (queue->idle) {
		sched->times.idle_ps += cpu->date - queue->since;
		queue->since = cpu->date;
		queue->idle = false;
		note_siblings(queue);
	}
	task->on_cpu_since = queue->since;
	task->slice_end = tick_at_or_after(sched, queue->since + sched->slice_ps);
	cpu_work(cpu, cpu_slowed(cpu, sched->context_switch_ps));
}

sim_ps queue_run_user(struct run_queue *queue, sim_ps work)
{
	struct cpu *cpu = queue->cpu;
	struct task *task = queue->curr;
	const sim_ps takes = cpu_slowed(cpu, work);

	if (cpu->date + takes <= engine_now(cpu->engine) + USER_AHEAD_PS) {
		cpu_work(cpu, takes);
		task->user_ps += takes;
		return 0;
	}
	queue->user_from = cpu->date;
	queue->user_until = cpu->date + takes;
	timer_arm(queue);
	actor_park(cpu->engine, "the end of its user work");
	cpu->date = engine_now(cpu->engine);
	task->user_ps += cpu->date - queue->user_from;
	queue->user_from = 0;
	return queue->user_left;
}

static void end_user(struct run_queue *queue, sim_ps date)
{
	const struct cpu *cpu = queue->cpu;
	const sim_ps left = ps_max(queue->user_until - date, 0);

	queue->user_left = sibling_is_busy(cpu) ? cpu_work_beside_sibling(cpu, left) : left;
	queue->user_until = 0;
	actor_wake(cpu->engine, queue->curr->actor, date);
}

static void balance(struct run_queue *queue)
{
	struct sched *sched = queue->sched;
	const int seat = sched_map_idle_near(&sched->map, queue->seat);

	queue->balance_at = 0;
	if (seat != NO_SEAT)
		queue_place(&sched->queues[seat], take_first(queue));
	await_balance(queue);
}

void queue_timer(void *arg)
{
	struct run_queue *queue = arg;
	const sim_ps now = engine_now(queue->sched->engine);

	if (now != queue->timer_at)
		return;
	queue->timer_at = 0;
	if (queue->balance_at && queue->balance_at <= now + 1)
		balance(queue);
	if (queue->user_until && timer_due(queue) <= now + 1)
		end_user(queue, now + 1);
	timer_arm(queue);
}
