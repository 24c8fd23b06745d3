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
 *   ENDERS=n       (not a fault) so many end the wait early: its time limit, a cancellation, a stop token. They find it in a
 *                  list, under a lock. The waiter leaves the list, takes their mark away, and waits once more if it is
 *                  not done.
 *   NO_LOOK        one that ends a wait does not look whether another has done so
 *   NO_GOODBYE     the waiter does not leave the list
 */

#ifndef ENDERS
#define ENDERS 0
#endif

mtype = { PENDING, DONE, WAITER, EXPIRED };
mtype state = PENDING;
bit saved;               /* the fiber's context is */
bit gone;                /* the waiter has returned: the completion may be destroyed */
byte resumed;            /* in a queue of fibers that can go on */
bit woken;               /* the foreign waiter's futex word */
bit listed;              /* where those that end waits find it */

#define TOUCH assert(!gone)

inline make_ready() {
  assert(saved);
  atomic { resumed++; assert(resumed == 1) }
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

#if ENDERS > 0
/* A time limit, a cancellation or a stop token; it may also come to nothing. */
active [ENDERS] proctype ender() {
  mtype before;
  bit mine;
  if
  :: atomic {                                          /* under the lock of the list */
       listed -> TOUCH;
       before = state;
#ifdef NO_LOOK
       if :: state != DONE -> state = EXPIRED; mine = 1 :: else -> skip fi
#else
       if :: state != DONE && state != EXPIRED -> state = EXPIRED; mine = 1 :: else -> skip fi
#endif
     }
  :: skip
  fi;
  if
  :: mine && before != PENDING ->
#ifdef FOREIGN
     woken = 1
#else
     make_ready()
#endif
  :: else -> skip
  fi
}
#endif

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
  do
  :: TOUCH;
     if
     :: state == DONE -> break
     :: state != DONE ->
        listed = 1;
#ifdef FOREIGN
        wait_as_thread();
        woken = 0;
#else
        wait_as_task();
        resumed = 0;
        saved = 0;
#endif
#ifndef NO_GOODBYE
        listed = 0;
#endif
        atomic { if :: state == EXPIRED -> state = PENDING :: else -> skip fi }
     fi
  od;
  gone = 1
}
