// Maps a file in one way and says what came of it:
//   client FILE read|shared|private|write|tail|beyond|fork|offset|refused
// "SUM KIND COPIED": the sum of the bytes that it read, r or w and s or p as in /proc/self/maps, and whether the pages
// are copies of its own (1) or the file's (0).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void look(const void* data, char* kind, long* anonymous_kb) {
  FILE* maps = fopen("/proc/self/smaps", "r");
  char line[512], rights[8] = "";
  unsigned long begin, end;
  int here = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) == 3) {
      here = begin <= (unsigned long)data && (unsigned long)data < end;
      if (here) sprintf(kind, "%c%c", rights[1] == 'w' ? 'w' : rights[0], rights[3]);
    } else if (here) {
      sscanf(line, "Anonymous: %ld kB", anonymous_kb);
    }
  }
  if (maps != NULL) fclose(maps);
}

static unsigned long sum(const unsigned char* data, size_t bytes) {
  unsigned long all = 0;
  for (size_t i = 0; i < bytes; ++i) all += data[i];
  return all;
}

int main(int count, char** words) {
  if (count != 3) return 2;
  const char* way = words[2];
  const int writes = strcmp(way, "write") == 0;
  const int file = open(words[1], writes ? O_RDWR : O_RDONLY);
  struct stat found;
  if (file < 0 || fstat(file, &found) != 0) return 3;
  size_t bytes = (size_t)found.st_size;
  int protection = PROT_READ, flags = MAP_SHARED;
  off_t offset = 0;
  if (strcmp(way, "private") == 0) protection |= PROT_WRITE, flags = MAP_PRIVATE;
  if (strcmp(way, "read") == 0) flags = MAP_PRIVATE | MAP_POPULATE;
  if (writes) protection |= PROT_WRITE;
  if (strcmp(way, "offset") == 0) offset = 8192, bytes -= 8192;
  if (strcmp(way, "beyond") == 0) bytes += 1 << 20;
  if (strcmp(way, "refused") == 0) offset = 100;  // not a multiple of a page
  errno = 0;
  unsigned char* data = mmap(NULL, bytes, protection, flags, file, offset);
  close(file);
  if (data == MAP_FAILED) {
    printf("errno %d\n", errno);
    return 0;
  }
  if (errno != 0) return 4;
  const size_t readable = (size_t)found.st_size - (size_t)offset;
  char kind[4] = "";
  long copied = 0;
  const unsigned long before = sum(data, readable);
  look(data, kind, &copied);
  if (strcmp(way, "tail") == 0 && data[readable] != 0) return 5;  // behind the end of the file, in its last page
  if (strcmp(way, "private") == 0 || writes) data[0] ^= 255;
  if (strcmp(way, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) _exit(sum(data, readable) == before ? 0 : 1);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return 6;
  }
  printf("%lu %s %d\n", before, kind, copied * 1024 >= (long)readable);
  return munmap(data, bytes) == 0 ? 0 : 7;
}
