/* The end (src/sched/run/termination.cpp): two runtimes with a worker each, the main one (0) and an arena (1);
 * with -DALONE the arena has two. Jobs fork
 * jobs, post jobs to the other runtime, suspend themselves, and wake those that have. A thread outside posts one more.
 * By default finalize() ends both together; with -DALONE the arena's object ends the arena while the main runtime goes on,
 * and nobody posts to the arena any more but tasks of it. With -DCLOSED both happen: a task of the main runtime waits for
 * the arena's end, and finalize() has begun.
 *
 * With -DBLOCKING two tasks are in blocking code, one of which waits, and others may go there. Such code posts jobs, wakes
 * tasks and other blocking code, waits until it is woken, and returns to the workers; with -DONLY_WAITS it only waits and
 * wakes other such code.
 *
 * Whoever sees the end must be right: no job lies anywhere, nobody runs, all blocking code waits in vain, and of an arena
 * that ends alone no task waits that somebody could wake. Checked at the very moment when it is told. And no task is left
 * that waits for the end of an arena without tasks.
 *
 * Each macro takes a precaution away, and the check has to fail:
 *   NO_STIRRED     that a worker has found something meanwhile is not noticed
 *   STIRRED_FIRST  it says so before it takes itself out of the count: who looks in between counts it as idle and knows already
 *   QUEUES_FIRST   the queues are looked at before the idle workers are counted
 *   ONE_BY_ONE     each runtime looks at itself alone                                      (without ALONE)
 *   NO_VISITS      a thread outside that came through the gate is not waited for           (without ALONE)
 *   NO_TASKS       tasks that wait are not asked for                                       (with ALONE)
 *   TASKS_LAST     they are asked for after the count of those that have found something   (with ALONE)
 *   UNASKED        whether somebody waits for the end of an arena is not asked             (with CLOSED)
 *   QUIETLY        the worker that ends the arena counts as idle while it wakes that task  (with CLOSED)
 *   OUTSIDE_FIRST  blocking code is looked at before the idle workers are counted          (with BLOCKING)
 *   ONE_LOOK       it is looked at once                                                    (with BLOCKING)
 *   NO_BEGUN       that a wait has begun between the two looks is not noticed              (with BLOCKING)
 */
#ifndef STEPS
#define STEPS 3
#endif
#ifndef JOBS
#define JOBS 1           /* at the beginning, with BLOCKING */
#endif

byte queue[2];           /* jobs that lie in deques and inboxes */
byte ready[2];           /* tasks that were woken */
byte waiting[2];         /* tasks that are suspended */
byte live[2];            /* tasks that have a stack: running, ready or suspended */
byte idle[2], running[2];
bit over[2];
byte stirred[2];
byte steps = STEPS;      /* forks, posts and suspensions that are left */
byte visits;
bit open = 1, stopping[2];
/* tasks in blocking code: that runs; that has listed its wait; that waits in vain; that has returned to the workers */
byte code[2], listing[2], vain[2], back[2];
byte begun[2];           /* waits of blocking code that were ever listed */
bit awaited;             /* a task waits for the end of the arena */

#define work(r) (queue[r] > 0 || ready[r] > 0 || back[r] > 0)
#define out(r) (code[r] + listing[r] + vain[r] + back[r])
#define may_go_on(r) (out(r) > 0 && vain[r] != out(r))
#ifdef ALONE
#define WORKERS(r) (1 + r)
#else
#define WORKERS(r) 1
#endif
#define all_idle(r) (idle[r] == WORKERS(r))
/* a worker that has seen what is gone by now may be about to look */
#define quiet(r) (!work(r) && running[r] == 0 && !may_go_on(r))

inline task(r) {          /* a task that has just begun, or goes on */
  do
  :: atomic { steps > 0 -> steps--; queue[r]++ }                                   /* forks */
#if defined(ALONE) || defined(CLOSED)
  :: atomic { steps > 0 && r == 1 -> steps--; queue[0]++ }                         /* nobody uses the arena any more */
#else
  :: atomic { steps > 0 -> steps--; queue[1 - r]++ }                               /* posts */
#endif
  :: atomic { waiting[1 - r] > 0 -> waiting[1 - r]--; ready[1 - r]++ }   /* wakes */
#ifdef BLOCKING
  :: atomic { vain[1 - r] > 0 -> vain[1 - r]--; code[1 - r]++ }                    /* wakes blocking code */
  :: atomic { steps > 0 -> steps--; code[r]++ }; break                             /* goes into blocking code */
#endif
  :: atomic { steps > 0 -> steps--; waiting[r]++ }; break                          /* suspends itself: its stack stays */
  :: live[r]--; break                                                              /* ends */
  od
}

/* One runtime after the other. */
inline look_outside(sum) {
  sum = 0;
  atomic { if :: may_go_on(r) -> goto next :: else -> sum = sum + begun[r] fi };
  atomic { if :: family && may_go_on((1 - r)) -> goto next :: else -> sum = sum + begun[1 - r] fi }
}

proctype worker(bit r) {
  byte before, after, waits, since;
  bit family;
end:
  do
  :: atomic { queue[r] > 0 -> queue[r]--; running[r]++ }; live[r]++; task(r); running[r]--
  :: atomic { ready[r] > 0 -> ready[r]--; running[r]++ }; task(r); running[r]--
#ifdef BLOCKING
  :: atomic { back[r] > 0 -> back[r]--; running[r]++ }; task(r); running[r]--
#endif
  :: !work(r) && stopping[r] ->
     idle[r]++;
     do
     :: over[r] -> goto done
#ifdef STIRRED_FIRST
     :: work(r) && !over[r] -> stirred[r]++; idle[r]--; break
#else
     :: work(r) && !over[r] -> idle[r]--; stirred[r]++; break
#endif
     :: !work(r) && !over[r] ->
#if defined(ALONE) || defined(ONE_BY_ONE)
        family = 0;
#else
        family = 1;
#endif
#ifdef CLOSED
        family = (r == 0);
#endif
        before = stirred[r] + (family -> stirred[1 - r] : 0);
#ifndef NO_VISITS
        if :: visits > 0 -> goto next :: else fi;
#endif
#ifdef QUEUES_FIRST
        if :: work(r) -> goto next :: else fi;
        if :: family && work(1 - r) -> goto next :: else fi;
#endif
#ifdef OUTSIDE_FIRST
        look_outside(waits);
#endif
        if :: !all_idle(r) -> goto next :: else fi;
        if :: family && !all_idle((1 - r)) -> goto next :: else fi;
#if defined(BLOCKING) && !defined(OUTSIDE_FIRST)
        look_outside(waits);
#endif
#ifndef QUEUES_FIRST
        if :: work(r) -> goto next :: else fi;
        if :: family && work(1 - r) -> goto next :: else fi;
#endif
#if defined(ALONE) && !defined(NO_TASKS) && !defined(TASKS_LAST)
        if :: live[r] > 0 -> goto next :: else fi;
#endif
#ifdef CLOSED
        if :: !family && live[1] > 0 -> goto next :: else fi;
#ifndef UNASKED
        if :: family && awaited && live[1] == 0 -> goto next :: else fi;
#endif
#endif
#if defined(BLOCKING) && !defined(ONE_LOOK) && !defined(OUTSIDE_FIRST)
        look_outside(since);
#ifndef NO_BEGUN
        if :: since != waits -> goto next :: else fi;
#endif
#endif
        if :: !all_idle(r) -> goto next :: else fi;
        if :: family && !all_idle((1 - r)) -> goto next :: else fi;
        after = stirred[r] + (family -> stirred[1 - r] : 0);
#ifndef NO_STIRRED
        if :: after != before -> goto next :: else fi;
#endif
#if defined(ALONE) && defined(TASKS_LAST)
        if :: live[r] > 0 -> goto next :: else fi;
#endif
#ifdef CLOSED
        if
        :: !family ->
#ifndef QUIETLY
           idle[1]--; stirred[1]++;
#endif
           atomic { assert(quiet(1) && live[1] == 0); over[1] = 1 };
           atomic { awaited = 0; ready[0]++ };
#ifndef QUIETLY
           idle[1]++;
#endif
           goto next
        :: else
        fi;
#endif
        atomic {
#ifdef CLOSED
          assert(quiet(0) && quiet(1) && !(awaited && live[1] == 0));
          over[0] = 1; over[1] = 1
#elif defined(ALONE)
          assert(quiet(1) && live[1] == 0);
          over[1] = 1
#else
          assert(quiet(0) && quiet(1));
          over[0] = 1; over[1] = 1
#endif
        };
next:   before = 0; after = 0; waits = 0; since = 0
     od
  od;
done: skip
}

#ifdef BLOCKING
/* All blocking code: each step is one of some task's. */
inline step(r) {
  if
  :: atomic { code[r] > 0 && steps > 0 -> steps--; code[r]--; listing[r]++; begun[r]++ }
  :: atomic { listing[r] > 0 -> listing[r]--; vain[r]++ }                         /* waits */
  :: atomic { code[r] > 0 && vain[1 - r] > 0 -> vain[1 - r]--; code[1 - r]++ }    /* wakes other blocking code */
#ifndef ONLY_WAITS
  :: atomic { code[r] > 0 && steps > 0 -> steps--; queue[r]++ }                   /* starts a task */
  :: atomic { code[r] > 0 && waiting[r] > 0 -> waiting[r]--; ready[r]++ }         /* wakes a task */
  :: atomic { code[r] > 0 -> code[r]--; back[r]++ }                               /* returns */
#endif
  fi
}
active proctype pool() {
end:
  do
  :: step(0)
  :: step(1)
  od
}
#endif

active proctype outside() {
  visits++;
  if
  :: open -> queue[0]++; assert(!over[0])
  :: else -> skip
  fi;
  visits--
}

init {
#ifdef BLOCKING
  atomic { vain[0] = 1; live[0]++; code[1] = 1; live[1]++; queue[0] = JOBS };
#else
  queue[0] = 1; queue[1] = 1;
#endif
#ifdef CLOSED
  atomic { awaited = 1; live[0]++ };
#endif
  atomic { run worker(0); run worker(1) };
#ifdef ALONE
  run worker(1);
  stopping[1] = 1
#else
  open = 0;
  stopping[0] = 1; stopping[1] = 1
#endif
}
