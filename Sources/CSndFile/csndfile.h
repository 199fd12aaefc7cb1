#include <sndfile.h>
#include <sys/types.h>

// Glibc's, which Swift sees only with _GNU_SOURCE: copies what is in a pipe, and takes nothing from it.
extern ssize_t tee(int source, int target, size_t length, unsigned int flags);
