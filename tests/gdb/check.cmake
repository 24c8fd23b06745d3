# Runs PROGRAM in gdb with SCRIPT up to all_are_waiting() and looks at what the commands print; then lets it run to its end.
#   cmake -DGDB=gdb -DPROGRAM=... -DSCRIPT=... -P check.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(
  COMMAND ${GDB} --nx --batch -ex "set debuginfod enabled off" -ex "set confirm off" -ex "source ${SCRIPT}"
          -ex "charm tasks" -ex "break all_are_waiting" -ex run -ex "charm workers" -ex "charm tasks"
          -ex "charm bt 1" -ex "charm bt 2" -ex "charm bt 3" -ex "charm bt 4" -ex "charm bt 99" -ex "info registers rip" -ex continue ${PROGRAM}
  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status TIMEOUT 500)
if(output MATCHES "ptrace: Operation not permitted|Couldn't get registers|Could not trace the inferior|Cannot PTRACE" OR errors MATCHES
   "ptrace: Operation not permitted|Could not trace the inferior|Cannot PTRACE|warning: Error disabling address space randomization.*Operation not permitted.*During startup")
  message("left out: gdb may not trace a process here")
  return()
endif()
set(wrong "")
foreach(expected "worker 0 \\(" "worker 1 \\(" "worker 0 of arena queries \\(" "[4-9] tasks\n" "ready|waiting" "all are waiting" "exited normally")
  if(NOT output MATCHES "${expected}")
    string(APPEND wrong "  expected in the output: ${expected}\n")
  endif()
endforeach()
# Two of the three tasks at least stand still (the third may be the one that runs), six calls deep.
string(REGEX MATCHALL "wait_for_the_gate" frames "${output}")
list(LENGTH frames count)
if(count LESS 10)
  string(APPEND wrong "  expected ten frames of wait_for_the_gate at the least, found ${count}\n")
endif()
if(NOT errors MATCHES "charm bt N, with a number")
  string(APPEND wrong "  expected an error for a task that is not there\n")
endif()
if(wrong)
  message(FATAL_ERROR "${wrong}output:\n${output}\nerrors:\n${errors}")
endif()
