// The registry is in policy.cpp, and this is a.cpp.
int a;
