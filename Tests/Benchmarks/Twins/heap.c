// What Swift's Glibc does not show: how much of the heap is in use.

#include <malloc.h>

long heap_bytes(void) {
    const struct mallinfo2 heap = mallinfo2();
    return (long)(heap.uordblks + heap.hblkhd);
}
