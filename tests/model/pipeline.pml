/* Who makes and who passes the items of a pipeline (MakersTurn and ReadyItems in include/charm/pipeline.hpp,
 * include/charm/detail/turns.hpp): TOTAL items, of which ITEMS may be under way, a parallel stage, and two serial ones in
 * order; WORKERS run the tasks. With MEET the first items wait in the parallel stage for each other, which ends only if as many
 * are made as may be.
 *
 * Checked: the items pass both stages in order, one at a time; a place of a ring is written by one at a time; never more than
 * one offer waits; and when no task is left all items have passed.
 * Each of these takes a precaution away, and the check has to fail:
 *   NO_OFFER     an end() leaves no offer
 *   KEEP_OFFER   the offer does not take itself back when it runs
 *   NO_LOOK      who gives an item back, or puts one among those that can go on, does not look afterwards, but leaves that to
 *                the offer
 *   LATE_CLEAR   an item clears its place after it has passed
 */

#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef TOTAL
#define TOTAL 3
#endif
#ifndef WORKERS
#define WORKERS 2
#endif

#define TURN 1
#define ITEM(n) (2 + (n))
#define NONE 255

byte can_make = ITEMS;
bit busy, offered, over;
byte made, passed[2];
bit passing[2];
byte place[2 * ITEMS];    /* of both rings */
byte offers;              /* that wait */
byte running;
chan ready = [ITEMS] of { byte };
chan tasks = [4] of { bit };    /* 1: the offer */

#define PLACE(s, n) place[(s) * ITEMS + (n) % ITEMS]

inline make_offer() { atomic { offers++; assert(offers <= 1); tasks!1 } }

active [WORKERS] proctype worker() {
  byte n, s, old, next;
  bit offer;
end_take:
  atomic {
    tasks?offer;
    running++;
    if
    :: offer -> offers--
    :: else
    fi
  }
  if
#ifndef KEEP_OFFER
  :: offer -> offered = 0
#endif
  :: else
  fi;
look:
  atomic {
    if
    :: nempty(ready) -> ready?n; s = 0; goto pass
    :: empty(ready)
    fi
  }
  atomic {
    if
    :: can_make == 0 || busy || over -> goto done
    :: else -> can_make--; busy = 1
    fi
  }
  if
  :: made == TOTAL -> over = 1; goto look
  :: else -> n = made; made++
  fi;
  atomic {
    busy = 0;
    offer = can_make > 0 && !offered;
#ifdef NO_OFFER
    offer = 0;
#endif
    if
    :: offer -> offered = 1
    :: else
    fi
  }
  if
  :: offer -> make_offer()
  :: else
  fi;
  /* the parallel stage */
#ifdef MEET
  made >= ITEMS;
#endif
  s = 0;
come:
  atomic { old = PLACE(s, n); PLACE(s, n) = ITEM(n) }
  assert(old == 0 || old == TURN);
  if
  :: old != TURN -> goto look   /* put aside */
  :: else
  fi;
#ifndef LATE_CLEAR
  PLACE(s, n) = 0;
#endif
pass:
  assert(!passing[s] && n == passed[s]);
  passing[s] = 1;
  passed[s]++;
  passing[s] = 0;
  atomic { old = PLACE(s, n + 1); PLACE(s, n + 1) = TURN }
  next = NONE;
  if
  :: old != 0 -> assert(old == ITEM(n + 1)); PLACE(s, n + 1) = 0; next = n + 1
  :: else
  fi;
#ifdef LATE_CLEAR
  PLACE(s, n) = 0;
#endif
  if
  :: s == 0 ->
    if
    :: next != NONE ->
      ready!next;
      atomic { offer = !offered; offered = 1 }
      if
      :: offer -> make_offer()
      :: else
      fi
    :: else
    fi;
    s = 1;
    goto come
  :: else
  fi;
  can_make++;
  if
  :: next != NONE -> n = next; goto pass
  :: else
  fi;
#ifndef NO_LOOK
  goto look;
#endif
done:
  atomic {
    running--;
    if
    :: running == 0 && empty(tasks) -> assert(passed[1] == TOTAL)
    :: else
    fi
  }
  goto end_take
}

init {
  place[0] = TURN;
  place[ITEMS] = TURN;
  tasks!0
}
