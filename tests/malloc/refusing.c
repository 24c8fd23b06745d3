/* refusing [--absent|--killing] PROGRAM...: runs it where the kernel's calls for the placement of memory are forbidden
   (mbind, set_mempolicy and get_mempolicy), as Docker's default seccomp profile does; --absent: where the kernel has
   none;
   --killing: where they kill the process. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int main(int argc, char** argv) {
  const unsigned absent = argc > 1 && strcmp(argv[1], "--absent") == 0;
  const unsigned kills = argc > 1 && strcmp(argv[1], "--killing") == 0;
  argc -= (int)(absent + kills);
  argv += absent + kills;
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mbind, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_set_mempolicy, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_get_mempolicy, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kills ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | (absent ? ENOSYS : EPERM)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("seccomp");
    return 3;
  }
  execvp(argv[1], argv + 1);
  return 127;
}
