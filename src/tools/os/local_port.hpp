// TCP ports of this machine's loopback address, and sockets that are files.
#pragma once

#include <string>

namespace charm::os {

/// Whether something accepts connections there. Waits for a quarter of a second at most.
bool port_answers(int port);

/// Whether something accepts connections at the socket with this path.
bool socket_answers(const std::string& path);

/// Whether a server could listen there. True where the system does not tell (no network at all).
bool port_is_free(int port);

}  // namespace charm::os
