/* The count of a task group (include/charm/detail/group_count.hpp): tasks of the group end on other workers, somebody
 * outside of it adds tasks at any time, and its owner waits twice and then destroys it.
 *
 * Checked: every wait ends, and not before all tasks that were counted when it began are done; whoever makes the count 0
 * completes the wait that is going on, once; nobody touches the completion of a wait that has returned, nor the group
 * after the adder has ended and the owner has destroyed it; nothing is left uncounted at the end.
 *
 * Each macro takes a precaution away, and the check has to fail:
 *   STORE_BIAS   the waiter stores the bias, whatever the count is by then
 *   NO_UNFOLD    who adds to a count of 0 does not put the bias back
 *   TWO_STEPS    who adds to a count of 0 puts the bias back in a step of its own, still before its task may run
 *   SILENT       a task that the adder must run itself, since the queue is full, is taken off without looking for 0
 */

#define BIAS 16
#define TASKS 2          /* that the owner has spawned before each wait */
#define ADDED 2          /* by the one outside, one by one */

short count = BIAS;      /* remote_ */
byte home = 0;           /* home_ */
byte queued = 0;         /* tasks to be run by workers */
byte unfinished = 0;     /* tasks counted and not done */
bit told = 0;            /* the completion of the wait that goes on */
bit waiting = 0;         /* it exists */
bit destroyed = 0;
bit added_all = 0;

#define TOUCH assert(!destroyed)

inline complete() {
  atomic { assert(waiting && !told); told = 1 }
}

inline remove() {
  atomic { TOUCH; unfinished--; count--; zero = (count == 0) };   /* fetch_sub: the last touch of the count */
  if
  :: zero -> complete()
  :: else -> skip
  fi;
  zero = 0
}

active [2] proctype worker() {
  bit zero;
end:
  do
  :: atomic { queued > 0 -> queued-- };
     remove()
  od
}

active proctype adder() {
  byte i = 0;
  bit zero, unfold;
  do
  :: i < ADDED ->
     atomic {
       TOUCH;
       unfold = (count == 0);
       count++;
       unfinished++;
#if !defined(NO_UNFOLD) && !defined(TWO_STEPS)
       if
       :: unfold -> count = count + BIAS
       :: else -> skip
       fi
#endif
     };
#ifdef TWO_STEPS
     if
     :: unfold -> atomic { TOUCH; count = count + BIAS }
     :: else -> skip
     fi;
#endif
     if
     :: queued++
     :: skip;                                    /* the queue is full: it runs the task itself */
#ifdef SILENT
        atomic { TOUCH; unfinished--; count-- }
#else
        remove()
#endif
     fi;
     unfold = 0;
     i++
  :: else -> break
  od;
  added_all = 1
}

inline wait() {
  if
  :: home == 0 && count == BIAS -> skip
  :: else ->
     atomic { waiting = 1; told = 0 };
     atomic { change = home - BIAS; home = 0 };
     atomic { count = count + change; left = count };
     if
     :: left != 0 -> (told)
     :: else -> skip
     fi;
     waiting = 0;
#ifdef STORE_BIAS
     count = BIAS
#else
     atomic {
       if
       :: count == 0 -> count = BIAS
       :: else -> skip
       fi
     }
#endif
  fi;
  change = 0; left = 0
}

active proctype owner() {
  short change, left;
  byte i = 0;
  do
  :: i < TASKS -> atomic { home++; unfinished++; queued++ }; i++
  :: else -> break
  od;
  wait();
  atomic { home++; unfinished++; queued++ };
  wait();
  (added_all);                                   /* the program sees to it that nobody adds to a group that goes */
  wait();
  assert(unfinished == 0 && home == 0 && count == BIAS);
  destroyed = 1
}
