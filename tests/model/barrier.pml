/* The barrier of all_do (src/sched/wait/team.cpp): bodies on two chiplets come to some rounds and then end, one perhaps
 * before the others. One that waits either spins or links itself into the list of sleepers after it has been left.
 *
 * Checked: nobody waits for ever; a round that all bodies come to is passed by all, whoever has ended meanwhile; nobody
 * passes a round that a body did not come to; and a body is made ready once each time that it has gone to sleep.
 *
 * Each macro takes a precaution away, and the check has to fail:
 *   NO_RELOOK   a sleeper does not look again after it has linked itself
 *   NO_LEAVE    a body that ends tells nobody
 *   ANY_END     those who wait give up when any body has ended, also one that has come to their round
 *   TWICE       a body that was told so comes again, and arrives again
 */

#define BODIES 3
#define ROUNDS 2
#define NEVER 9
#define LEAF(i) (i / 2)          /* 0 and 1 on one chiplet, 2 on the other */
#define SIZE(l) (2 - l)

byte arrived[2];
byte opened[2];                  /* round of the leaf */
byte root = 0;
byte last = NEVER;               /* the first round that a body has ended before */
byte passed[BODIES];
bit linked[BODIES];              /* in the list of sleepers */
byte ready[BODIES];

/* The list is exchanged for an empty one, and then its members are made ready one by one. */
inline wake_all(mine) {
  atomic {
    mine = linked[0] + 2 * linked[1] + 4 * linked[2];
    linked[0] = 0; linked[1] = 0; linked[2] = 0
  };
  if :: mine % 2 -> ready[0]++ :: else fi;
  if :: (mine / 2) % 2 -> ready[1]++ :: else fi;
  if :: (mine / 4) % 2 -> ready[2]++ :: else fi;
  mine = 0
}

#define OPENED (opened[LEAF(_pid)] != round)
#ifdef ANY_END
#define IN_VAIN (last != NEVER)
#else
#define IN_VAIN (last <= round)
#endif

inline barrier() {
  round = opened[LEAF(_pid)];
#ifdef TWICE
  if
  :: 0
#else
  if
  :: IN_VAIN -> told = 1
#endif
  :: else ->
     atomic { arrived[LEAF(_pid)]++; last_one = (arrived[LEAF(_pid)] == SIZE(LEAF(_pid))) };
     if
     :: last_one ->
        arrived[LEAF(_pid)] = 0;
        atomic { root++; last_one = (root == 2) };
        if
        :: last_one -> root = 0; opened[0] = round + 1; opened[1] = round + 1; wake_all(mine)
        :: else -> skip
        fi
     :: else -> skip
     fi;
     do
     :: OPENED -> break
     :: IN_VAIN -> break
     :: else ->
        linked[_pid] = 1;
#ifndef NO_RELOOK
        if
        :: OPENED || IN_VAIN -> wake_all(mine)
        :: else -> skip
        fi;
#endif
        atomic { ready[_pid] > 0 -> ready[_pid]--; assert(ready[_pid] == 0) }
     od;
     if
     :: OPENED -> told = 0
     :: else -> told = 1
     fi
  fi
}

active [BODIES] proctype body() {
  byte round, mine;
  bit last_one, told;
  byte i = 0;
  do
  :: i < ROUNDS ->
     barrier();
#ifdef TWICE
     if :: told -> barrier() :: else fi;
#endif
     if
     :: told ->
        assert(last <= passed[_pid]);             /* some body did not come to this round */
        break
     :: else ->
        passed[_pid]++; i++;
        assert(last >= passed[_pid])              /* all have come to it */
     fi
  :: _pid == 2 -> break                           /* ends early */
  :: i == ROUNDS -> break
  od;
#ifndef NO_LEAVE
  atomic { if :: opened[LEAF(_pid)] < last -> last = opened[LEAF(_pid)] :: else fi };
  wake_all(mine)
#endif
}
