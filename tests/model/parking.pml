/* Parking and waking (src/sched/run/parking.cpp): one worker that runs out of work, one that stays busy, one thread outside.
 *
 * - Push, then read the slot: A job posted to the sleeper's inbox is never left lying: poster and parker each write, then read
 *   what the other writes. Checked with TASKS posts; a run that ends with a job in the inbox and the worker asleep is a
 *   deadlock.
 * - Barrier before the last search: A job that the busy worker pushes into its deque, and then computes for ever, does not stay
 *   hidden from the sleeper: the push has no fence, so the look before the first sleep may miss it; that sleep ends by itself,
 *   runs a barrier that drains the pusher's stores, and looks again.
 * Late rings: a waker changes the slot first and rings afterwards, so a ring may come for a sleep that is over.
 *
 * Each macro takes a precaution away, and the check has to fail:
 *   NO_RECHECK      the parker does not look again after it has announced itself (push, then read the slot)
 *   DELAYED_POST    the poster's push is a plain store that may still be in its buffer at its look (push, then read the slot)
 *   NO_NAP          the first sleep has no limit (barrier before the last search)
 *   NO_BARRIER      the look after the nap runs without the barrier (barrier before the last search)
 *   BARRIER_FIRST   barrier and look come before the announcement: what is pushed between finds nobody parked (barrier before the last search)
 *   NO_SILENCE      the parker looks at the slot before it silences the bell, and not after (rings)
 */

mtype = { RUNNING, PARKED };
mtype slot = RUNNING;
bit bell;
byte inbox;              /* jobs in it */
byte behind;             /* jobs that the busy worker's tail shows in memory */
bit request;             /* the busy worker's limit is lowered */
byte posts_done, got, stolen;
#define POSTS 2
#define PUSHES 1

/* Stores of the busy worker, and of a poster that lacks its fence, that are not visible yet. */
bit push_delayed, post_delayed;
active proctype drain() {
end:
  do
  :: atomic { push_delayed -> push_delayed = 0; behind++ }
  :: atomic { post_delayed -> post_delayed = 0; inbox++ }
  od
}

inline wake() {
  atomic {
    if
    :: slot == PARKED -> slot = RUNNING; won = 1
    :: else -> won = 0
    fi
  };
  if
  :: won -> bell = 1        /* store, then futex_wake: the sleeper's wait ends where the bell is not 0 */
  :: else -> skip
  fi;
  won = 0
}

active proctype poster() {
  bit won;
  do
  :: posts_done < POSTS ->
#ifdef DELAYED_POST
     !post_delayed; post_delayed = 1;
#else
     inbox++;
#endif
     posts_done++;
     wake()
  :: else -> break
  od
}

/* Pushes, then computes without end: nobody but a thief gets at what it pushed. */
active proctype busy() {
  bit won;
  push_delayed = 1;
  if
  :: request -> (!push_delayed); request = 0; wake()    /* push_slow: an exchange, then notify */
  :: else -> skip
  fi
}

active proctype parker() {
  bit won, more, deep, heard;
  do
  :: got == POSTS && stolen == PUSHES -> break
  :: else ->
     /* Looks around as a searcher. */
     do
     :: atomic { inbox > 0 -> inbox--; got++ }; deep = 0
     :: atomic { behind > 0 -> behind--; stolen++ }; deep = 0
     :: inbox == 0 && behind == 0 -> break
     od;
     if
     :: got == POSTS && stolen == PUSHES -> break
     :: else -> skip
     fi;
#ifdef BARRIER_FIRST
     if :: deep -> !push_delayed :: else -> skip fi;
     more = (inbox > 0 || behind > 0);
#endif
     slot = PARKED;
     request = 1;                                        /* whoever is busy shall notice a sleeper at its next push */
#ifndef BARRIER_FIRST
#ifndef NO_BARRIER
     if :: deep -> !push_delayed :: else -> skip fi;             /* membarrier(2) */
#endif
#ifndef NO_RECHECK
     more = (inbox > 0 || behind > 0);
#endif
#endif
     if
     :: more -> more = 0; wake()
     :: else -> skip
     fi;
     do
     :: slot == RUNNING -> break
     :: else ->
        if
        :: bell != 0 -> skip                             /* futex_wait returns */
#ifndef NO_NAP
        :: !deep -> wake()                               /* the nap is over */
#endif
        fi;
#ifdef NO_SILENCE
        heard = (slot == RUNNING);
        bell = 0;
        if :: heard -> break :: else -> (bell != 0) fi
#else
        bell = 0
#endif
     od;
     deep = 1
  od
}
