/* Who looks for a deadlock (src/sched/debug/deadlock.hpp): a worker that may look before it sleeps for long, and a thread of
 * the program that waits and looks itself a moment later. The worker is woken for nothing up to WAKES times.
 *
 * Checked: when nobody can go on, somebody has looked while both slept and the thread waited, so a deadlock is reported.
 * Each of these takes a precaution away, and the check has to fail:
 *   NO_LOOK     the thread does not look itself
 *   NO_RESET    the thread does not take back that the worker has looked
 *   LATE_RESET  it does so after it has read whether all sleep
 *   LATE_SLEEP  the worker stores that it sleeps after it has read whether it has looked
 */

#ifndef WAKES
#define WAKES 2
#endif

bit sleeps;      /* the worker's slot says that it sleeps */
bit looked;      /* it has looked since it last had something to do */
bit waits;       /* the thread is listed */
bit reported;
bit rung;        /* the worker was woken */
byte wakes = WAKES;
bit thread_done, worker_done;

inline look() {
  if
  :: sleeps && waits -> reported = 1
  :: sleeps && !waits -> looked = 1
  :: else
  fi
}

active proctype worker() {
  bit watches;
  do
  :: true ->
#ifndef LATE_SLEEP
    sleeps = 1;
#endif
    watches = !looked;
#ifdef LATE_SLEEP
    sleeps = 1;
#endif
    if
    :: watches -> /* a second later */
       atomic { look(); }
       sleeps = 0 /* it goes round once more */
    :: !watches ->
       worker_done = 1;
end_asleep:
       if
       :: rung -> rung = 0; worker_done = 0; sleeps = 0
       fi
    fi
  od
}

/* Wakes the worker for nothing: it finds no job, so `looked` stays. */
active proctype waker() {
  do
  :: wakes > 0 && !rung -> wakes--; rung = 1
  :: wakes == 0 -> break
  od
}

active proctype thread() {
  waits = 1;
#ifndef NO_LOOK
  /* a second later */
#if !defined(NO_RESET) && !defined(LATE_RESET)
  looked = 0;
#endif
  if
  :: sleeps -> reported = 1
  :: !sleeps -> skip
  fi;
#ifdef LATE_RESET
  looked = 0;
#endif
#endif
  thread_done = 1
}

/* All have come to rest: the worker sleeps without a limit, and the thread waits. */
active proctype check() {
  (worker_done && thread_done && wakes == 0 && !rung && sleeps) -> assert(reported)
}
