/* Worker 0 lent again and again (the search after a loan, src/sched/run/loan.hpp): the thread that called init() borrows the worker for
 * moments, any number of times, while another worker is busy for ever and hides a job. The worker's own thread sleeps
 * meanwhile.
 *
 * Checked, as a property of all fair runs: the own thread gets the worker, and looks. A thread that can go on does so at
 * some time; the sleep with a limit ends at some time, with the worker lent or not.
 *
 * Each macro takes a precaution away, and the check has to fail:
 *   UNLIMITED     a thread that is rung while the worker is lent sleeps on without a limit
 *   NOT_OVERDUE   one whose time is over while the worker is lent tries to take it, and if that fails waits anew
 *   LATE_WORD     it says that the look is overdue only after it has tried to take the worker
 */

mtype = { PARKED, LENT, RUNNING, NONE, SOON, OVERDUE };
mtype slot = PARKED;
mtype look = NONE;
bit bell, looked;

inline wake() {
  atomic {
    if
    :: slot == PARKED -> slot = RUNNING; bell = 1
    :: else -> skip
    fi
  }
}

active proctype home() {
  bit lent;
  do
  :: atomic { slot == PARKED -> slot = LENT };
     lent = 1;
     slot = PARKED;
     if
     :: look == OVERDUE -> look = NONE; wake()
     :: atomic { look == NONE -> look = SOON }; bell = 1
     :: look == SOON
     fi
  :: looked || lent -> break             /* the last loan */
  od
}

active proctype own() {
  bit limited, after_loan;
  do
  :: slot == RUNNING -> break
  :: slot != RUNNING ->
     after_loan = (look == SOON);
#ifdef UNLIMITED
     limited = (after_loan && slot == PARKED);
#else
     limited = after_loan;
#endif
     if
     :: bell
     :: limited && !bell ->
#ifdef LATE_WORD
        wake();
#endif
#ifdef NOT_OVERDUE
        look = NONE;
#else
        look = OVERDUE;
#endif
#ifndef LATE_WORD
        wake()
#endif
     fi;
     bell = 0
  od;
  looked = 1
}

ltl it_looks { <> looked }
