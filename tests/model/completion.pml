/* Completion (include/charm/detail/completion.hpp, src/sched/wait/waiting.cpp): the end of a job meets the one who waits for it.
 *
 * The waiter is a task, or a thread that is no worker. A task waits by leaving its fiber: it switches away, its context is
 * saved, and then the fiber that was switched to leaves it as the waiter. Checked: the waiter goes on exactly once, never
 * before its context is saved, always in the end; and nobody touches the completion after the waiter may have destroyed it.
 *
 * Each macro takes a precaution away, and the check has to fail:
 *   PUBLISH_EARLY  the task leaves itself as the waiter before it switches away
 *   NO_CAS         the waiter is stored without looking whether the end has come meanwhile
 *   TOUCH_AFTER    the completer looks at the completion once more after its exchange
 *   WAKE_FIRST     the thread that waits is told before the completion says done
 *   FOREIGN        (not a fault) the waiter is a thread that is no worker
 */

mtype = { PENDING, DONE, WAITER };
mtype state = PENDING;
bit saved;               /* the fiber's context is */
bit gone;                /* the waiter has returned: the completion may be destroyed */
byte resumed;            /* in a queue of fibers that can go on */
bit woken;               /* the foreign waiter's futex word */

#define TOUCH assert(!gone)

inline make_ready() {
  assert(saved);
  resumed++;
  assert(resumed == 1)
}

active proctype completer() {
  mtype before;
#ifdef WAKE_FIRST
  TOUCH; before = state;
  if :: before == WAITER -> woken = 1 :: else -> skip fi;
  TOUCH; state = DONE;
#else
  atomic { TOUCH; before = state; state = DONE };      /* exchange: the last touch */
  if
  :: before == WAITER ->
#ifdef FOREIGN
     woken = 1
#else
     make_ready()
#endif
  :: else -> skip
  fi;
#endif
#ifdef TOUCH_AFTER
  TOUCH; before = state
#endif
}

/* wait() of a thread that is no worker. */
inline wait_as_thread() {
  atomic {
    TOUCH;
    if
    :: state == PENDING -> state = WAITER; left = 1
    :: else -> left = 0
    fi
  };
  if
  :: left -> (woken)
  :: else -> skip
  fi
}

/* wait() of a task; the second half runs on the fiber that is switched to. */
inline wait_as_task() {
#ifdef PUBLISH_EARLY
  leave_as_waiter();
  saved = 1;
#else
  saved = 1;
  leave_as_waiter();
#endif
  (resumed == 1)
}
inline leave_as_waiter() {
#ifdef NO_CAS
  TOUCH; state = WAITER
#else
  atomic {
    TOUCH;
    if
    :: state == PENDING -> state = WAITER; left = 1
    :: else -> left = 0
    fi
  };
  if
  :: !left -> make_ready()
  :: else -> skip
  fi
#endif
}

active proctype waiter() {
  bit left;
  TOUCH;
  if
  :: state == DONE -> skip
  :: state != DONE ->
#ifdef FOREIGN
     wait_as_thread()
#else
     wait_as_task()
#endif
  fi;
  gone = 1
}
