# Installation: the library, its headers, the charm command, find_package(charm) and pkg-config files.
