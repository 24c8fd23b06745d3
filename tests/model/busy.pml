/* Workers that always have jobs of their own, so that they never search, beside one that hides jobs behind a long function
 * (look at the others, src/sched/run/parking.cpp). Each looks at that one now and then: it takes a public job, or exposes the private
 * ones if it asked at its last look and there was no answer, or asks.
 *
 * The owner pushes without a fence, takes jobs back, and then computes for ever, at any point. That an exposure takes no
 * job twice is checked in deque.pml; here it is one step.
 *
 * Checked, as a property of all fair runs: at some time no job is left. Which of several busy workers is asked is drawn at
 * random in the code; there is one here.
 *
 * Each macro takes a precaution away, and the check has to fail:
 *   PUBLIC_ONLY   a look takes public jobs only
 *   NO_EXPOSURE   it asks, and never exposes
 *   FORGETS       it does not know at the next look that it has asked
 */

#ifndef PUSHES
#define PUSHES 3
#endif
#define LOOKERS 2

byte offered, kept;      /* public and private jobs, as memory shows them */
bit delayed;             /* one more that is in the owner's store buffer */
bit low;                 /* the limit is lowered: a request */

active proctype drain() {
end:
  do
  :: atomic { delayed -> delayed = 0; kept++ }
  od
}

active proctype owner() {
  byte pushed;
  do
  :: pushed < PUSHES ->
     pushed++;
     atomic { !delayed -> delayed = 1 };
     if
     :: low ->
        atomic {                      /* an exchange: all earlier stores are visible after it; then it publishes half */
          low = 0;
          if :: delayed -> delayed = 0; kept++ :: else -> skip fi;
          offered = offered + (kept + 1) / 2;
          kept = kept / 2
        }
     :: else -> skip
     fi
  :: atomic { kept > 0 -> kept-- }                  /* takes one back */
  :: atomic { kept == 0 && offered > 0 -> offered-- }
  :: break                                              /* and now the long function */
  od
}

active [LOOKERS] proctype looker() {
  bit asked;
  do
  :: atomic { offered > 0 -> offered-- }
  :: offered == 0 ->
#ifndef PUBLIC_ONLY
     if
#ifndef NO_EXPOSURE
     :: asked && low && kept > 0 ->
        asked = 0;
        atomic { !delayed -> offered = offered + kept; kept = 0 }         /* behind a heavy barrier */
#endif
     :: else ->
        low = 1;
#ifndef FORGETS
        asked = 1
#endif
     fi
#else
     skip
#endif
  od
}

ltl nothing_is_left { <> [] (offered == 0 && kept == 0 && !delayed) }
