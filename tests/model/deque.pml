/* The split deque of include/charm/detail/deque.hpp: one owner, two thieves, on a machine that delays stores (TSO).
 *
 * Checked: every job that was pushed is taken exactly once, in all orders of a bounded number of operations; and a
 * request that a thief has made is never forgotten. Each macro below takes one precaution of the code away; with any of
 * them the check has to fail:
 *   NO_MEMBARRIER  a thief that exposes does not wait for the owner's delayed stores (guard, barrier, tail)
 *   NO_GUARD       it does not raise the guard before the barrier (guard, barrier, tail)
 *   NO_ADVANCE     the owner takes the last public job by lowering the count, not by advancing top (public slots stay)
 *   NO_BATCH_LOCK  several jobs are taken without the lock (several under the lock)
 *   LATE_LIMIT     the owner restores its limit after it has served a request and not before
 *
 * The owner's stores to slots, tail, guard and lock go through a first-in-first-out buffer that drains at any time; it
 * reads its own stores out of it (the `my_` copies). Read-modify-writes drain it first, as on x86. Thieves change memory by
 * read-modify-writes and, under the lock, by stores that the next of these orders, so theirs are immediate. */

#ifndef PUSHES
#define PUSHES 3
#endif
#define SLOTS 8

byte top, count;            /* one word in the code; here always changed together, in one step */
byte slot[SLOTS], tail, guard;
bit lock, limit_low;        /* limit_low: a request */
byte taken[PUSHES + 1];     /* by job; jobs are 1 .. PUSHES */
bit asked;                  /* ghost: a request that no serving has begun for */
byte thieves_left = 2;

/* The owner's store buffer. */
mtype = { SLOT, TAIL, GUARD, UNLOCK };
chan buffer = [4] of { mtype, byte, byte };
byte my_tail, my_guard_pending, my_guard;

inline drain_one() {
  d_step {
    if
    :: buffer?SLOT(where, what) -> slot[where] = what
    :: buffer?TAIL(_, what) -> tail = what
    :: buffer?GUARD(_, what) -> guard = what; my_guard_pending--
    :: buffer?UNLOCK(_, _) -> lock = 0
    fi;
    where = 0; what = 0
  }
}
active proctype drain() {
  byte where, what;
end:
  do
  :: nempty(buffer) -> drain_one()
  od
}

#define FENCED empty(buffer)

inline take(job) { d_step { taken[job]++; assert(taken[job] == 1) } }

inline owner_lock() { atomic { FENCED && !lock -> lock = 1 } }

/* Deque::publish, by the owner. */
inline publish() {
  if
  :: atomic { FENCED -> if :: lock -> give = 255 :: else -> lock = 1; give = 0 fi };
     if
     :: give == 255 -> skip            /* a thief holds it, and publishes */
     :: else ->
        give = (my_tail - (top + count) + 1) / 2;   /* bound moves only under the lock */
        if
        :: give > 0 ->
           d_step { my_guard = top + count + give; my_guard_pending++ };
           buffer!GUARD(0, my_guard);
           atomic { FENCED -> count = count + give }
        :: else -> skip
        fi;
        buffer!UNLOCK(0, 0)
     fi
  fi;
  give = 0
}

inline serve() {
#ifdef LATE_LIMIT
  asked = 0;
  publish();
  atomic { FENCED -> limit_low = 0 }
#else
  atomic { FENCED -> limit_low = 0; asked = 0 };
  publish()
#endif
  ;
  assert(!asked || limit_low)
}

inline push(job) {
  buffer!SLOT(my_tail, job);
  mine[my_tail] = job;
  my_tail++;
  buffer!TAIL(0, my_tail);
  if
  :: limit_low -> serve()
  :: else -> skip
  fi
}

/* Deque::pop, where the deque is not empty. */
inline pop() {
  job = mine[my_tail - 1];
  my_tail--;
  buffer!TAIL(0, my_tail);
  /* No fence: the load below may happen while the store is still in the buffer. */
  if
  :: my_guard_pending > 0 -> seen = my_guard
  :: else -> seen = guard
  fi;
  if
  :: my_tail >= seen -> skip
  :: else -> pop_slow()
  fi;
  if
  :: job != 0 -> take(job)
  :: else -> skip
  fi;
  job = 0; seen = 0
}

inline pop_slow() {
  owner_lock();
  do
  :: my_tail >= top + count -> break
  :: else ->
     d_step { old_top = top; old_count = count };
     if
     :: my_tail >= old_top + old_count -> skip           /* it changed between the two looks: again */
     :: else ->
        if
        :: old_count == 0 ->
           my_tail++; buffer!TAIL(0, my_tail); job = 0; break
        :: else ->
           atomic {
             FENCED ->
             if
             :: top == old_top && count == old_count ->
                if
                :: count == 1 ->
#ifdef NO_ADVANCE
                   count = 0; seen = top
#else
                   top++; count = 0; seen = top
#endif
                :: else -> count = count / 2; seen = top + count
                fi;
                cas = 1
             :: else -> cas = 0
             fi
           };
           if
           :: cas ->
              d_step { my_guard = seen; my_guard_pending++ };
              buffer!GUARD(0, my_guard);
#ifndef NO_ADVANCE
              if
              :: old_count == 1 -> my_tail++; buffer!TAIL(0, my_tail)
              :: else -> skip
              fi;
#endif
              break
           :: else -> skip
           fi
        fi
     fi
  od;
  buffer!UNLOCK(0, 0);
  old_top = 0; old_count = 0; cas = 0
}

active proctype owner() {
  byte mine[SLOTS], pushed, job, seen, give, old_top, old_count, pops;
  bit cas;
  do
  :: pushed < PUSHES -> pushed++; push(pushed)
  :: pops < PUSHES && my_tail > top -> pops++; pop()
  :: limit_low -> serve()                 /* Deque::answer */
  :: pushed == PUSHES -> break
  od;
  thieves_left == 0;
  do
  :: my_tail > top -> pop()
  :: else -> break
  od;
  /* All were taken: none was lost on the way. */
  for (job : 1 .. PUSHES) { assert(taken[job] == 1) }
}

inline steal() {
  d_step { old_top = top; old_count = count };
  if
  :: old_count > 0 ->
     job = slot[old_top];
     atomic {
       if
       :: top == old_top && count == old_count -> top++; count--; cas = 1
       :: else -> cas = 0
       fi
     };
     if :: cas -> take(job) :: else -> skip fi
  :: else -> skip
  fi;
  old_top = 0; old_count = 0; job = 0; cas = 0
}

/* Deque::steal_flat: two at once. */
inline steal_two() {
#ifndef NO_BATCH_LOCK
  atomic { if :: lock -> cas = 0 :: else -> lock = 1; cas = 1 fi };
#else
  cas = 1;
#endif
  if
  :: cas ->
     d_step { old_top = top; old_count = count };
     if
     :: old_count >= 2 ->
        job = slot[old_top];
        second = slot[old_top + 1];
        atomic {
          if
          :: top == old_top && count == old_count -> top = top + 2; count = count - 2
          :: else -> job = 0
          fi
        };
        if :: job != 0 -> take(job); take(second) :: else -> skip fi
     :: else -> skip
     fi;
#ifndef NO_BATCH_LOCK
     lock = 0
#endif
  :: else -> skip
  fi;
  old_top = 0; old_count = 0; job = 0; second = 0; cas = 0
}

inline expose() {
  atomic { if :: lock -> cas = 0 :: else -> lock = 1; cas = 1 fi };
  if
  :: cas ->
     old_top = top + count;   /* bound: it does not move while we hold the lock */
     job = tail;
     if
     :: job > old_top ->
#ifndef NO_GUARD
        guard = job;
#endif
#ifndef NO_MEMBARRIER
        empty(buffer);        /* membarrier(2): what the owner has stored before it is visible after it */
#endif
        second = tail;
        if :: second < job -> job = second :: else -> skip fi;
        if :: job < old_top -> job = old_top :: else -> skip fi;
        guard = job;
        if :: job > old_top -> atomic { count = count + (job - old_top) } :: else -> skip fi
     :: else -> skip
     fi;
     lock = 0
  :: else -> skip
  fi;
  old_top = 0; job = 0; second = 0; cas = 0
}

proctype thief() {
  byte old_top, old_count, job, second, tries;
  bit cas;
  do
  :: tries < TRIES ->
     tries++;
     if
     :: true -> steal()
     :: true -> steal_two()
     :: true -> expose()
     :: atomic { limit_low = 1; asked = 1 }
     fi
  :: else -> break
  od;
  thieves_left--
}

init { atomic { run thief(); run thief() } }
