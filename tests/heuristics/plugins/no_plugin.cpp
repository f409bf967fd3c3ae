// A library that has nothing to do with Starport.
extern "C" int starport_is_unknown_here() { return 0; }
