// TCP ports of this machine's loopback address, and sockets that are files.
#pragma once

#include <string>

namespace charm::os {

/// What is sent to a server, and a part of its reply by which it is known to serve.
struct Question {
  std::string socket;  ///< path; empty: the port
  int port = 0;
  std::string text;    ///< empty: nothing is sent, and whether the kernel connects is all that is found out
  std::string answer;  ///< empty: anything
};

/// Whether the answer comes within that time. The kernel connects to servers that are stopped or hang, too.
bool answers(const Question& question, double seconds);

/// Whether a server could listen there. True where the system does not say (no network at all).
bool port_is_free(int port);

}  // namespace charm::os
