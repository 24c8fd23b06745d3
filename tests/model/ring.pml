/* The ring of ready tasks (src/sched/run/ready_queue.hpp): its owner pushes, and the owner and thieves take.
 *
 * Checked: every task that was pushed into the ring is taken once; nothing else is. The owner's store into a slot may
 * become visible late, but not after its store to tail, which releases it; a taker reads the slot before its exchange.
 *
 * Each macro takes a precaution away, and the check has to fail:
 *   NO_CAS      a taker advances the head by a plain store
 *   READ_AFTER  a taker reads the slot after its exchange, when the owner may have filled it anew
 *   NO_ROOM     the owner does not look whether the ring is full
 *   EARLY_TAIL  the tail becomes visible before the slot
 */

#ifndef PUSHES
#define PUSHES 4
#endif
#define SIZE 2
#define TAKERS 2

byte head, tail;
byte slots[SIZE];              /* task; 0: none yet */
byte taken[PUSHES + 1];
bit all_pushed;
byte total;

inline take(job) {
  job = 0;
  h = head;
  do
  :: h < tail ->
#ifndef READ_AFTER
     job = slots[h % SIZE];
#endif
#ifdef NO_CAS
     if :: head == h -> head = h + 1; won = 1 :: else -> h = head; won = 0 fi;
#else
     atomic { if :: head == h -> head = h + 1; won = 1 :: else -> h = head; won = 0 fi };
#endif
     if
     :: won ->
#ifdef READ_AFTER
        job = slots[h % SIZE];
#endif
        assert(job != 0);
        atomic { taken[job]++; assert(taken[job] == 1); total++ };
        break
     :: else -> skip
     fi
  :: else -> break
  od
}

active proctype owner() {
  byte h, job, next = 1;
  bit won;
  do
  :: next <= PUSHES ->
     if
#ifdef NO_ROOM
     :: 1 ->
#else
     :: tail - head < SIZE ->
#endif
#ifdef EARLY_TAIL
        tail++;
        slots[(tail - 1) % SIZE] = next;
#else
        slots[tail % SIZE] = next;
        tail++;
#endif
        next++
#ifndef NO_ROOM
     :: else -> take(job)      /* the list for what does not fit is under a lock: not modelled */
#endif
     fi
  :: next <= PUSHES -> take(job)
  :: next > PUSHES -> break
  od;
  all_pushed = 1
}

active [TAKERS] proctype taker() {
  byte h, job;
  bit won;
  do
  :: take(job)
  :: all_pushed && head == tail -> break
  od;
  (all_pushed && head == tail);
  if
  :: total == PUSHES -> skip
  :: else -> (total == PUSHES)           /* another one is about to count: else nobody goes on, which is found */
  fi
}
