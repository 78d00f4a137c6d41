/* The kernel cache on disk: what a second process finds, and what damaged entries do. */
#include "support/support.h"

#include "base/hash.h"
#include "cl/device.h"
#include "kernel/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the program "cached" did. */
typedef struct counts {
    int built;
    int loaded;
} counts;

static counts finish(FILE *output, const char *when)
{
    counts c = {-1, -1};
    char line[256] = "";
    while (fgets(line, sizeof line, output)) sscanf(line, "built %d loaded %d", &c.built, &c.loaded);
    int status = pclose(output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the program ended with the wait status %d", when,
              status);
    cr_assert(c.built >= 0, "%s: the program's last line was \"%s\"", when, line);
    return c;
}

static counts run(const char *when)
{
    return finish(test_program("tests/programs/cached"), when);
}

typedef void file_action(const char *path, void *context);

/* Calls `action` for each file in the folder and those below; returns how many there are. */
static int each_file(const char *folder, file_action *action, void *context)
{
    DIR *open = opendir(folder);
    int count = 0;
    for (struct dirent *entry; open && (entry = readdir(open));) {
        char path[4 * TEST_PATH];
        struct stat status;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &status)) continue;
        if (S_ISDIR(status.st_mode)) {
            count += each_file(path, action, context);
            continue;
        }
        if (action) action(path, context);
        count++;
    }
    if (open) closedir(open);
    return count;
}

typedef struct bytes {
    unsigned char *at;
    size_t n;
} bytes;

static bytes file_load(const char *path)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file, "cannot read %s", path);
    bytes b = {test_alloc(1 << 24, 1), 0};
    b.n = fread(b.at, 1, 1 << 24, file);
    fclose(file);
    return b;
}

static void file_store(const char *path, const unsigned char *at, size_t n)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(at, 1, n, file) == n, "cannot write %s", path);
    fclose(file);
}

/* A way to damage an entry: its first `keep` of 1000 parts remain, the byte at `flip` of 1000 parts is changed. */
typedef struct damage {
    const char *name;
    int keep;
    int flip;
    int fill; /* >= 0: all bytes are this */
    size_t most, more;
} damage;

static void damage_file(const char *path, void *context)
{
    const damage *d = context;
    bytes b = file_load(path);
    size_t n = b.n * (size_t)d->keep / 1000, at = b.n * (size_t)(d->flip < 0 ? 0 : d->flip) / 1000;
    if (at >= b.n) at = b.n - 1;
    if (d->flip >= 0) b.at[at] ^= 0x10;
    if (d->fill >= 0) memset(b.at, d->fill, b.n);
    if (n > d->most) n = d->most;
    file_store(path, b.at, n + d->more);
    free(b.at);
}

/* The numbers at the front of an entry, as lib/kernel/disk.c has them. */
typedef struct entry_front {
    char magic[8];
    uint64_t format, key_bytes, binary_bytes, checksum;
} entry_front;

/* A binary that no driver takes, in an entry that is beyond doubt. */
static void replace_binary(const char *path, void *context)
{
    bytes b = file_load(path);
    entry_front front;
    cr_assert_gt(b.n, sizeof front);
    memcpy(&front, b.at, sizeof front);
    unsigned char *key = b.at + sizeof front, *binary = key + front.key_bytes;
    memset(binary, 'x', front.binary_bytes);
    front.checksum = fp_hash(binary, front.binary_bytes, fp_hash(key, front.key_bytes, front.format));
    memcpy(b.at, &front, sizeof front);
    file_store(path, b.at, b.n);
    free(b.at);
    (void)context;
}

static fp_capabilities capabilities(void)
{
    fp_device *device;
    test_ok(fp_device_open(NULL, &device));
    fp_capabilities capabilities = *fp_device_capabilities(device);
    fp_device_close(device);
    return capabilities;
}

/* For tests of what is in it, on all platforms that give binaries. */
static void use_folder(char *folder)
{
    if (!capabilities().gives_binaries) cr_skip_test("this platform is not asked for binaries");
    test_folder_make(folder);
    setenv("FIREPILE_CACHE", folder, 1);
    setenv("FIREPILE_BINARIES", "1", 1);
}

/* Programs are counted. */
static void leave_all_to_the_device(void)
{
    test_needs_opencl();
    setenv("FIREPILE_SMALL", "0", 1);
}

TestSuite(cache, .init = leave_all_to_the_device);

Test(cache, second_process_builds_nothing)
{
    char folder[TEST_PATH];
    use_folder(folder);
    counts cold = run("cold"), warm = run("warm"), again = run("warm again");
    cr_assert(cold.built > 0 && cold.loaded == 0, "cold: built %d, loaded %d", cold.built, cold.loaded);
    cr_assert(warm.built == 0 && warm.loaded == cold.built, "warm: built %d, loaded %d", warm.built, warm.loaded);
    cr_assert(again.built == 0 && again.loaded == cold.built, "again: built %d, loaded %d", again.built, again.loaded);
    cr_assert_geq(each_file(folder, NULL, NULL), cold.built);
    test_folder_remove(folder);
}

Test(cache, binaries_that_the_driver_refuses) /* C05 */
{
    char folder[TEST_PATH];
    use_folder(folder);
    counts cold = run("cold");
    cr_assert_geq(each_file(folder, replace_binary, NULL), cold.built);
    counts refused = run("refused"), warm = run("replaced");
    cr_assert(refused.built == cold.built && refused.loaded == 0, "refused: built %d, loaded %d", refused.built,
              refused.loaded);
    cr_assert(warm.built == 0 && warm.loaded == cold.built, "replaced: built %d, loaded %d", warm.built, warm.loaded);
    test_folder_remove(folder);
}

Test(cache, damaged_entries, .timeout = 600) /* C06 */
{
    static damage ways[] = {
        {"ten bytes left", 1000, -1, -1, 10, 0},     {"nothing left", 0, -1, -1, SIZE_MAX, 0},
        {"half left", 500, -1, -1, SIZE_MAX, 0},     {"a little missing", 998, -1, -1, SIZE_MAX, 0},
        {"first byte", 1000, 0, -1, SIZE_MAX, 0},    {"a byte in front", 1000, 2, -1, SIZE_MAX, 0},
        {"middle byte", 1000, 500, -1, SIZE_MAX, 0}, {"a byte at three quarters", 1000, 750, -1, SIZE_MAX, 0},
        {"last byte", 1000, 1000, -1, SIZE_MAX, 0},  {"zeros", 1000, -1, 0, SIZE_MAX, 0},
        {"garbage", 1000, -1, 0xa7, SIZE_MAX, 0},    {"more at the end", 1000, -1, -1, SIZE_MAX, 100}};
    char folder[TEST_PATH];
    use_folder(folder);
    counts cold = run("cold");
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        cr_assert_geq(each_file(folder, damage_file, &ways[k]), cold.built);
        counts c = run(ways[k].name);
        cr_assert(c.built == cold.built && c.loaded == 0, "%s: built %d, loaded %d", ways[k].name, c.built, c.loaded);
        c = run("repaired");
        cr_assert(c.built == 0 && c.loaded == cold.built, "after %s: built %d, loaded %d", ways[k].name, c.built,
                  c.loaded);
    }
    test_folder_remove(folder);
}

Test(cache, each_byte_of_the_front_counts, .timeout = 600) /* where the key and the checksum are */
{
    char folder[TEST_PATH];
    use_folder(folder);
    counts cold = run("cold");
    for (int at = 1; at < (test_full() ? 60 : 6); at++) {
        damage d = {"a byte of the front", 1000, at, -1, SIZE_MAX, 0};
        each_file(folder, damage_file, &d);
        counts c = run(d.name);
        cr_assert_eq(c.built, cold.built, "the byte at %d of 1000 parts: built %d, loaded %d", at, c.built, c.loaded);
    }
    test_folder_remove(folder);
}

/* Damages an entry, which is then not found. */
static void damage_is_seen(fp_disk *disk, const char *path, const fp_text *key, const bytes *b, size_t n, size_t at)
{
    fp_text binary = {0};
    file_store(path, b->at, n);
    cr_assert(!fp_disk_find(disk, key, &binary), "%s, %zu of %zu bytes: found with damage at %zu", path, n, b->n, at);
}

typedef struct every {
    fp_disk disk;
    size_t damages;
} every;

/* Flips a bit of each byte, and cuts the entry there. */
static void damage_every_byte(const char *path, void *context)
{
    every *e = context;
    bytes b = file_load(path);
    entry_front front;
    fp_text key = {0}, binary = {0};
    memcpy(&front, b.at, sizeof front);
    fp_text_add(&key, (char *)b.at + sizeof front, front.key_bytes);
    cr_assert(fp_disk_find(&e->disk, &key, &binary), "%s is not found", path);
    for (size_t at = 0; at < b.n; at += test_full() ? 1 : 997, e->damages += 2) {
        b.at[at] ^= (unsigned char)(1 << at % 8);
        damage_is_seen(&e->disk, path, &key, &b, b.n, at);
        b.at[at] ^= (unsigned char)(1 << at % 8);
        damage_is_seen(&e->disk, path, &key, &b, at, at);
    }
    fp_text_free(&key);
    fp_text_free(&binary);
    free(b.at);
}

/* By the function that reads entries: a process for each byte would take hours. */
Test(cache, damage_to_any_byte_is_seen, .timeout = 3600)
{
    char folder[TEST_PATH];
    every e = {.damages = 0};
    use_folder(folder);
    counts cold = run("cold");
    test_ok(fp_disk_open(&e.disk, NULL));
    int entries = each_file(folder, damage_every_byte, &e);
    cr_assert_eq(entries, cold.built);
    fprintf(stderr, "cache, damage: %d entries, %zu times damaged\n", entries, e.damages);
    fp_disk_close(&e.disk);
    test_folder_remove(folder);
}

static void swap_file(const char *path, void *context)
{
    bytes *previous = context, b = file_load(path);
    if (previous->at) file_store(path, previous->at, previous->n);
    free(previous->at);
    *previous = b;
}

Test(cache, entries_under_wrong_names)
{
    char folder[TEST_PATH];
    use_folder(folder);
    counts cold = run("cold");
    bytes previous = {NULL, 0};
    cr_assert_geq(each_file(folder, swap_file, &previous), 2); /* each gets what the one before it had */
    free(previous.at);
    counts c = run("entries exchanged");
    cr_assert_geq(c.built, cold.built - 1, "built %d, loaded %d", c.built, c.loaded);
    test_folder_remove(folder);
}

static void make_folder_of(const char *path, void *context)
{
    (void)context;
    cr_assert(remove(path) == 0 && mkdir(path, 0755) == 0, "cannot make a folder of %s", path);
}

Test(cache, folders_that_do_not_work) /* C06 */
{
    char folder[TEST_PATH], path[2 * TEST_PATH];
    use_folder(folder);
    counts cold = run("cold");
    each_file(folder, make_folder_of, NULL);
    cr_assert_eq(run("folders in the place of entries").built, cold.built);
    snprintf(path, sizeof path, "%s/file", folder);
    file_store(path, (const unsigned char *)"x", 1);
    setenv("FIREPILE_CACHE", path, 1);
    cr_assert_eq(run("a file in the place of the folder").built, cold.built);
    snprintf(path, sizeof path, "%s/file/below", folder);
    setenv("FIREPILE_CACHE", path, 1);
    cr_assert_eq(run("a folder that cannot be made").built, cold.built);
    setenv("FIREPILE_CACHE", "/proc", 1); /* the superuser cannot write there either */
    cr_assert_eq(run("a folder that cannot be written").built, cold.built);
    snprintf(path, sizeof path, "%s/a/b/c", folder);
    setenv("FIREPILE_CACHE", path, 1);
    cr_assert_eq(run("a folder to be made").built, cold.built);
    cr_assert_eq(run("the folder made").built, 0);
    test_folder_remove(folder);
}

/* ---- what others may have put there ---- */

static void let_all_write(const char *path, void *context)
{
    (void)context;
    cr_assert_eq(chmod(path, 0666), 0);
}

static void give_away(const char *path, void *context)
{
    cr_assert_eq(chown(path, 65534, 65534), 0);
    (void)context;
}

static void replace_by_link(const char *path, void *context)
{
    char aside[4 * TEST_PATH];
    snprintf(aside, sizeof aside, "%s/%s", (const char *)context, strrchr(path, '/') + 1);
    cr_assert(rename(path, aside) == 0 && symlink(aside, path) == 0);
}

static void replace_by_pipe(const char *path, void *context)
{
    (void)context;
    cr_assert(remove(path) == 0 && mkfifo(path, 0600) == 0);
}

/* Does the trace that the program wrote say this? */
static void trace_has(const char *path, const char *text)
{
    bytes b = file_load(path);
    cr_assert(strstr((char *)b.at, text), "no \"%s\" in the trace:\n%s", text, (char *)b.at);
    free(b.at);
    remove(path);
}

Test(cache, entries_of_others_are_not_used, .timeout = 120)
{
    char folder[TEST_PATH], aside[TEST_PATH], trace[2 * TEST_PATH];
    static const struct {
        file_action *action;
        const char *says;
        bool as_root; /* only the superuser can do that */
    } ways[] = {{let_all_write, "other users may write it", false},
                {replace_by_link, "it is a symbolic link", false},
                {replace_by_pipe, "it is no regular file", false},
                {give_away, "it belongs to another user", true}};
    use_folder(folder);
    test_folder_make(aside);
    snprintf(trace, sizeof trace, "%s/trace", aside);
    setenv("FIREPILE_TRACE", trace, 1);
    counts cold = run("cold");
    for (size_t k = 0; k < COUNT_OF(ways); k++) {
        if (ways[k].as_root && geteuid()) continue;
        cr_assert_geq(each_file(folder, ways[k].action, aside), cold.built);
        counts c = run(ways[k].says);
        cr_assert(c.built == cold.built && c.loaded == 0, "%s: built %d, loaded %d", ways[k].says, c.built, c.loaded);
        trace_has(trace, ways[k].says);
        c = run("replaced");
        cr_assert(c.built == 0 && c.loaded == cold.built, "after %s: built %d", ways[k].says, c.built);
    }
    test_folder_remove(folder);
    test_folder_remove(aside);
}

/* The superuser's own is any folder of root: for others /tmp is one where all may write. */
Test(cache, folders_of_others_are_not_used)
{
    char folder[TEST_PATH], aside[TEST_PATH], trace[2 * TEST_PATH];
    use_folder(folder);
    test_folder_make(aside);
    snprintf(trace, sizeof trace, "%s/trace", aside);
    if (geteuid())
        setenv("FIREPILE_CACHE", "/tmp", 1);
    else
        cr_assert(run("own").built > 0 && chown(folder, 65534, 65534) == 0);
    setenv("FIREPILE_TRACE", trace, 1);
    int entries = each_file(folder, NULL, NULL);
    for (int round = 0; round < 2; round++) cr_assert_eq(run("somebody's folder").loaded, 0);
    trace_has(trace, geteuid() ? "others may write to it" : "it belongs to another user");
    cr_assert_eq(each_file(folder, NULL, NULL), entries);
    test_folder_remove(folder);
    test_folder_remove(aside);
}

Test(cache, relative_folders_are_ignored)
{
    char folder[TEST_PATH];
    test_folder_make(folder);
    cr_assert_eq(chdir(folder), 0);
    setenv("FIREPILE_BINARIES", "1", 1);
    unsetenv("FIREPILE_CACHE");
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", "", 1);
    cr_assert_gt(run("nowhere").built, 0);
    cr_assert_gt(run("nowhere").built, 0);
    setenv("HOME", "home", 1);
    cr_assert_gt(run("a relative home").built, 0);
    cr_assert_eq(each_file(folder, NULL, NULL), 0, "files in the working directory");
    setenv("HOME", folder, 1);
    cr_assert_gt(run("the home").built, 0);
    if (capabilities().gives_binaries)
        cr_assert_eq(run("the home").built, 0, "what XDG_CACHE_HOME says is ignored, not all of the cache");
    cr_assert_eq(chdir("/"), 0);
    test_folder_remove(folder);
}

/* ---- how large it gets ---- */

enum { FAKES = 30, FAKE_BYTES = 100000 };

static void fake_path(const char *folder, int k, char *path)
{
    snprintf(path, 2 * TEST_PATH, "%s/%032x", folder, (unsigned)k);
}

/* Entries of other versions, the first of them the oldest. */
static void make_fakes(const char *folder)
{
    char path[2 * TEST_PATH];
    unsigned char *zeros = test_alloc(FAKE_BYTES, 1);
    for (int k = 0; k < FAKES; k++) {
        struct timespec used[2] = {{.tv_sec = 1000000 + k}, {.tv_sec = 1000000 + k}};
        fake_path(folder, k, path);
        file_store(path, zeros, FAKE_BYTES);
        cr_assert_eq(utimensat(AT_FDCWD, path, used, 0), 0);
    }
    free(zeros);
}

static void add_size(const char *path, void *context)
{
    struct stat status;
    if (!stat(path, &status)) *(size_t *)context += (size_t)status.st_size;
}

static bool fake_exists(const char *folder, int k)
{
    char path[2 * TEST_PATH];
    fake_path(folder, k, path);
    return access(path, F_OK) == 0;
}

Test(cache, the_oldest_entries_go)
{
    char folder[TEST_PATH], other[2 * TEST_PATH];
    size_t bytes = 0;
    use_folder(folder);
    make_fakes(folder);
    snprintf(other, sizeof other, "%s/00000000000000000000000000000000.txt", folder);
    file_store(other, (const unsigned char *)"mine", 4);
    setenv("FIREPILE_CACHE_MB", "100", 1);
    counts cold = run("room for all");
    cr_assert(fake_exists(folder, 0), "nothing is removed where there is room");
    each_file(folder, damage_file, &(damage){"nothing left", 0, -1, -1, SIZE_MAX, 0});
    make_fakes(folder);
    setenv("FIREPILE_CACHE_MB", "1", 1);
    cr_assert_eq(run("too large").built, cold.built);
    each_file(folder, add_size, &bytes);
    cr_assert(bytes > 1u << 19 && bytes <= (1u << 20) + (1u << 16), "%zu bytes are left", bytes);
    cr_assert(!fake_exists(folder, 0) && fake_exists(folder, FAKES - 1), "the oldest go first");
    cr_assert_eq(access(other, F_OK), 0, "what is no entry was removed");
    cr_assert_eq(run("what was stored last is there").loaded, cold.built);
    test_folder_remove(folder);
}

static void make_old(const char *path, void *context)
{
    (void)context;
    cr_assert_eq(utimensat(AT_FDCWD, path, (struct timespec[2]){{.tv_sec = 1000000}, {.tv_sec = 1000000}}, 0), 0);
}

static void count_old(const char *path, void *context)
{
    struct stat status;
    if (!stat(path, &status)) *(int *)context += status.st_mtime == 1000000;
}

Test(cache, entries_that_are_used_stay_young)
{
    char folder[TEST_PATH];
    int old = 0;
    use_folder(folder);
    int entries = run("cold").built;
    cr_assert_eq(each_file(folder, make_old, NULL), entries);
    cr_assert_eq(run("warm").loaded, entries);
    each_file(folder, count_old, &old);
    cr_assert(!old, "%d entries count as unused", old);
    test_folder_remove(folder);
}

Test(cache, sizes_that_are_no_numbers)
{
    static const char *const sizes[] = {"x", "-1", "1.5", "12 ", "123456789"};
    char folder[TEST_PATH];
    for (size_t k = 0; k < 2 * COUNT_OF(sizes); k++) {
        setenv("FIREPILE_CACHE_MB", sizes[k / 2], 1);
        cr_assert_null(gpu_open(k % 2 ? "host" : NULL), "FIREPILE_CACHE_MB=%s", sizes[k / 2]);
        test_has(gpu_error(), "FIREPILE_CACHE_MB=");
    }
    unsetenv("FIREPILE_CACHE_MB");
    use_folder(folder);
    setenv("FIREPILE_CACHE_MB", "0", 1);
    cr_assert_gt(run("no cache").built, 0);
    cr_assert_eq(each_file(folder, NULL, NULL), 0, "there are entries, and none are allowed");
    test_folder_remove(folder);
}

Test(cache, off_and_default_folder)
{
    char folder[TEST_PATH], path[2 * TEST_PATH];
    use_folder(folder);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("FIREPILE_CACHE", "off", 1);
    snprintf(path, sizeof path, "%s/firepile", folder);
    cr_assert_gt(run("off").built, 0);
    cr_assert_gt(run("off").built, 0);
    cr_assert_neq(access(path, F_OK), 0, "FIREPILE_CACHE=off made %s", path);
    cr_assert_neq(access("off", F_OK), 0, "FIREPILE_CACHE=off made the folder \"off\"");
    unsetenv("FIREPILE_CACHE");
    cr_assert_gt(run("default").built, 0);
    cr_assert_eq(access(path, F_OK), 0, "there is no %s", path);
    cr_assert_eq(run("default").built, 0);
    test_folder_remove(folder);
}

/* ---- the tool ---- */

/* What firepile-cache prints, in which there has to be a text. */
static void tool_says(const char *arguments, const char *text)
{
    char command[TEST_PATH], printed[1024] = "";
    snprintf(command, sizeof command, "tools/firepile-cache %s", arguments);
    FILE *output = test_program(command);
    printed[fread(printed, 1, sizeof printed - 1, output)] = '\0';
    int status = pclose(output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s ends with %d", command, status);
    test_has(printed, text);
}

Test(cache, tool_shows_and_clears)
{
    char folder[TEST_PATH], text[64];
    use_folder(folder);
    tool_says("", ": 0 entries, 0.0 of 256 MB");
    int built = run("cold").built;
    snprintf(text, sizeof text, ": %d entries", built);
    tool_says("show", text);
    snprintf(text, sizeof text, ": %d entries removed", built);
    tool_says("clear", text);
    cr_assert_eq(each_file(folder, NULL, NULL), 0);
    test_folder_remove(folder);
}

Test(cache, tool_warms)
{
    char folder[TEST_PATH];
    use_folder(folder);
    tool_says("warm int", " programs built");
    int entries = each_file(folder, NULL, NULL);
    cr_assert_gt(entries, 10);
    tool_says("warm int", ": 0 programs built, ");
    cr_assert_eq(each_file(folder, NULL, NULL), entries);
    test_folder_remove(folder);
}

Test(cache, no_entries_where_binaries_are_not_asked_for)
{
    if (capabilities().gives_binaries && !capabilities().slow_binaries)
        cr_skip_test("this platform is asked for binaries");
    char folder[TEST_PATH];
    test_folder_make(folder);
    setenv("FIREPILE_CACHE", folder, 1);
    setenv("FIREPILE_BINARIES", "0", 1);
    counts first = run("first"), second = run("second");
    cr_assert(first.built > 0 && second.built == first.built && second.loaded == 0, "built %d and %d, loaded %d",
              first.built, second.built, second.loaded);
    cr_assert_eq(each_file(folder, NULL, NULL), 0);
    test_folder_remove(folder);
}

/* On a cold cache. Each has what it built or loaded, and the cache is whole afterwards. */
static void run_at_once(int processes)
{
    FILE *started[8];
    char folder[TEST_PATH];
    use_folder(folder);
    for (int k = 0; k < processes; k++) started[k] = test_program("tests/programs/cached");
    for (int k = 0; k < processes; k++) finish(started[k], "one of several");
    counts after = run("after several");
    cr_assert(after.built == 0 && after.loaded > 0, "after several: built %d, loaded %d", after.built, after.loaded);
    cr_assert_eq(each_file(folder, NULL, NULL), after.loaded, "files are left that are no entries");
    test_folder_remove(folder);
}

Test(cache, processes_at_once, .timeout = 3600) /* C01 */
{
    const int processes = test_full() ? 8 : 2, rounds = test_rounds();
    for (int round = 0; round < rounds; round++) run_at_once(processes);
    fprintf(stderr, "cache, processes: %d rounds of %d at once\n", rounds, processes);
}

Test(cache, two_devices) /* C04 */
{
    setenv("POCL_DEVICES", "pthread basic", 1);
    gpu_device_info infos[2];
    if (gpu_devices(infos, 2) != 2) cr_skip("there are not two devices");
    char folder[TEST_PATH];
    use_folder(folder);
    setenv("FIREPILE_DEVICE", "0", 1);
    int built = run("device 0").built;
    setenv("FIREPILE_DEVICE", "1", 1);
    counts other = run("device 1");
    cr_assert(other.built == built && other.loaded == 0, "built %d, loaded %d", other.built, other.loaded);
    cr_assert_eq(run("device 1 again").built, 0);
    setenv("FIREPILE_DEVICE", "0", 1);
    cr_assert_eq(run("device 0 again").built, 0);
    test_folder_remove(folder);
}

Test(cache, second_gpu_of_one_process)
{
    char folder[TEST_PATH];
    use_folder(folder);
    for (int round = 0; round < 3; round++) {
        gpu *g = test_open();
        int sum;
        test_ok(gpu_reduce(gpu_map(gpu_range(g, GPU_INT, 10), "x * 7"), "a + b", &sum));
        cr_assert_eq(sum, 315);
        gpu_stats s = test_stats(g);
        cr_assert_eq(s.programs_built > 0, round == 0, "round %d: built %d", round, (int)s.programs_built);
        cr_assert_eq(s.programs_loaded > 0, round > 0, "round %d: loaded %d", round, (int)s.programs_loaded);
        test_close(g);
    }
    test_folder_remove(folder);
}

static void look_for(const char *path, void *context)
{
    bytes b = file_load(path);
    if (strstr((char *)b.at, "x * 7 - 4321")) *(bool *)context = true;
    free(b.at);
}

static void dump_once(void)
{
    gpu *g = test_open();
    int sum;
    test_ok(gpu_reduce(gpu_map(gpu_range(g, GPU_INT, 10), "x * 7 - 4321"), "a + b", &sum));
    test_close(g);
}

Test(cache, sources_can_be_dumped)
{
    char folder[TEST_PATH];
    bool found = false;
    test_folder_make(folder);
    setenv("FIREPILE_DUMP", folder, 1);
    setenv("FIREPILE_CACHE", "off", 1);
    dump_once();
    cr_assert_gt(each_file(folder, look_for, &found), 0, "FIREPILE_DUMP wrote nothing");
    cr_assert(found, "the snippet is in none of the dumped sources");
    test_folder_remove(folder);
}

typedef struct paths {
    char list[8][4 * TEST_PATH];
    size_t count;
} paths;

static void collect(const char *path, void *context)
{
    paths *all = context;
    cr_assert_lt(all->count, COUNT_OF(all->list));
    snprintf(all->list[all->count++], sizeof *all->list, "%s", path);
}

/* Links to a file of the user's that somebody wants to be overwritten, in a file's place and in those of the temporary
 * ones that come before it. */
static void link_to_victim(const char *path, void *context)
{
    char temporary[4 * TEST_PATH];
    cr_assert(remove(path) == 0 && symlink(context, path) == 0);
    for (int serial = 0; serial < 6; serial++) {
        snprintf(temporary, sizeof temporary, "%s.%ld.%d", path, (long)getpid(), serial);
        cr_assert_eq(symlink(context, temporary), 0);
    }
}

Test(cache, dumps_do_not_follow_links)
{
    char folder[TEST_PATH], aside[TEST_PATH], victim[2 * TEST_PATH];
    bool found = false;
    paths dumped = {.count = 0};
    test_folder_make(folder);
    test_folder_make(aside);
    snprintf(victim, sizeof victim, "%s/victim", aside);
    file_store(victim, (const unsigned char *)"mine", 4);
    setenv("FIREPILE_DUMP", folder, 1);
    setenv("FIREPILE_CACHE", "off", 1);
    dump_once();
    each_file(folder, collect, &dumped);
    for (size_t k = 0; k < dumped.count; k++) link_to_victim(dumped.list[k], victim);
    dump_once();
    bytes b = file_load(victim);
    cr_assert(b.n == 4 && !memcmp(b.at, "mine", 4), "a link was followed");
    free(b.at);
    for (size_t k = 0; k < dumped.count; k++) look_for(dumped.list[k], &found);
    cr_assert(found, "the links were not replaced");
    test_folder_remove(folder);
    test_folder_remove(aside);
}

Test(cache, program_that_closes_nothing) /* C16 */
{
    int status = pclose(test_program("tests/programs/unclosed"));
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the program ended with the wait status %d", status);
}
