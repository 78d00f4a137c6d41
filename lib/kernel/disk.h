/* Built programs on disk. Every doubt about an entry means that there is none. */
#ifndef FP_KERNEL_DISK_H
#define FP_KERNEL_DISK_H

#include "base/text.h"
#include "cl/device.h"

typedef struct fp_disk {
    char *folder; /* NULL: no cache */
} fp_disk;

/* FIREPILE_CACHE=off, a folder, or unset: $XDG_CACHE_HOME/firepile, else $HOME/.cache/firepile, else none. */
void fp_disk_open(fp_disk *disk);
void fp_disk_close(fp_disk *disk);

/* All that decides what a binary is: the source, the options, device, driver, platform and firepile's own version. */
void fp_disk_key(const fp_facts *facts, const char *source, const char *options, fp_text *key);

/* Appends the binary kept under `key`; false if there is none that is beyond doubt. A damaged entry is removed. */
bool fp_disk_find(const fp_disk *disk, const fp_text *key, fp_text *binary);

/* Keeps a binary. That it cannot be written is nobody's failure. */
void fp_disk_keep(const fp_disk *disk, const fp_text *key, const void *binary, size_t bytes);

/* Removes an entry whose binary the driver refused. */
void fp_disk_forget(const fp_disk *disk, const fp_text *key);

#endif
