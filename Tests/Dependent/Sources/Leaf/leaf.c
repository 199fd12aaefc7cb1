#include "leaf.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

float leaf_scale(float sample) { return 0.5f * sample; }

float leaf_allocates(float sample, long block) {
    if (block % 100 != 99) return sample;
    volatile float *memory = malloc(sizeof *memory);
    if (memory) *memory = sample;
    free((void *)memory);
    return sample;
}

float leaf_locks(float sample, long block) {
    if (block % 100 != 99) return sample;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return sample;
}

float leaf_prints(float sample, long block) {
    if (block % 100 == 99) printf("%ld\n", block);
    return sample;
}
