/* sandbox kill|refuse PRCTL|SYSCALL: begins a sandbox (seccomp) that allows what glibc's malloc and this program need
   and kills the program, or refuses, at anything else, and allocates in it. Exit code 0 and "done". */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static const size_t mib = (size_t)1 << 20;

static int begin(int kills, int by_syscall) {
  static const int allowed[] = {SYS_mmap,         SYS_munmap,         SYS_mremap, SYS_madvise,        SYS_mprotect,
                                SYS_brk,          SYS_futex,          SYS_write,  SYS_exit_group,     SYS_exit,
                                SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_gettid, SYS_restart_syscall};
  enum { count = sizeof allowed / sizeof *allowed };
  struct sock_filter filter[count + 3];
  filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < count; ++i)
    filter[1 + i] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], (unsigned char)(count - i), 0);
  filter[1 + count] =
      (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, kills ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | ENOSYS);
  filter[2 + count] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {count + 3, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return by_syscall ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program)
                    : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Blocks of all sizes for longer than the weights stay unread. */
static void* allocate(void* unused) {
  void* blocks[100] = {NULL};
  const uint64_t end = now_ms() + 300;
  for (unsigned i = 0; now_ms() < end; ++i) {
    const size_t bytes = i % 50 == 0 ? (5 + i % 7) * mib : i % 11 == 0 ? 300000 : (size_t)i * 37 % 9000;
    free(blocks[i % 100]);
    blocks[i % 100] = malloc(bytes + 1);
    if (blocks[i % 100] == NULL) _exit(4);
    memset(blocks[i % 100], 1, bytes + 1);
  }
  for (int i = 0; i < 100; ++i) free(blocks[i]);
  return unused;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* before = malloc(6 * mib);
  const int by_syscall = strcmp(argv[2], "SYSCALL") == 0;
  if (before == NULL || begin(strcmp(argv[1], "kill") == 0, by_syscall) != 0) {
    perror("seccomp");
    return 3;
  }
  allocate(NULL);
  free(before);
  return write(STDOUT_FILENO, "done\n", 5) == 5 ? 0 : 1;
}
