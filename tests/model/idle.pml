/* Idle workers beside busy ones (src/sched/run/parking.cpp): two that are idle, two that are busy, in two
 * groups, and the thread that called init(), to which idle worker 0 is lent for a while.
 *
 * A busy worker pushes jobs that only a thief can see to, takes some of them back, and then computes for ever. Its pushes
 * have no fence: they reach memory at any later time, and its look at the limit may come first. Checked: whenever nobody
 * can go on, no job is left, so nobody sleeps for ever beside work. (Sleeps with a limit end, and an idle worker that sees
 * a job takes it.) What a thief finds may be gone when it comes (MISSES times), so that workers back off.
 *
 * EAGER (not a fault): there is no membarrier(2); a push publishes by a read-modify-write and looks for sleepers always.
 * ONE_BUSY (not a fault): only the first is busy.
 * APART (not a fault): each idle worker has a group of its own; else both are in the group of the first busy one.
 * POSTS: a thread outside posts so many jobs for any worker, and wakes nobody where somebody searches; one of the jobs that
 *   the idle ones find takes for ever.
 * LATE: a thread wakes worker 1, counts it as searching before it does so, and may come too late.
 * Each of these takes a precaution away, and the check has to fail:
 *   NO_NAP          the first sleep has no limit (barrier before the last search)
 *   NO_BARRIER      the look before a sleep without a limit comes without the barrier (barrier before the last search)
 *   NEAREST_ONLY    a sleeper asks only the nearest group where somebody is busy (barrier before the last search)
 *   NO_SENTRY_NAP   the sentry sleeps without a limit (one sentry)
 *   NO_LAST_LOOK    one that gives the role of sentry up does not look again (one sentry)
 *   NO_LOOK_AFTER   nobody looks for work at the end of a loan (look around after a loan)
 *   NO_NEXT         the last searcher that finds a job wakes nobody (wakers count whom they wake; POSTS)
 *   NO_LATE_NEXT    one that comes too late to wake a worker wakes nobody else (wakers count whom they wake; POSTS, LATE)
 *   NO_INBOX_LOOK   a parked worker does not look at what was posted (rely on a searcher; POSTS)
 *   POST_LAST       the poster looks for a searcher before it posts (rely on a searcher; POSTS)
 */

#ifndef PUSHES
#define PUSHES 1
#endif
#ifndef MISSES
#define MISSES 1
#endif
#ifndef LOANS
#define LOANS 1
#endif
#define LOOKS 1
#ifdef APART
#define GROUP(i) (i)
#else
#define GROUP(i) 0
#endif
#define NOBODY 2
#define HIDDEN (jobs[0] + jobs[1] > 0)
#define WORK (HIDDEN || posted > 0)

mtype = { RUN, PARKED, LENT };
mtype slot[2] = RUN;
bit asleep[2];
byte searching[2];
byte jobs[2];          /* jobs of a busy worker that memory shows */
bit delayed[2];          /* one more that is in its store buffer */
bit low[2];              /* its limit is lowered: a request */
byte sentry = NOBODY;
bit after_loan;
byte misses = MISSES;
byte posted;             /* jobs in the inbox for any worker */
#ifdef POSTS
bit endless;             /* a job that takes for ever has been found */
#endif

active proctype monitor() { timeout -> assert(!WORK) }      /* nobody can go on: all sleep without a limit */

active proctype drain() {
end:
  do
  :: atomic { delayed[0] -> delayed[0] = 0; jobs[0]++ }
  :: atomic { delayed[1] -> delayed[1] = 0; jobs[1]++ }
  od
}

inline wake(i) {
  atomic {
    if
    :: slot[i] == PARKED -> searching[GROUP(i)]++; slot[i] = RUN
    :: else -> skip
    fi
  }
}

/* Wakes one of the group that is flagged asleep, if any is. */
inline wake_one_of(g) {
  atomic {
    if
    :: asleep[0] && GROUP(0) == g && slot[0] == PARKED -> searching[g]++; slot[0] = RUN; woken = 1
    :: asleep[1] && GROUP(1) == g && slot[1] == PARKED -> searching[g]++; slot[1] = RUN; woken = 1
    :: else -> woken = 0
    fi
  }
}

inline notify(home) {
  if
  :: searching[home] > 0 -> skip
  :: else ->
     wake_one_of(home);
     if
     :: woken -> skip
     :: else ->
        if
        :: searching[1 - home] > 0 -> skip
        :: else -> wake_one_of(1 - home)
        fi
     fi
  fi;
  woken = 0
}

inline wake_anybody() {
  wake_one_of(0);
  if :: woken -> skip :: else -> wake_one_of(1) fi;
  woken = 0
}

proctype busy(bit b) {
  byte pushed;
  bit woken;
  do
  :: pushed < PUSHES ->
     pushed++;
#ifdef EAGER
     jobs[b]++;
     notify(b)
#else
     atomic { !delayed[b] -> delayed[b] = 1 };
     if
     :: low[b] ->
        atomic {                                     /* an exchange: all earlier stores are visible after it */
          low[b] = 0;
          if :: delayed[b] -> delayed[b] = 0; jobs[b]++ :: else -> skip fi
        };
        notify(b)
     :: else -> skip
     fi
#endif
  :: atomic { pushed < PUSHES && jobs[b] > 0 -> jobs[b]-- }      /* takes it back */
  :: pushed == PUSHES -> break
  od
}

#ifdef POSTS
active proctype outside() {
  byte posts;
  bit woken;
  do
  :: posts < POSTS ->
     posts++;
#ifndef POST_LAST
     posted++;
#endif
     if
     :: searching[0] > 0 -> skip
     :: else ->
        if
        :: searching[1] > 0 -> skip
        :: else ->
#ifdef POST_LAST
           posted++;
#endif
           wake_anybody();
           goto next
        fi
     fi;
#ifdef POST_LAST
     posted++;
#endif
next:
     skip
  :: posts == POSTS -> break
  od
}
#endif

#ifdef LATE
active proctype late() {
  bit woken;
end_not_yet:
  slot[1] == PARKED;
  searching[GROUP(1)]++;
  atomic {
    if
    :: slot[1] == PARKED -> slot[1] = RUN; goto end
    :: else -> searching[GROUP(1)]--
    fi
  };
#ifndef NO_LATE_NEXT
  if :: searching[GROUP(1)] == 0 -> notify(GROUP(1)) :: else -> skip fi;
#endif
end:
  skip
}
#endif

inline look() {
#ifndef EAGER
#ifndef NO_BARRIER
  (!delayed[0] && !delayed[1]);
#endif
#endif
  more = HIDDEN
}

inline poke_all() {
  low[0] = 1;
#ifdef NEAREST_ONLY
  skip
#else
  low[1] = 1
#endif
}

proctype idle(bit i) {
  byte fruitless;
  bit more, limited, woken;
  searching[GROUP(i)]++;
search:
  if
  :: atomic { jobs[0] > 0 -> jobs[0]-- }; goto found
  :: atomic { jobs[1] > 0 -> jobs[1]-- }; goto found
#ifdef POSTS
  :: atomic { posted > 0 -> posted-- }; goto found
#endif
  :: atomic { HIDDEN && posted == 0 && misses > 0 -> misses-- }
  :: !WORK
  fi;

  /* park */
  asleep[i] = 1;
  searching[GROUP(i)]--;
  slot[i] = PARKED;
#ifndef NO_NAP
  limited = (fruitless == 0);
#endif
  if
  :: fruitless == 0 -> low[GROUP(i)] = 1
  :: fruitless > 0 && fruitless <= LOOKS ->
     poke_all();
     look();
     if :: more -> wake(i) :: else -> skip fi
  :: fruitless > LOOKS ->
     if
     :: atomic { sentry == NOBODY -> sentry = i };
        poke_all();
        look();
        if
        :: more ->
#ifndef NO_SENTRY_NAP
           limited = 1
#endif
        :: else ->
           atomic { if :: sentry == i -> sentry = NOBODY :: else -> skip fi };
#ifndef NO_LAST_LOOK
           if :: HIDDEN -> wake(i) :: else -> skip fi
#endif
        fi
     :: sentry != NOBODY
     fi
  fi;
  more = 0;
#ifdef POSTS
#ifndef NO_INBOX_LOOK
  if :: posted > 0 -> wake(i) :: else -> skip fi;
#endif
#endif
end_asleep:
  do
  :: slot[i] == RUN -> break
  :: limited && slot[i] != RUN -> wake(i)            /* the time is over; in vain where it is lent */
  :: i == 0 && after_loan -> after_loan = 0; wake(i)
  :: slot[i] == LENT && sentry == i -> sentry = NOBODY; wake_anybody()
  od;
  atomic {
    limited = 0;
    if :: sentry == i -> sentry = NOBODY :: else -> skip fi;
    if :: fruitless <= LOOKS -> fruitless++ :: else -> skip fi;
    asleep[i] = 0
  };
  goto search;

found:
  fruitless = 0;
  searching[GROUP(i)]--;
#ifndef NO_NEXT
  if :: searching[GROUP(i)] == 0 -> notify(GROUP(i)) :: else -> skip fi;
#endif
#ifdef POSTS
  if
  :: atomic { !endless -> endless = 1 }; end_computes: false
  :: skip
  fi;
#endif
  searching[GROUP(i)]++;                             /* it has run the job */
  goto search
}

/* The thread that called init(): regions that need nobody's help. */
active proctype home() {
  byte loans;
  do
  :: loans < LOANS ->
     loans++;
     if
     :: atomic { slot[0] == PARKED -> slot[0] = LENT };
        asleep[0] = 0;
        asleep[0] = 1;
        slot[0] = PARKED;
#ifdef POSTS
        if :: posted > 0 -> wake(0) :: else -> skip fi;
#endif
#ifndef NO_LOOK_AFTER
        if :: after_loan -> skip :: else -> after_loan = 1 fi
#endif
     :: slot[0] != PARKED
     fi
  :: loans == LOANS -> break
  od
}

init {
  atomic {
#ifndef ONE_BUSY
    run busy(1);
#endif
    run busy(0); run idle(0); run idle(1)
  }
}
